/**
 * Checks that the printed amounts follow from each other. The authority lets a line differ by 1.00, and a sum by 1.00 per line; more makes the
 * acceptance conditional. Source: the authority's e-CF format, calculations and tolerance.
 */
import { baseOfLine, carries, ECF_TYPES, type EcfPlan, isSummaryPlan } from "../../ecf/mapping";
import { Decimal } from "../../platform/values";
import { type BusinessRule, breachIf, NONE } from "./rule";

const LINE_TOLERANCE = Decimal.of("1.00");
const RATE: Readonly<Record<number, Decimal>> = { 1: Decimal.of("0.18"), 2: Decimal.of("0.16") };
const WITH_WITHHOLDING = ECF_TYPES.filter((type) => carries(type, "Retencion"));
const WITH_ITBIS = ECF_TYPES.filter((type) => carries(type, "TotalITBIS"));
const WITH_ADDITIONAL_TAXES = ECF_TYPES.filter((type) => carries(type, "TablaImpuestoAdicional"));
const ITBIS_18 = 1;

export const AMOUNT_RULES: readonly BusinessRule[] = [
	{
		code: "line-product",
		types: ECF_TYPES,
		verdict: "conditional",
		message: {
			en: "As printed, quantity × price − discount + surcharge is {expected}, the amount {amount}: more than 1.00 apart.",
			es: "El campo MontoItem del área Item de la sección DetallesItems de la línea {line} no es válido: se esperaba {expected}.",
		},
		check: ({ plan }) =>
			plan.lines.flatMap((line, index) => {
				const { unitPrice, discount = "0", surcharge = "0", amount } = line.gross ?? line;
				const expected = Decimal.of(line.quantity)
					.times(Decimal.of(unitPrice))
					.minus(Decimal.of(discount))
					.plus(Decimal.of(surcharge))
					.rounded(2);
				if (isWithin(Decimal.of(amount), expected, LINE_TOLERANCE)) return NONE;
				const values = { expected: expected.toFixed(2), amount, line: String(line.number) };
				return [{ pointer: `/lines/${index}/${line.gross ? "gross_subtotal" : "subtotal"}`, values }];
			}),
	},
	{
		code: "base-18-differs",
		number: "1934",
		types: WITH_ITBIS,
		verdict: "conditional",
		message: {
			en: "The base at 18 % is {amount}, its lines with discounts and surcharges make {expected}.",
			es: "El campo MontoGravadoI1 del área Totales de la sección Encabezado no es válido: se esperaba {expected}.",
		},
		check: ({ plan }) => compareBases(plan, [ITBIS_18]),
	},
	{
		code: "base-differs",
		types: ECF_TYPES,
		verdict: "conditional",
		message: {
			en: "The base of {name} is {amount}, its lines with discounts and surcharges make {expected}.",
			es: "El campo {name} del área Totales de la sección Encabezado no es válido: se esperaba {expected}.",
		},
		check: ({ plan }) => compareBases(plan, [2, 3, 4]),
	},
	{
		code: "itbis-differs",
		types: WITH_ITBIS,
		verdict: "conditional",
		isInSummary: true,
		message: {
			en: "{name} is {amount}, its rate of the base is {expected}.",
			es: "El campo {name} del área Totales de la sección Encabezado no es válido: se esperaba {expected}.",
		},
		check: ({ plan }) =>
			withGroupOfExcise(plan).flatMap(({ indicator, base, itbis }) => {
				const rate = RATE[indicator];
				if (!rate) return NONE;
				const taxed =
					indicator === ITBIS_18 ? Decimal.of(base).plus(exciseOf(plan.totals.additionalTaxes)) : Decimal.of(base);
				const expected = taxed.times(rate).rounded(2);
				// Gap: a summary has no lines to count, so its sums get the tolerance of one line.
				const tolerance = isSummaryPlan(plan) ? LINE_TOLERANCE : toleranceOf(plan);
				if (isWithin(Decimal.of(itbis), expected, tolerance)) return NONE;
				const values = { name: `TotalITBIS${indicator}`, amount: itbis, expected: expected.toFixed(2) };
				return [{ pointer: "/totals/tax", values }];
			}),
	},
	{
		code: "withheld-itbis-differs",
		number: "260",
		types: WITH_WITHHOLDING,
		verdict: "rejected",
		message: {
			en: "More ITBIS is withheld than the line's {itbis}; of a line without tax it is 0.00.",
			es: "El campo MontoITBISRetenido del área Retencion de la sección DetallesItems de la línea {line} no es válido: el ITBIS de la línea es {itbis}.",
		},
		check: ({ plan }) =>
			plan.lines.flatMap((line, index) => {
				const withheld = Decimal.of(line.withholding?.itbis ?? "0");
				if (withheld.isZero()) return NONE;
				// The plan does not divide a tax among the lines that carry it, so each may have all of it.
				const own = plan.totals.additionalTaxes.filter(({ code }) => line.additionalTaxes.includes(code));
				const excise = line.indicator === ITBIS_18 ? exciseOf(own) : Decimal.zero;
				const itbis = Decimal.of(line.amount)
					.plus(excise)
					.times(RATE[line.indicator] ?? Decimal.zero)
					.rounded(2);
				const values = { itbis: itbis.toFixed(2), line: String(line.number) };
				return breachIf(withheld.compare(itbis) > 0, `/lines/${index}/withholding/itbis`, values);
			}),
	},
	{
		code: "adjustment-percent-required",
		types: WITH_ADDITIONAL_TAXES,
		verdict: "rejected",
		message: {
			en: "Where lines carry different taxes, a discount or surcharge on the whole document is a percentage.",
			es: "El campo TipoValor del área DescuentoORecargo de la sección DescuentosORecargos no es válido: con ítems de distintos impuestos adicionales se requiere un porcentaje.",
		},
		check: ({ plan }) => {
			const kinds = new Set(plan.lines.map((line) => line.additionalTaxes.toSorted().join(" ")));
			const isAmount = plan.adjustments.some((adjustment) => adjustment.percent === undefined);
			return breachIf(kinds.size > 1 && isAmount, "/adjustments");
		},
	},
];

function compareBases(plan: EcfPlan, indicators: readonly number[]) {
	return plan.totals.groups.flatMap(({ indicator, base }) => {
		if (!indicators.includes(indicator)) return NONE;
		const lines = plan.lines.filter((line) => line.indicator === indicator).map(baseOfLine);
		const adjustments = plan.adjustments
			.filter((adjustment) => adjustment.indicator === indicator)
			.map(({ kind, amount }) => (kind === "discount" ? Decimal.of(amount).negated() : Decimal.of(amount)));
		const expected = Decimal.sum([...lines, ...adjustments]).rounded(2);
		if (isWithin(Decimal.of(base), expected, toleranceOf(plan))) return NONE;
		const name = indicator === 4 ? "MontoExento" : `MontoGravadoI${indicator}`;
		return [{ pointer: "/totals", values: { name, amount: base, expected: expected.toFixed(2) } }];
	});
}

/** Excise is taxed at 18 % regardless of the lines that carry it. Without lines at that rate it is the whole base. */
function withGroupOfExcise({ totals }: EcfPlan): EcfPlan["totals"]["groups"] {
	const { groups, additionalTaxes } = totals;
	if (exciseOf(additionalTaxes).isZero() || groups.some(({ indicator }) => indicator === ITBIS_18)) return groups;
	return [{ indicator: ITBIS_18, base: "0.00", itbis: "0.00" }, ...groups];
}

/** Excise is part of the ITBIS base at 18 %. */
function exciseOf(taxes: EcfPlan["totals"]["additionalTaxes"]): Decimal {
	const excise = taxes.filter((tax) => tax.kind !== "other");
	return Decimal.sum(excise.map((tax) => Decimal.of(tax.amount)));
}

function toleranceOf(plan: EcfPlan): Decimal {
	return Decimal.of(String(plan.lines.length));
}

export function isWithin(stated: Decimal, expected: Decimal, tolerance: Decimal): boolean {
	return stated.minus(expected).abs().compare(tolerance) <= 0;
}
