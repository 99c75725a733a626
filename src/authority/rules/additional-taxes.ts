/**
 * Taxes other than ITBIS: their rates, their amounts, and the further data that excise needs. Source: the authority's e-CF format, table of
 * additional taxes.
 */
import { baseOfLine, defaultAdditionalRate, type EcfPlan, type PlannedLine, typesWhere } from "../../ecf/mapping";
import { Decimal } from "../../platform/values";
import { isWithin } from "./amounts";
import { type Breach, type BusinessRule, NONE } from "./rule";

const WITH_TAXES = typesWhere(({ additionalTaxes }) => additionalTaxes !== "none");
const WITH_EXCISE = typesWhere(({ additionalTaxes }) => additionalTaxes === "all");
const HUNDREDTH = Decimal.of("0.01");
/*
 * What each excise is calculated from, beyond price and quantity, by the authority's formulas. Gap: the amounts are not checked, because the rates of
 * specific taxes change each quarter. Their part in the ITBIS base is (`src/authority/rules/amounts.ts`).
 */
/** Rate × degrees × reference quantity × sub-quantity × quantity. */
const isSpecificOnAlcohol = (code: string) => code >= "006" && code <= "018";
/** Quantity × reference quantity × rate. */
const isSpecificOnTobacco = (code: string) => code >= "019" && code <= "022";
/** Based on the retail price of the reference quantity, less the specific tax. For goods in bulk it is the price alone. */
const isAdValorem = (code: string) => code >= "023" && code <= "039";
/** Tip, telecommunications and insurance follow from the items' amounts; the first plate does not. */
const TIP = "001";
const FROM_ITEMS: readonly string[] = [TIP, "002", "003", "004"];
/** Unit of goods in bulk. */
const BULK = "18";
/** Surcharges on the document do not raise the base of the insurance tax. */
const WITHOUT_SURCHARGES = "003";

export const ADDITIONAL_TAX_RULES: readonly BusinessRule[] = [
	{
		code: "subquantity-missing",
		number: "2150",
		types: WITH_EXCISE,
		verdict: "rejected",
		message: {
			en: "Tax {tax} needs degrees of alcohol, reference quantity and sub-quantities in `excise`.",
			es: "El campo TablaSubcantidad del área Item de la sección DetallesItems de la línea {line} no es válido: lo requiere el impuesto {tax}, con GradosAlcohol y CantidadReferencia.",
		},
		check: ({ plan }) =>
			plan.lines.flatMap((line, index) => (hasAlcohol(line) ? NONE : taxesWhere(line, index, isSpecificOnAlcohol))),
	},
	{
		code: "reference-quantity-missing",
		types: WITH_EXCISE,
		verdict: "rejected",
		message: {
			en: "Tax {tax} needs the reference quantity in `excise`.",
			es: "El campo CantidadReferencia del área Item de la sección DetallesItems de la línea {line} no es válido: lo requiere el impuesto {tax}.",
		},
		check: ({ plan }) =>
			plan.lines.flatMap((line, index) => (hasReference(line) ? NONE : taxesWhere(line, index, isSpecificOnTobacco))),
	},
	{
		code: "retail-price-missing",
		types: WITH_EXCISE,
		verdict: "rejected",
		message: {
			en: "Tax {tax} needs reference quantity and retail price in `excise`; in bulk the quantity alone.",
			es: "Los campos CantidadReferencia y PrecioUnitarioReferencia de la línea {line} no son válidos: los requiere el impuesto {tax}, salvo a granel.",
		},
		check: ({ plan }) =>
			plan.lines.flatMap((line, index) => (hasRetailPrice(line) ? NONE : taxesWhere(line, index, isAdValorem))),
	},
	{
		code: "additional-tax-rate-differs",
		types: WITH_TAXES,
		verdict: "rejected",
		message: {
			en: "The rate of tax {tax} is {expected} %, not {rate} %.",
			es: "El campo TasaImpuestoAdicional del área Totales de la sección Encabezado no es válido: la tasa del impuesto {tax} es {expected} %.",
		},
		check: ({ plan }) =>
			plan.totals.additionalTaxes.flatMap(({ code, rate }) => {
				const expected = defaultAdditionalRate(code);
				if (expected === undefined || Decimal.of(rate).equals(Decimal.of(expected))) return NONE;
				return [{ pointer: pointerOf(plan, code, "rate"), values: { tax: code, rate, expected } }];
			}),
	},
	{
		code: "additional-tax-differs",
		number: "0",
		types: WITH_TAXES,
		verdict: "rejected",
		message: {
			en: "Tax {tax} is {amount}; its rate of the items that carry it makes {expected}.",
			es: "El total del impuesto adicional {tax} no concuerda con los ítems: se esperaba {expected}.",
		},
		check: ({ plan }) =>
			FROM_ITEMS.filter((code) => !isTipOfDocument(plan, code)).flatMap((code) => compareWithItems(plan, code)),
	},
	{
		code: "tip-differs",
		number: "0",
		types: WITH_TAXES,
		verdict: "rejected",
		message: {
			en: "The legal tip is {amount}; its rate of the items makes {expected}.",
			es: "La propina legal no concuerda con los ítems: se esperaba {expected}.",
		},
		check: ({ plan }) =>
			FROM_ITEMS.filter((code) => isTipOfDocument(plan, code))
				.flatMap((code) => compareWithItems(plan, code))
				.map((breach) => ({ ...breach, pointer: "/legal_tip" })),
	},
];

const hasReference = ({ excise }: PlannedLine): boolean => excise?.referenceQuantity !== undefined;
const isInBulk = ({ unit }: PlannedLine): boolean => unit === BULK;
const hasAlcohol = (line: PlannedLine): boolean =>
	hasReference(line) &&
	(isInBulk(line) || (line.excise?.alcoholDegrees !== undefined && line.excise.subQuantities.length > 0));
const hasRetailPrice = (line: PlannedLine): boolean =>
	hasReference(line) && (isInBulk(line) || line.excise?.retailPrice !== undefined);

/** A tip of the whole document is no tax of a line of the request. */
const isTipOfDocument = (plan: EcfPlan, code: string): boolean => plan.hasLegalTip === true && code === TIP;

function taxesWhere(line: PlannedLine, index: number, isMeant: (code: string) => boolean): readonly Breach[] {
	if (line.additionalTaxes.length === 0) return NONE;
	return line.additionalTaxes.filter(isMeant).map((tax) => ({
		pointer: `/lines/${index}/additional_taxes`,
		values: { tax, line: String(line.number) },
	}));
}

function pointerOf(plan: EcfPlan, code: string, member: string): string {
	const line = plan.lines.findIndex((candidate) => candidate.additionalTaxes.includes(code));
	const tax = plan.lines[line]?.additionalTaxes.indexOf(code) ?? 0;
	return `/lines/${line}/additional_taxes/${tax}/${member}`;
}

/** When one tax has several rates, the document does not show which item has which. */
function compareWithItems(plan: EcfPlan, code: string): readonly Breach[] {
	const [tax, another] = plan.totals.additionalTaxes.filter((candidate) => candidate.code === code);
	if (!tax || another) return NONE;
	const carriers = plan.lines.filter((line) => line.additionalTaxes.includes(code));
	const bases = carriers.map((line) => baseOfLine(line).plus(adjustmentOf(plan, line, code)));
	const expected = Decimal.sum(bases).times(Decimal.of(tax.rate)).times(HUNDREDTH).rounded(2);
	if (isWithin(Decimal.of(tax.amount), expected, Decimal.of(String(plan.lines.length)))) return NONE;
	const values = { tax: code, amount: tax.amount, expected: expected.toFixed(2) };
	return [{ pointer: pointerOf(plan, code, "amount"), values }];
}

/** A line's proportional share of what is added to or taken from all lines of its rate. */
function adjustmentOf(plan: EcfPlan, line: PlannedLine, code: string): Decimal {
	const touching = plan.adjustments.filter(
		({ indicator, kind }) => indicator === line.indicator && !(kind === "surcharge" && code === WITHOUT_SURCHARGES),
	);
	if (touching.length === 0) return Decimal.zero;
	const total = Decimal.sum(
		touching.map(({ kind, amount }) => (kind === "discount" ? Decimal.of(amount).negated() : Decimal.of(amount))),
	);
	const peers = plan.lines.filter(({ indicator }) => indicator === line.indicator);
	const sum = Decimal.sum(peers.map((peer) => Decimal.of(peer.amount)));
	return sum.isZero() ? Decimal.zero : total.times(Decimal.of(line.amount)).dividedBy(sum, 6);
}
