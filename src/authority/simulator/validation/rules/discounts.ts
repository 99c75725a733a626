/** Discounts and surcharges, of a line and of the whole. Source: the authority's e-CF format, areas Item and DescuentosORecargos. */
import { Decimal } from "../../../../values";
import { amountAt, type Ecf } from "../ecf";
import { childrenNamed, elementAt, textAt, type XmlElement } from "../element";
import { invalidField } from "../judgement";
import { linesOf } from "./amounts";
import { type Finding, grave } from "./finding";

const TABLES = [
	{ code: "2020", total: "DescuentoMonto", table: "TablaSubDescuento", row: "SubDescuento", part: "MontoSubDescuento" },
	{ code: "2030", total: "RecargoMonto", table: "TablaSubRecargo", row: "SubRecargo", part: "MontoSubRecargo" },
];

/** The amount and its table stand together, each row has its amount, and the rows add up. */
export function checkLineTables(ecf: Ecf): Finding[] {
	return linesOf(ecf.root).flatMap((item) =>
		TABLES.flatMap(({ code, total, table, row, part }) => {
			const stated = textAt(item, total);
			const rows = rowsOf(item, table, row);
			if (stated === undefined && rows === undefined) return [];
			const isWhole = stated !== undefined && rows?.every((one) => textAt(one, part) !== undefined) === true;
			const sum = Decimal.sum((rows ?? []).map((one) => amountAt(one, part)));
			if (isWhole && sum.equals(amountAt(item, total))) return [];
			const line = textAt(item, "NumeroLinea") ?? "";
			const field = stated === undefined ? total : table;
			return [grave(invalidField(code, { field, area: "Item", section: "DetallesItems", line }))];
		}),
	);
}

function rowsOf(item: XmlElement, table: string, row: string): XmlElement[] | undefined {
	const found = elementAt(item, table);
	return found && childrenNamed(found, row);
}

/** Each has its amount, a percentage too; and is a percentage where lines carry different taxes. */
export function checkAdjustments(ecf: Ecf): Finding[] {
	const block = elementAt(ecf.root, "DescuentosORecargos");
	if (!block) return [];
	const mixed = new Set(linesOf(ecf.root).map(taxesOf)).size > 1;
	return childrenNamed(block, "DescuentoORecargo").flatMap((adjustment) => {
		const line = textAt(adjustment, "NumeroLinea") ?? "";
		const invalid = (field: string) =>
			grave(invalidField("0", { field, area: "DescuentoORecargo", section: "DescuentosORecargos", line }));
		if (textAt(adjustment, "MontoDescuentooRecargo") === undefined) return [invalid("MontoDescuentooRecargo")];
		const isPercent = textAt(adjustment, "TipoValor") === "%";
		if (isPercent && textAt(adjustment, "ValorDescuentooRecargo") === undefined)
			return [invalid("ValorDescuentooRecargo")];
		return mixed && !isPercent ? [invalid("TipoValor")] : [];
	});
}

/** The codes of a line's additional taxes as one text. */
function taxesOf(item: XmlElement): string {
	return (rowsOf(item, "TablaImpuestoAdicional", "ImpuestoAdicional") ?? [])
		.map((tax) => textAt(tax, "TipoImpuesto") ?? "")
		.sort()
		.join(" ");
}
