/** Reads a void document's ranges and judges everything that needs nothing but the document. */
import { childrenNamed, elementAt, textAt, type XmlElement } from "./element";
import { checkAgainst } from "./structure";
import { VOID_LAYOUT } from "./void-layout";

export type VoidDocument = { readonly rnc: string; readonly ranges: readonly (readonly [from: string, to: string])[] };

/** A string is the authority's reason to refuse. Where its description has a sentence, that one. */
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

/** The first number or range that is nobody's, because sequences begin at one, or that the document voids twice. */
function findImpossible(ranges: readonly (readonly [from: string, to: string])[]): string | undefined {
	let highest = "";
	for (const [from, to] of ranges.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
		if (Number(from.slice(3)) === 0) return from;
		if (from <= highest) return `${from}-${to < highest ? to : highest}`;
		highest = to;
	}
	return undefined;
}
