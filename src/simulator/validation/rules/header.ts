/** Rules of the header: the limit of consumer invoices, payment, time of signature, parties. */
import { Decimal, toAuthorityDateTime } from "../../../platform/values";
import { type Ecf, type Finding, grave } from "../ecf";
import { toIsoDate } from "../forms";
import { invalidField, type Message } from "../judgement";
import { childrenNamed, elementAt, textAt } from "../read-document";

/** Consumer invoices below it go as a summary to the fc host, the others whole to the main host. Units: RD$. */
const SUMMARY_LIMIT = Decimal.of("250000.00");

/** A consumer invoice must use the channel of its amount, and a large one names its buyer. */
export function checkConsumerLimit(ecf: Ecf): Finding[] {
	if (ecf.type !== "32") return [];
	const isLarge = ecf.total.compare(SUMMARY_LIMIT) >= 0;
	if (isLarge && ecf.channel === "fc") {
		const text = "El resumen solo aplica a facturas de consumo menores de RD$250,000.00.";
		return [grave({ code: "0", text })];
	}
	if (!isLarge && ecf.channel === "main") {
		const text = "Las facturas de consumo menores de RD$250,000.00 se envían como resumen.";
		return [grave({ code: "0", text })];
	}
	if (!isLarge || ((ecf.buyerRnc || ecf.foreignBuyer) && ecf.buyerName)) return [];
	return [grave(invalidField("0", { field: "RNCComprador", area: "Comprador", section: "Encabezado" }))];
}

const CREDIT = "2";
const GIFT_VOUCHER = "5";

const invalid = (field: string) => grave(invalidField("0", { field, area: "IdDoc", section: "Encabezado" }));

/** A sale on credit states its due date, not before the issue date; the format requires 41 to state its payment. */
export function checkTerms(ecf: Ecf): Finding[] {
	const terms = textAt(ecf.root, "Encabezado/IdDoc/TipoPago");
	if (ecf.type === "41" && terms === undefined) return [invalid("TipoPago")];
	if (ecf.channel === "fc" || terms !== CREDIT) return [];
	const due = toIsoDate(textAt(ecf.root, "Encabezado/IdDoc/FechaLimitePago") ?? "");
	const issued = toIsoDate(ecf.issueDate) ?? "";
	return due === undefined || due < issued ? [invalid("FechaLimitePago")] : [];
}

/** Only consumer invoices can be paid with gift vouchers. */
export function checkPaymentForms(ecf: Ecf): Finding[] {
	const table = elementAt(ecf.root, "Encabezado/IdDoc/TablaFormasPago");
	const forms = table ? childrenNamed(table, "FormaDePago") : [];
	const hasVoucher = forms.some((form) => textAt(form, "FormaPago") === GIFT_VOUCHER);
	return hasVoucher && ecf.type !== "32" ? [invalid("FormaPago")] : [];
}

/** Gap: how far a signer's clock may run ahead is not published. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** Nothing is signed or issued in the future, by the authority's wall clock. */
export function checkSigningTime(ecf: Ecf, now: Date): Finding[] {
	const limit = sortable(toAuthorityDateTime(new Date(now.getTime() + CLOCK_TOLERANCE_MS)));
	const findings: Finding[] = [];
	if (ecf.signedAt !== null && sortable(ecf.signedAt) > limit) {
		findings.push(grave(invalidField("0", { field: "FechaHoraFirma", area: "ECF", section: "ECF" })));
	}
	if (sortable(ecf.issueDate) > limit) {
		findings.push(grave(invalidField("0", { field: "FechaEmision", area: "Emisor", section: "Encabezado" })));
	}
	return findings;
}

/** `dd-MM-yyyy HH:mm:ss` in an order that sorts as text. */
function sortable(dateTime: string): string {
	return `${toIsoDate(dateTime.slice(0, 10)) ?? ""}${dateTime.slice(10)}`;
}

const invalidBuyer = (field: string): Message => invalidField("0", { field, area: "Comprador", section: "Encabezado" });

/** A buyer is domestic or foreign, not both; a 44 requires one of them. */
export function checkBuyer(ecf: Ecf): Finding[] {
	const isHere = ecf.buyerRnc !== null;
	const isAbroad = ecf.foreignBuyer !== null;
	if (isHere && isAbroad) return [grave(invalidBuyer("IdentificadorExtranjero"))];
	return ecf.type === "44" && !isHere && !isAbroad ? [grave(invalidBuyer("RNCComprador"))] : [];
}
