/**
 * Do the amounts add up? A line may be off by 1.00, the document by 1.00 for each of its lines; more than that makes the
 * acceptance conditional. Source: the authority's e-CF format, tolerance rule.
 */
import { Decimal } from "../../../../values";
import { amountAt, type Ecf } from "../ecf";
import { childrenNamed, elementAt, textAt, type XmlElement } from "../element";
import { invalidField } from "../judgement";
import { type Finding, mild } from "./finding";

const LINE_TOLERANCE = Decimal.of("1.00");

/** Divisors that take ITBIS out of a price that includes it, by indicator. */
const TAX_FACTORS: Record<string, Decimal> = { "1": Decimal.of("1.18"), "2": Decimal.of("1.16") };

export function checkAmounts(ecf: Ecf): Finding[] {
	const totals = elementAt(ecf.root, "Encabezado/Totales");
	if (!totals) return [];
	const items = linesOf(ecf.root);
	// Gap: a summary has no lines to count, so it gets the tolerance of one.
	const tolerance = Decimal.of(String(Math.max(1, items.length)));
	return [
		...items.flatMap(checkLine),
		...(ecf.road === "main" ? checkBases(ecf.root, totals, items, tolerance) : []),
		...checkSums(totals, tolerance),
	];
}

export function linesOf(root: XmlElement): XmlElement[] {
	const details = elementAt(root, "DetallesItems");
	return details ? childrenNamed(details, "Item") : [];
}

function checkLine(item: XmlElement): Finding[] {
	const expected = amountAt(item, "PrecioUnitarioItem")
		.times(amountAt(item, "CantidadItem"))
		.minus(amountAt(item, "DescuentoMonto"))
		.plus(amountAt(item, "RecargoMonto"));
	if (isWithin(amountAt(item, "MontoItem"), expected, LINE_TOLERANCE)) return [];
	const line = textAt(item, "NumeroLinea") ?? "";
	return [mild(invalidField("0", { field: "MontoItem", area: "Item", section: "DetallesItems", line }))];
}

/** The taxable and exempt bases of the header against the lines and the global adjustments. */
function checkBases(root: XmlElement, totals: XmlElement, items: readonly XmlElement[], tolerance: Decimal): Finding[] {
	const includesTax = textAt(root, "Encabezado/IdDoc/IndicadorMontoGravado") === "1";
	const bases = [
		{ indicator: "1", field: "MontoGravadoI1", code: "1934" },
		{ indicator: "2", field: "MontoGravadoI2", code: "0" },
		{ indicator: "3", field: "MontoGravadoI3", code: "0" },
		{ indicator: "4", field: "MontoExento", code: "0" },
	];
	return bases.flatMap(({ indicator, field, code }) => {
		const ofIndicator = items.filter((item) => textAt(item, "IndicadorFacturacion") === indicator);
		const gross = Decimal.sum(ofIndicator.map((item) => amountAt(item, "MontoItem")));
		const factor = includesTax ? TAX_FACTORS[indicator] : undefined;
		const net = factor ? gross.dividedBy(factor, 2) : gross;
		const expected = net.plus(adjustmentsOf(root, indicator));
		if (isWithin(amountAt(totals, field), expected, tolerance)) return [];
		return [mild(invalidField(code, { field, area: "Totales", section: "Encabezado" }))];
	});
}

/** Surcharges less discounts on the whole document for one indicator. */
function adjustmentsOf(root: XmlElement, indicator: string): Decimal {
	const block = elementAt(root, "DescuentosORecargos");
	const adjustments = block ? childrenNamed(block, "DescuentoORecargo") : [];
	return Decimal.sum(
		adjustments
			.filter((adjustment) => textAt(adjustment, "IndicadorFacturacionDescuentooRecargo") === indicator)
			// The Norma 10-07 discount does not reduce the base.
			.filter((adjustment) => textAt(adjustment, "IndicadorNorma1007") !== "1")
			.map((adjustment) => {
				const amount = amountAt(adjustment, "MontoDescuentooRecargo");
				return textAt(adjustment, "TipoAjuste") === "D" ? amount.negated() : amount;
			}),
	);
}

/** The header against itself. */
function checkSums(totals: XmlElement, tolerance: Decimal): Finding[] {
	const sum = (...fields: string[]) => Decimal.sum(fields.map((field) => amountAt(totals, field)));
	const sums = [
		{ field: "MontoGravadoTotal", code: "1920", expected: sum("MontoGravadoI1", "MontoGravadoI2", "MontoGravadoI3") },
		{ field: "TotalITBIS", code: "0", expected: sum("TotalITBIS1", "TotalITBIS2", "TotalITBIS3") },
		{
			field: "MontoTotal",
			code: "3205",
			expected: sum("MontoGravadoTotal", "MontoExento", "TotalITBIS", "MontoImpuestoAdicional"),
		},
	];
	return sums.flatMap(({ field, code, expected }) => {
		if (isWithin(amountAt(totals, field), expected, tolerance)) return [];
		return [mild(invalidField(code, { field, area: "Totales", section: "Encabezado" }))];
	});
}

function isWithin(stated: Decimal, expected: Decimal, tolerance: Decimal): boolean {
	return stated.minus(expected).abs().compare(tolerance) <= 0;
}
