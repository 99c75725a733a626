/** Discounts and surcharges, of a line and of the whole. Source: the authority's e-CF format, areas Item and DescuentosORecargos. */
import { Decimal } from "../../../platform/values";
import { amountAt, type Ecf, type Finding, grave } from "../ecf";
import { invalidField } from "../judgement";
import { childrenNamed, elementAt, textAt, type XmlElement } from "../read-document";
import { isNorma1007, isWithin, LINE_TOLERANCE, linesOf } from "./amounts";

const HUNDREDTH = Decimal.of("0.01");
const DISCOUNTS = {
	...{ code: "2020", total: "DescuentoMonto", table: "TablaSubDescuento", row: "SubDescuento" },
	...{ part: "MontoSubDescuento", kind: "TipoSubDescuento", percent: "SubDescuentoPorcentaje" },
};
const SURCHARGES = {
	code: "2030",
	total: "RecargoMonto",
	table: "TablaSubRecargo",
	row: "SubRecargo",
	part: "MontoSubRecargo",
};

/** The amount and its table occur together, each row has its amount, and the rows add up. */
export function checkLineTables(ecf: Ecf): Finding[] {
	return linesOf(ecf.root).flatMap((item) =>
		[DISCOUNTS, SURCHARGES].flatMap(({ code, total, table, row, part }) => {
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

/** A percentage discount is its part of price × quantity. Gap: the format states no tolerance for it, so it has that of a line. */
export function checkPercentDiscounts(ecf: Ecf): Finding[] {
	const { code, table, row, part, kind, percent } = DISCOUNTS;
	return linesOf(ecf.root).flatMap((item) => {
		const gross = amountAt(item, "PrecioUnitarioItem").times(amountAt(item, "CantidadItem"));
		const isOff = (rowsOf(item, table, row) ?? []).some((one) => {
			if (textAt(one, kind) !== "%" || !textAt(one, percent) || !textAt(one, part)) return false;
			const expected = gross.times(amountAt(one, percent)).times(HUNDREDTH);
			return !isWithin(amountAt(one, part), expected, LINE_TOLERANCE);
		});
		const line = textAt(item, "NumeroLinea") ?? "";
		return isOff ? [grave(invalidField(code, { field: table, area: "Item", section: "DetallesItems", line }))] : [];
	});
}

/** Each has its indicator and its amount, even if it is a percentage. It must be a percentage if lines carry different taxes. */
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
		if (mixed && !isPercent) return [invalid("TipoValor")];
		const indicator = textAt(adjustment, "IndicadorFacturacionDescuentooRecargo");
		if (indicator === undefined) {
			return isNorma1007(adjustment) ? [] : [invalid("IndicadorFacturacionDescuentooRecargo")];
		}
		return isPercent && lacksAmount(ecf, adjustment, indicator) ? [invalid("MontoDescuentooRecargo")] : [];
	});
}

/** A percentage with the amount 0.00, although it is more than rounding explains. */
function lacksAmount(ecf: Ecf, adjustment: XmlElement, indicator: string): boolean {
	const lines = linesOf(ecf.root);
	const touched = lines.filter((item) => textAt(item, "IndicadorFacturacion") === indicator);
	const base = Decimal.sum(touched.map((item) => amountAt(item, "MontoItem")));
	const expected = base.times(amountAt(adjustment, "ValorDescuentooRecargo")).times(HUNDREDTH);
	const tolerance = Decimal.of(String(lines.length));
	return amountAt(adjustment, "MontoDescuentooRecargo").isZero() && !isWithin(Decimal.zero, expected, tolerance);
}

/** The codes of a line's additional taxes as one text. */
function taxesOf(item: XmlElement): string {
	return (rowsOf(item, "TablaImpuestoAdicional", "ImpuestoAdicional") ?? [])
		.map((tax) => textAt(tax, "TipoImpuesto") ?? "")
		.sort()
		.join(" ");
}
