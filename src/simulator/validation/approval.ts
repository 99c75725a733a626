/** Reads a commercial approval and judges everything that needs nothing but the document. */
import { Decimal } from "../../platform/values";
import { APPROVAL_LAYOUT } from "./approval-layout";
import { textAt, type XmlElement } from "./element";
import { findEmptyElements } from "./empty-elements";
import { checkAgainst } from "./structure";

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

/** A string says what is wrong with its structure. */
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
