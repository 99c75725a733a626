/**
 * Checks that the amounts add up. A line may be off by 1.00, the document by 1.00 for each of its lines; a larger difference makes the acceptance
 * conditional. Source: the authority's e-CF format, tolerance rule.
 */
import { Decimal } from "../../../platform/values";
import { amountAt, type Ecf, type Finding, mild } from "../ecf";
import { invalidField } from "../judgement";
import { childrenNamed, elementAt, textAt, type XmlElement } from "../read-document";

const HUNDREDTH = Decimal.of("0.01");
export const LINE_TOLERANCE = Decimal.of("1.00");

/** Divisors that take ITBIS out of a price that includes it, by indicator. */
const TAX_FACTORS: Record<string, Decimal> = { "1": Decimal.of("1.18"), "2": Decimal.of("1.16") };

const RATES = [
	{ k: "1", rate: Decimal.of("0.18") },
	{ k: "2", rate: Decimal.of("0.16") },
	{ k: "3", rate: Decimal.zero },
];

export function rateOf(indicator: string): Decimal {
	return RATES.find(({ k }) => k === indicator)?.rate ?? Decimal.zero;
}

export function checkAmounts(ecf: Ecf): Finding[] {
	const totals = elementAt(ecf.root, "Encabezado/Totales");
	if (!totals) return [];
	const items = linesOf(ecf.root);
	// Gap: a summary has no lines to count, so it gets the tolerance of one.
	const tolerance = Decimal.of(String(Math.max(1, items.length)));
	return [
		...items.flatMap(checkLine),
		...(ecf.channel === "main" ? checkBases(ecf.root, totals, items, tolerance) : []),
		...checkTaxes(totals, tolerance),
		...(ecf.channel === "main" ? checkWithheld(totals, items, tolerance) : []),
		...checkSums(ecf.root, totals, tolerance),
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
		{ indicator: "0", field: "MontoNoFacturable", code: "0" },
	];
	return bases.flatMap(({ indicator, field, code }) => {
		const ofIndicator = items.filter((item) => textAt(item, "IndicadorFacturacion") === indicator);
		const gross = Decimal.sum(ofIndicator.map((item) => amountAt(item, "MontoItem")));
		const factor = includesTax ? taxFactorOf(root, indicator) : undefined;
		const net = factor ? gross.dividedBy(factor, 2) : gross;
		const expected = net.plus(adjustmentsOf(root, indicator));
		if (isWithin(amountAt(totals, field), expected, tolerance)) return [];
		return [mild(invalidField(code, { field, area: "Totales", section: "Encabezado" }))];
	});
}

function adjustmentLinesOf(root: XmlElement): XmlElement[] {
	const block = elementAt(root, "DescuentosORecargos");
	return block ? childrenNamed(block, "DescuentoORecargo") : [];
}

export function isNorma1007(adjustment: XmlElement): boolean {
	return textAt(adjustment, "IndicadorNorma1007") === "1";
}

/** Under Norma 10-07 the taxes on telecommunications are in the prices too. */
export function taxFactorOf(root: XmlElement, indicator: string): Decimal | undefined {
	const factor = TAX_FACTORS[indicator];
	if (indicator !== "1" || !factor || !adjustmentLinesOf(root).some(isNorma1007)) return factor;
	const taxes = elementAt(root, "Encabezado/Totales/ImpuestosAdicionales");
	const inPrices = (taxes ? childrenNamed(taxes, "ImpuestoAdicional") : []).filter((tax) =>
		["002", "004"].includes(textAt(tax, "TipoImpuesto") ?? ""),
	);
	return factor.plus(Decimal.sum(inPrices.map((tax) => amountAt(tax, "TasaImpuestoAdicional"))).times(HUNDREDTH));
}

/** What Norma 10-07 deducts from the payable amount. */
function norma1007Of(root: XmlElement): Decimal {
	return Decimal.sum(
		adjustmentLinesOf(root)
			.filter(isNorma1007)
			.map((one) => amountAt(one, "MontoDescuentooRecargo")),
	);
}

/** Surcharges less discounts on the whole document for one indicator. */
export function adjustmentsOf(root: XmlElement, indicator: string, withSurcharges = true): Decimal {
	return Decimal.sum(
		adjustmentLinesOf(root)
			.filter((adjustment) => textAt(adjustment, "IndicadorFacturacionDescuentooRecargo") === indicator)
			// The Norma 10-07 discount does not reduce the base.
			.filter((adjustment) => !isNorma1007(adjustment))
			.filter((adjustment) => withSurcharges || textAt(adjustment, "TipoAjuste") === "D")
			.map((adjustment) => {
				const amount = amountAt(adjustment, "MontoDescuentooRecargo");
				return textAt(adjustment, "TipoAjuste") === "D" ? amount.negated() : amount;
			}),
	);
}

/** ITBIS is its rate of the base; excise is part of the base at 18 %. */
function checkTaxes(totals: XmlElement, tolerance: Decimal): Finding[] {
	const taxes = elementAt(totals, "ImpuestosAdicionales");
	const excise = Decimal.sum(
		(taxes ? childrenNamed(taxes, "ImpuestoAdicional") : []).flatMap((tax) => [
			amountAt(tax, "MontoImpuestoSelectivoConsumoEspecifico"),
			amountAt(tax, "MontoImpuestoSelectivoConsumoAdvalorem"),
		]),
	);
	return RATES.flatMap(({ k, rate }) => {
		const base = amountAt(totals, `MontoGravadoI${k}`).plus(k === "1" ? excise : Decimal.zero);
		const field = `TotalITBIS${k}`;
		if (isWithin(amountAt(totals, field), base.times(rate), tolerance)) return [];
		return [mild(invalidField("0", { field, area: "Totales", section: "Encabezado" }))];
	});
}

/** The lines' withholdings add up to the header's. */
function checkWithheld(totals: XmlElement, items: readonly XmlElement[], tolerance: Decimal): Finding[] {
	const sums = [
		{ field: "TotalITBISRetenido", path: "Retencion/MontoITBISRetenido" },
		{ field: "TotalISRRetencion", path: "Retencion/MontoISRRetenido" },
	];
	return sums.flatMap(({ field, path }) => {
		// With indicator 2 the line's amounts are perceptions, which are not in force.
		const sum = Decimal.sum(items.map((item) => amountAt(item, path)));
		if (isWithin(amountAt(totals, field), sum, tolerance)) return [];
		return [mild(invalidField("0", { field, area: "Totales", section: "Encabezado" }))];
	});
}

/** The header against itself. */
function checkSums(root: XmlElement, totals: XmlElement, tolerance: Decimal): Finding[] {
	const sum = (...fields: string[]) => Decimal.sum(fields.map((field) => amountAt(totals, field)));
	const period = sum("MontoTotal", "MontoNoFacturable");
	const payable = sum("MontoTotal", "SaldoAnterior").minus(sum("MontoAvancePago")).minus(norma1007Of(root));
	const optional = [
		{ field: "MontoPeriodo", code: "0", expected: period },
		{ field: "ValorPagar", code: "0", expected: payable },
	].filter(({ field }) => textAt(totals, field) !== undefined);
	const sums = [
		...optional,
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

export function isWithin(stated: Decimal, expected: Decimal, tolerance: Decimal): boolean {
	return stated.minus(expected).abs().compare(tolerance) <= 0;
}
