/** Taxes besides ITBIS, in the totals and in the lines. Source: the authority's e-CF format, table of additional taxes. */
import { Decimal } from "../../../platform/values";
import { amountAt, type Ecf, type Finding, grave, mild } from "../ecf";
import { invalidField } from "../judgement";
import { childrenNamed, elementAt, textAt, type XmlElement } from "../read-document";
import { adjustmentsOf, isWithin, linesOf, rateOf, taxFactorOf } from "./amounts";

const SPECIFIC = "MontoImpuestoSelectivoConsumoEspecifico";
const AD_VALOREM = "MontoImpuestoSelectivoConsumoAdvalorem";
const OTHER = "OtrosImpuestosAdicionales";
const BULK = "18";
/** The first plate does not follow from the lines. */
const FROM_LINES = ["001", "002", "003", "004"];
const WITHOUT_SURCHARGES = "003";
const HUNDREDTH = Decimal.of("0.01");
/** In percent. The specific taxes, 006 to 022, have amounts instead, which change each quarter. */
const FIXED_RATES: Readonly<Record<string, Decimal>> = {
	"001": Decimal.of("10"),
	"002": Decimal.of("2"),
	"003": Decimal.of("16"),
	"004": Decimal.of("10"),
	"005": Decimal.of("17"),
};
const AD_VALOREM_ON_ALCOHOL = Decimal.of("10");
const AD_VALOREM_ON_TOBACCO = Decimal.of("20");

/** The rate that the table of taxes fixes for a code, if it does. */
function fixedRateOf(code: string): Decimal | undefined {
	if (code >= "023") return code < "036" ? AD_VALOREM_ON_ALCOHOL : AD_VALOREM_ON_TOBACCO;
	return FIXED_RATES[code];
}

function amountFieldOf(code: string): string {
	if (code <= "005") return OTHER;
	return code <= "022" ? SPECIFIC : AD_VALOREM;
}

/** Every tax has its amount and its rate, the amounts add up, and totals and lines name the same taxes. */
export function checkAdditionalTaxes(ecf: Ecf): Finding[] {
	const totals = elementAt(ecf.root, "Encabezado/Totales");
	const taxes = rowsOf(totals, "ImpuestosAdicionales");
	const place = { area: "Totales", section: "Encabezado" };
	const missing = taxes.flatMap((tax) => {
		const field = amountFieldOf(textAt(tax, "TipoImpuesto") ?? "");
		return textAt(tax, field) === undefined ? [grave(invalidField("0", { field, ...place }))] : [];
	});
	const otherRates = taxes.flatMap((tax) => {
		const fixed = fixedRateOf(textAt(tax, "TipoImpuesto") ?? "");
		const stated = textAt(tax, "TasaImpuestoAdicional");
		if (!fixed || stated === undefined || Decimal.of(stated).equals(fixed)) return [];
		return [grave(invalidField("0", { field: "TasaImpuestoAdicional", ...place }))];
	});
	const sum = Decimal.sum(taxes.flatMap((tax) => [SPECIFIC, AD_VALOREM, OTHER].map((field) => amountAt(tax, field))));
	const tolerance = Decimal.of(String(Math.max(1, linesOf(ecf.root).length)));
	const stated = totals ? amountAt(totals, "MontoImpuestoAdicional") : Decimal.zero;
	const adds = isWithin(stated, sum, tolerance);
	const sums = adds ? [] : [mild(invalidField("0", { field: "MontoImpuestoAdicional", ...place }))];
	return [...missing, ...otherRates, ...sums, ...(ecf.channel === "main" ? checkLines(ecf, taxes) : [])];
}

function checkLines(ecf: Ecf, taxes: readonly XmlElement[]): Finding[] {
	const codesOf = (rows: readonly XmlElement[]) => rows.map((tax) => textAt(tax, "TipoImpuesto") ?? "");
	const ofTotals = new Set(codesOf(taxes));
	const lines = linesOf(ecf.root);
	const ofLines = new Set(lines.flatMap((item) => codesOf(rowsOf(item, "TablaImpuestoAdicional"))));
	const differ =
		ofTotals.symmetricDifference(ofLines).size > 0 || taxes.some((tax) => !followsFromLines(ecf, tax, taxes));
	const text = "Los totales de otros impuestos no concuerdan con los ítems.";
	return [
		...(differ ? [grave({ code: "0", text })] : []),
		...lines.flatMap((item) =>
			codesOf(rowsOf(item, "TablaImpuestoAdicional")).flatMap((code) => checkExcise(item, code)),
		),
	];
}

/**
 * Tip, telecommunications and insurance equal their rate of their lines, including the lines' share of document adjustments. With several rates of
 * one tax, the document does not say which line has which.
 */
function followsFromLines(ecf: Ecf, tax: XmlElement, all: readonly XmlElement[]): boolean {
	const code = textAt(tax, "TipoImpuesto") ?? "";
	const isAlone = all.filter((other) => textAt(other, "TipoImpuesto") === code).length === 1;
	if (!FROM_LINES.includes(code) || !isAlone) return true;
	const lines = linesOf(ecf.root);
	const carriers = lines.filter((item) =>
		rowsOf(item, "TablaImpuestoAdicional").some((row) => textAt(row, "TipoImpuesto") === code),
	);
	const base = Decimal.sum(carriers.map((item) => baseOf(ecf, item).plus(shareOf(ecf, item, code))));
	const expected = base.times(amountAt(tax, "TasaImpuestoAdicional")).times(HUNDREDTH);
	return isWithin(amountAt(tax, OTHER), expected, Decimal.of(String(lines.length)));
}

/** A line's amount without the ITBIS that its price may include. */
export function baseOf(ecf: Ecf, item: XmlElement): Decimal {
	const amount = amountAt(item, "MontoItem");
	const factor = taxFactorOf(ecf.root, textAt(item, "IndicadorFacturacion") ?? "");
	const includesTax = textAt(ecf.root, "Encabezado/IdDoc/IndicadorMontoGravado") === "1";
	return includesTax && factor ? amount.dividedBy(factor, 6) : amount;
}

/** The excise that a line may carry. The document states it for all lines of a code together, so each of several lines may have all of it. */
export function exciseOf(ecf: Ecf, item: XmlElement): Decimal {
	const codes = rowsOf(item, "TablaImpuestoAdicional").map((row) => textAt(row, "TipoImpuesto"));
	const taxes = rowsOf(elementAt(ecf.root, "Encabezado/Totales"), "ImpuestosAdicionales");
	const own = taxes.filter((tax) => codes.includes(textAt(tax, "TipoImpuesto")));
	return Decimal.sum(own.flatMap((tax) => [amountAt(tax, SPECIFIC), amountAt(tax, AD_VALOREM)]));
}

/** A line's share, by its amount, of the adjustments of its indicator. Surcharges do not raise the base of the tax on insurance. */
function shareOf(ecf: Ecf, item: XmlElement, code: string): Decimal {
	const indicator = textAt(item, "IndicadorFacturacion") ?? "";
	const whole = adjustmentsOf(ecf.root, indicator, code !== WITHOUT_SURCHARGES);
	const peers = linesOf(ecf.root).filter((peer) => textAt(peer, "IndicadorFacturacion") === indicator);
	const sum = Decimal.sum(peers.map((peer) => amountAt(peer, "MontoItem")));
	return whole.isZero() || sum.isZero() ? Decimal.zero : whole.times(amountAt(item, "MontoItem")).dividedBy(sum, 6);
}

/**
 * Every excise requires the reference quantity; unless sold in bulk, specific tax on alcohol also degrees and sub-quantities, and ad valorem tax the
 * retail price.
 */
function checkExcise(item: XmlElement, code: string): Finding[] {
	if (code < "006") return [];
	const isInBulk = textAt(item, "UnidadMedida") === BULK;
	const isAlcohol = code <= "018" && !isInBulk;
	const isAdValorem = code >= "023" && !isInBulk;
	const wanted = [
		{ number: "0", field: "CantidadReferencia" },
		...(isAlcohol
			? [
					{ number: "0", field: "GradosAlcohol" },
					{ number: "2150", field: "TablaSubcantidad" },
				]
			: []),
		...(isAdValorem ? [{ number: "0", field: "PrecioUnitarioReferencia" }] : []),
	];
	const line = textAt(item, "NumeroLinea") ?? "";
	return wanted.flatMap(({ number, field }) => {
		if (elementAt(item, field)) return [];
		return [grave(invalidField(number, { field, area: "Item", section: "DetallesItems", line }))];
	});
}

function rowsOf(parent: XmlElement | undefined, table: string): XmlElement[] {
	const found = parent && elementAt(parent, table);
	return found ? childrenNamed(found, "ImpuestoAdicional") : [];
}

/** Types whose format has IndicadorMontoGravado. */
const WITH_PRICE_INDICATOR = ["31", "32", "33", "34", "41", "45"];
const TAXABLE = ["1", "2", "3"];
const WITH_EXCISE_IN_BASE = "1";
/** What rounding a price with ITBIS may add to the tax in it. */
const CENT = Decimal.of("0.01");

/** A document with taxable items says whether its prices include ITBIS. */
export function checkPriceIndicator(ecf: Ecf): Finding[] {
	if (ecf.channel === "fc" || !WITH_PRICE_INDICATOR.includes(ecf.type)) return [];
	const hasTaxable = linesOf(ecf.root).some((item) => TAXABLE.includes(textAt(item, "IndicadorFacturacion") ?? ""));
	if (!hasTaxable || textAt(ecf.root, "Encabezado/IdDoc/IndicadorMontoGravado") !== undefined) return [];
	return [grave(invalidField("176", { field: "IndicadorMontoGravado", area: "IdDoc", section: "Encabezado" }))];
}

/** Every line of a 41 states its withholding, even 0.00: ITBIS always, ISR for a service. No line withholds more ITBIS than it bears. */
export function checkWithholding(ecf: Ecf): Finding[] {
	return linesOf(ecf.root).flatMap((item) => {
		const wanted = [
			"MontoITBISRetenido",
			...(textAt(item, "IndicadorBienoServicio") === "2" ? ["MontoISRRetenido"] : []),
		];
		const missing = wanted.filter((field) => textAt(item, `Retencion/${field}`) === undefined);
		const line = textAt(item, "NumeroLinea") ?? "";
		const exceeds = amountAt(item, "Retencion/MontoITBISRetenido").compare(highestItbisOf(ecf, item)) > 0;
		return [...(ecf.type === "41" ? missing : []), ...(exceeds ? ["MontoITBISRetenido"] : [])].map((field) =>
			grave(invalidField("260", { field, area: "Retencion", section: "DetallesItems", line })),
		);
	});
}

function highestItbisOf(ecf: Ecf, item: XmlElement): Decimal {
	const indicator = textAt(item, "IndicadorFacturacion") ?? "";
	const excise = indicator === WITH_EXCISE_IN_BASE ? exciseOf(ecf, item) : Decimal.zero;
	const itbis = baseOf(ecf, item).plus(excise).times(rateOf(indicator)).rounded(2);
	const includesTax = textAt(ecf.root, "Encabezado/IdDoc/IndicadorMontoGravado") === "1";
	return includesTax && !itbis.isZero() ? itbis.plus(CENT) : itbis;
}

/** Lines are numbered from one without gaps. */
export function checkLineNumbers(ecf: Ecf): Finding[] {
	return linesOf(ecf.root).flatMap((item, index) => {
		const line = textAt(item, "NumeroLinea") ?? "";
		if (line === String(index + 1)) return [];
		return [grave(invalidField("0", { field: "NumeroLinea", area: "Item", section: "DetallesItems", line }))];
	});
}
