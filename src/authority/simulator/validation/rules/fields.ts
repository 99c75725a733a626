/** Fields that a schema lets out and the authority demands. */

import type { Ecf } from "../ecf";
import { textAt } from "../element";
import { invalidField } from "../judgement";
import { linesOf } from "./amounts";
import { type Finding, grave } from "./finding";

/** Types whose format has IndicadorMontoGravado. */
const WITH_PRICE_INDICATOR = ["31", "32", "33", "34", "41", "45"];
const TAXABLE = ["1", "2", "3"];

/** A document with taxable items says whether its prices include ITBIS. */
export function checkPriceIndicator(ecf: Ecf): Finding[] {
	if (ecf.road === "fc" || !WITH_PRICE_INDICATOR.includes(ecf.type)) return [];
	const hasTaxable = linesOf(ecf.root).some((item) => TAXABLE.includes(textAt(item, "IndicadorFacturacion") ?? ""));
	if (!hasTaxable || textAt(ecf.root, "Encabezado/IdDoc/IndicadorMontoGravado") !== undefined) return [];
	return [grave(invalidField("176", { field: "IndicadorMontoGravado", area: "IdDoc", section: "Encabezado" }))];
}

/** Every line of a 41 withholds, be it 0.00: ITBIS always, ISR when it is a service. */
export function checkWithholding(ecf: Ecf): Finding[] {
	if (ecf.type !== "41") return [];
	return linesOf(ecf.root).flatMap((item) => {
		const wanted = [
			"MontoITBISRetenido",
			...(textAt(item, "IndicadorBienoServicio") === "2" ? ["MontoISRRetenido"] : []),
		];
		const missing = wanted.filter((field) => textAt(item, `Retencion/${field}`) === undefined);
		const line = textAt(item, "NumeroLinea") ?? "";
		return missing.map((field) =>
			grave(invalidField("260", { field, area: "Retencion", section: "DetallesItems", line })),
		);
	});
}

/** Lines are numbered from one without gaps. */
export function checkLineNumbers(ecf: Ecf): Finding[] {
	return linesOf(ecf.root).flatMap((item, index) => {
		const line = textAt(item, "NumeroLinea") ?? "";
		if (line === String(index + 1)) return [];
		return [grave(invalidField("0", { field: "NumeroLinea", area: "Item", section: "DetallesItems", line }))];
	});
}
