/** Documents other than e-CFs: receipts, commercial approvals, voided ranges. */
import { Decimal } from "../../platform/values";
import { DATE_TIME, ENCF, oneOf, TAXPAYER, VERSION } from "./forms";
import { APPROVAL_LAYOUT, closed, landmark, required, requiredBlock, VOID_LAYOUT } from "./layouts";
import { childrenNamed, elementAt, textAt, type XmlElement } from "./read-document";
import { checkAgainst, findEmptyElements } from "./structure";

const NOT_RECEIVED = "1";

const LAYOUT = closed(
	requiredBlock(
		"DetalleAcusedeRecibo",
		closed(
			required("Version", VERSION),
			required("RNCEmisor", TAXPAYER),
			required("RNCComprador", TAXPAYER),
			required("eNCF", ENCF),
			required("Estado", oneOf("0", NOT_RECEIVED)),
			landmark("CodigoMotivoNoRecibido", { form: oneOf("1", "2", "3", "4") }),
			required("FechaHoraAcuseRecibo", DATE_TIME),
		),
	),
);

export type ReceiptDocument = {
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	/** 0 received, 1 not received. */
	readonly state: number;
};

/** A string states what is wrong with its structure. */
export function readReceipt(root: XmlElement): ReceiptDocument | string {
	if (root.name !== "ARECF") return "El elemento raíz debe ser ARECF.";
	const [fault] = [...findEmptyElements(root), ...checkAgainst(root, LAYOUT)];
	if (fault) return fault.text;
	const at = (name: string) => textAt(root, `DetalleAcusedeRecibo/${name}`);
	if (at("Estado") !== NOT_RECEIVED && at("CodigoMotivoNoRecibido") !== undefined) {
		return "El campo CodigoMotivoNoRecibido solo aplica a lo no recibido.";
	}
	return {
		issuerRnc: at("RNCEmisor") ?? "",
		buyerRnc: at("RNCComprador") ?? "",
		encf: at("eNCF") ?? "",
		state: Number(at("Estado")),
	};
}

export type ApprovalDocument = {
	readonly rnc: string;
	readonly encf: string;
	readonly buyerRnc: string;
	/** `dd-MM-yyyy`. */
	readonly issueDate: string;
	readonly total: Decimal;
	/** 1 approved, 2 rejected. */
	readonly state: number;
	readonly reason: string | null;
};

/** A string states what is wrong with its structure. */
export function readApproval(root: XmlElement): ApprovalDocument | string {
	if (root.name !== "ACECF") return "El elemento raíz debe ser ACECF.";
	const [empty] = findEmptyElements(root);
	if (empty) return empty.text;
	const [fault] = checkAgainst(root, APPROVAL_LAYOUT);
	if (fault) return fault.text;
	const at = (name: string) => textAt(root, `DetalleAprobacionComercial/${name}`);
	const state = Number(at("Estado"));
	const reason = at("DetalleMotivoRechazo") ?? null;
	if (state === 2 && reason === null) return "Falta el elemento DetalleMotivoRechazo en DetalleAprobacionComercial.";
	return {
		rnc: at("RNCEmisor") ?? "",
		encf: at("eNCF") ?? "",
		buyerRnc: at("RNCComprador") ?? "",
		issueDate: at("FechaEmision") ?? "",
		total: Decimal.of(at("MontoTotal") ?? "0"),
		state,
		reason,
	};
}

export type VoidDocument = { readonly rnc: string; readonly ranges: readonly (readonly [from: string, to: string])[] };

/** A string is the authority's reason to refuse, in the words of its description if there are any. */
export function readVoidDocument(root: XmlElement): VoidDocument | string {
	if (root.name !== "ANECF") return "El tipo de comprobante no es válido";
	const [fault] = checkAgainst(root, VOID_LAYOUT);
	if (fault) return `La estructura del archivo no es válida. ${fault.text}`;
	const detail = elementAt(root, "DetalleAnulacion");
	const lines = detail ? childrenNamed(detail, "Anulacion") : [];
	if (lines.some((line, i) => Number(textAt(line, "NoLinea")) !== i + 1))
		return "El campo NoLinea no es válido, no cumple orden secuencial.";
	const ranges: [string, string][] = [];
	let total = 0;
	for (const line of lines) {
		const read = readLine(line);
		if (typeof read === "string") return read;
		ranges.push(...read);
		const count = read.reduce((sum, [from, to]) => sum + Number(to.slice(3)) - Number(from.slice(3)) + 1, 0);
		if (count !== Number(textAt(line, "CantidadeNCFAnulados")))
			return "El campo CantidadeNCFAnulados de la línea no es válido.";
		total += count;
	}
	if (total !== Number(textAt(root, "Encabezado/CantidadeNCFAnulados"))) {
		return "El campo CantidadeNCFAnulados del encabezado no es válido.";
	}
	const impossible = findImpossible(ranges);
	if (impossible) return `No fue posible anular las siguientes secuencias: ${impossible}`;
	return { rnc: textAt(root, "Encabezado/RncEmisor") ?? "", ranges };
}

function readLine(line: XmlElement): [string, string][] | string {
	const type = textAt(line, "TipoeCF");
	const table = elementAt(line, "TablaRangoSecuenciasAnuladaseNCF");
	const ranges: [string, string][] = [];
	for (const range of table ? childrenNamed(table, "Secuencias") : []) {
		const from = textAt(range, "SecuenciaeNCFDesde") ?? "";
		const to = textAt(range, "SecuenciaeNCFHasta") ?? "";
		if (from.slice(1, 3) !== type || to.slice(1, 3) !== type) return "El tipo de e-CF no corresponde con el e-NCF.";
		if (from > to) return "El valor del campo SecuenciaeNCFDesde es mayor al del campo SecuenciaeNCFHasta";
		ranges.push([from, to]);
	}
	return ranges;
}

/** The first number or range that belongs to no issuer, because sequences begin at one, or that the document voids twice. */
function findImpossible(ranges: readonly (readonly [from: string, to: string])[]): string | undefined {
	let highest = "";
	for (const [from, to] of ranges.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
		if (Number(from.slice(3)) === 0) return from;
		if (from <= highest) return `${from}-${to < highest ? to : highest}`;
		highest = to;
	}
	return undefined;
}
