/** Fields that a schema lets out and the authority demands. */
import { Decimal } from "../../../platform/values";
import { amountAt, type Ecf } from "../ecf";
import { textAt, type XmlElement } from "../element";
import { invalidField } from "../judgement";
import { baseOf, exciseOf } from "./additional-taxes";
import { linesOf, rateOf } from "./amounts";
import { type Finding, grave } from "./finding";

/** Types whose format has IndicadorMontoGravado. */
const WITH_PRICE_INDICATOR = ["31", "32", "33", "34", "41", "45"];
const TAXABLE = ["1", "2", "3"];
const WITH_EXCISE_IN_BASE = "1";
/** What rounding a price with ITBIS may add to the tax that is in it. */
const CENT = Decimal.of("0.01");

/** A document with taxable items says whether its prices include ITBIS. */
export function checkPriceIndicator(ecf: Ecf): Finding[] {
	if (ecf.road === "fc" || !WITH_PRICE_INDICATOR.includes(ecf.type)) return [];
	const hasTaxable = linesOf(ecf.root).some((item) => TAXABLE.includes(textAt(item, "IndicadorFacturacion") ?? ""));
	if (!hasTaxable || textAt(ecf.root, "Encabezado/IdDoc/IndicadorMontoGravado") !== undefined) return [];
	return [grave(invalidField("176", { field: "IndicadorMontoGravado", area: "IdDoc", section: "Encabezado" }))];
}

/** Every line of a 41 withholds, be it 0.00: ITBIS always, ISR when it is a service. No line withholds more ITBIS than it bears. */
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
