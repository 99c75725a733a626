import { Decimal } from "../../../platform/values";
import type { Ecf } from "../ecf";
import { invalidField } from "../judgement";
import { type Finding, grave } from "./finding";

/** Consumer invoices below it go as a summary to the fc host, the others whole to the main host. Units: RD$. */
const SUMMARY_LIMIT = Decimal.of("250000.00");

/** A consumer invoice came by the road of its amount, and a large one names its buyer. */
export function checkConsumerLimit(ecf: Ecf): Finding[] {
	if (ecf.type !== "32") return [];
	const isLarge = ecf.total.compare(SUMMARY_LIMIT) >= 0;
	if (isLarge && ecf.road === "fc") {
		const text = "El resumen solo aplica a facturas de consumo menores de RD$250,000.00.";
		return [grave({ code: "0", text })];
	}
	if (!isLarge && ecf.road === "main") {
		const text = "Las facturas de consumo menores de RD$250,000.00 se envían como resumen.";
		return [grave({ code: "0", text })];
	}
	if (!isLarge || ((ecf.buyerRnc || ecf.foreignBuyer) && ecf.buyerName)) return [];
	return [grave(invalidField("0", { field: "RNCComprador", area: "Comprador", section: "Encabezado" }))];
}
