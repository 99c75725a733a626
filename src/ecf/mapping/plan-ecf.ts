/**
 * From the canonical invoice to the e-CF: a pure function, the whole mapping, every loss and every guess reported.
 *
 *   EcfInput ─► lines ─► tax ─► totals ─► EcfPlan ─► toEcfContent ─► writeXml ─► canonical XML
 *
 * Invariants of every plan without faults:
 *
 *  1. MontoTotal is `totals.grand_total`, rounded half up to 2 decimals.
 *  2. TotalITBIS + MontoImpuestoAdicional is `totals.tax`, rounded: additional taxes are part of `totals.tax`. Where `tax`
 *     counts adjustments as well (see below), it is that less the adjustments.
 *  3. MontoGravadoTotal + MontoExento + TotalITBIS + MontoImpuestoAdicional = MontoTotal, to the cent.
 *  4. A base is the sum of its lines as the request has them, less discounts plus surcharges, rounded. So it differs from the sum of its
 *     MontoItem by what rounding each moved. The cent that `totals.subtotal` may be off, and cents of rounding the sums, are the largest base's; what
 *     it cannot give, the next one's.
 *  5. MontoItem is the line's `subtotal`, rounded. A request line is one Item, in the request's order, numbered from 1.
 *  6. TotalITBISk is the rate times the base to within 0.01 a line, unless `tax-not-derivable` says otherwise;
 *     how lines are marked then is told in `derive-tax.ts`.
 *  7. No text is longer than its element, no element is empty, no amount has more digits than the format.
 *
 * A warning means: the document is valid, but something was lost, guessed or looks wrong. A fault means: no valid document
 * holds this. Callers that are strict turn the first into the second. Two documents are written although the authority's schema
 * refuses them: a number that has not 13 characters (`encf-length`), and a note without a reference. What the authority checks
 * beyond its schema is not asked here; see `authority/rules`.
 *
 * Choices:
 *  - Amounts are pesos. `Gap:` `currency` and `exchange_rate` name the currency shown beside them, as the format does: every
 *    foreign amount is the peso amount divided by the rate. So the totals, the 250,000.00 limit and the printed code agree.
 *  - Adjustments change the base of the tax. `Gap:` where the totals count them is read from the totals themselves, in this
 *    order: in `subtotal` (lines less discounts plus surcharges), as the documentation has it; in `tax`, being what the total
 *    differs from the bare sum of the lines, when ITBIS comes out right so; nowhere, and then they are left out with
 *    `adjustments-not-in-totals`, because invariant 1 comes first. The door asks `listAdjustedSums` for the first.
 *  - An adjustment without `tax_rate` touches all rates in use, in proportion: one entry for each.
 *  - A percentage without an amount is of the lines of its rate, those whose rate is derived among them. Where the totals hold
 *    only that of the lines that name it, they are followed, with `adjustment-percent`.
 *  - `order_number` is NumeroOrdenCompra, `seller` CodigoVendedor, `branch` Sucursal. What has no element in the type, and
 *    `pos` always, stands in InformacionAdicionalEmisor.
 *
 * Source: the authority's e-CF format, October 2025.
 */
import type { Fault } from "../../platform/problem";
import { Decimal, daysBetween, toLocalIsoDate } from "../../platform/values";
import { carries } from "../format";
import { type EcfType, profileOf, toEcfType } from "../types";
import { PAYMENT_TERMS } from "./codes";
import { type Findings, fault, fitDecimal, fitText, newFindings, type Warning, warn } from "./findings";
import type { EcfInput, EcfInvoice } from "./invoice-request";
import { type PlannedCurrency, planCurrency } from "./plan-currency";
import { type PlannedLine, readLines } from "./plan-lines";
import { type PlannedBuyer, type PlannedIssuer, planBuyer, planIssuer } from "./plan-parties";
import { type PlannedAdjustment, type PlannedTotals, planTotals } from "./plan-totals";

export type PlannedPayment = {
	/** TipoPago. */
	readonly terms: string;
	/** `YYYY-MM-DD`. */
	readonly dueDate?: string;
	readonly forms: readonly { readonly method: string; readonly amount: string }[];
};

export type PlannedReference = {
	readonly encf: string;
	readonly issueDate: string;
	readonly code: string;
	readonly reason?: string;
	/** Only when the modified document was another taxpayer's, dissolved or merged since. */
	readonly otherRnc?: string;
};

/** An e-CF before it is written: amounts as they are printed, dates `YYYY-MM-DD`. Plain data. */
export type EcfPlan = {
	readonly type: EcfType;
	readonly encf: string;
	/** Absent for types without one, and where the input names none. */
	readonly sequenceExpiresOn?: string;
	readonly issueDate: string;
	/** ISO instant. */
	readonly signedAt: string;
	/** Type 34: the original is more than 30 days older, so ITBIS is no longer reduced. */
	readonly isLateCreditNote: boolean;
	readonly incomeType: string;
	readonly payment: PlannedPayment;
	readonly issuer: PlannedIssuer;
	readonly buyer?: PlannedBuyer;
	readonly lines: readonly PlannedLine[];
	readonly adjustments: readonly PlannedAdjustment[];
	readonly totals: PlannedTotals;
	readonly otherCurrency?: PlannedCurrency;
	readonly reference?: PlannedReference;
	/** Lines are printed with ITBIS in their prices; here they are without. */
	readonly pricesIncludeTax?: true;
	readonly warnings: readonly Warning[];
	readonly faults: readonly Fault[];
};

/** The element that states each member of a request; null if the e-CF has none. A member that is missing here does not compile. */
export const INVOICE_ELEMENTS = {
	type: "TipoeCF",
	encf: "eNCF",
	client_request_id: null,
	company: "Emisor",
	customer: "Comprador",
	lines: "DetallesItems",
	totals: "Totales",
	issue_date: "FechaEmision",
	due_date: "FechaLimitePago",
	currency: "TipoMoneda",
	exchange_rate: "TipoCambio",
	income_type: "TipoIngresos",
	payment: "TipoPago",
	reference: "InformacionReferencia",
	adjustments: "DescuentosORecargos",
	branch: "Sucursal",
	pos: "InformacionAdicionalEmisor",
	seller: "CodigoVendedor",
	order_number: "NumeroOrdenCompra",
	notes: null,
	emails: null,
	metadata: null,
} as const satisfies Record<keyof EcfInvoice, string | null>;

const ENCF_CHARACTERS = 13;
const CREDIT_NOTE_DAYS_MAX = 30;
/** Of operations, where the request names no other. */
const INCOME_TYPE = "01";
type WithTotal = { readonly totals: Pick<EcfInvoice["totals"], "grand_total"> };
const SUMMARY_LIMIT = Decimal.of("250000.00");

/** Maps an invoice to the e-CF's content. Pure. Throws a RangeError only on input that was never validated. */
export function planEcf(input: EcfInput): EcfPlan {
	const { invoice } = input;
	const type = toEcfType(invoice.type);
	const findings = newFindings();
	checkDocument(findings, type, invoice);
	const issueDate = invoice.issue_date ?? toLocalIsoDate(new Date(input.signedAt));
	const drafts = readLines(findings, type, invoice.lines);
	const { lines, adjustments, totals } = planTotals(findings, type, invoice, drafts);
	return {
		type,
		encf: invoice.encf,
		sequenceExpiresOn: needsSequenceExpiry(type) ? input.sequenceExpiresOn : undefined,
		issueDate,
		signedAt: input.signedAt,
		isLateCreditNote: isLateCreditNote(type, invoice, issueDate),
		incomeType: planIncomeType(findings, type, invoice),
		payment: planPayment(findings, type, invoice, issueDate),
		issuer: planIssuer(findings, type, input.issuer, invoice),
		buyer: planBuyer(findings, type, invoice, isBelowSummaryLimit(invoice)),
		lines,
		adjustments,
		totals,
		otherCurrency: planCurrency(findings, invoice, { lines, adjustments, totals }),
		reference: planReference(findings, type, invoice, input.issuer.rnc),
		...(input.pricesIncludeTax ? { pricesIncludeTax: true } : {}),
		warnings: findings.warnings,
		faults: findings.faults,
	};
}

/** True when only a summary of the document is sent: consumer invoices below 250,000.00 pesos. */
export function isSummaryRoad(input: { readonly invoice: Pick<EcfInvoice, "type"> & WithTotal }): boolean {
	return profileOf(toEcfType(input.invoice.type)).isConsumer && isBelowSummaryLimit(input.invoice);
}

/** The same of a document that is planned already. */
export function isSummaryPlan({ type, totals }: EcfPlan): boolean {
	return isSummaryRoad({ invoice: { type, totals: { grand_total: totals.total } } });
}

/** True for the types that print the last day of their number sequence. */
export function needsSequenceExpiry(type: string): boolean {
	return carries(toEcfType(type), "FechaVencimientoSecuencia");
}

/** Compared as MontoTotal will read: the authority knows no third decimal. */
function isBelowSummaryLimit(invoice: WithTotal): boolean {
	return Decimal.of(invoice.totals.grand_total).rounded(2).compare(SUMMARY_LIMIT) < 0;
}

function checkDocument(findings: Findings, type: EcfType, invoice: EcfInvoice): void {
	if (invoice.encf.length !== ENCF_CHARACTERS) {
		warn(findings, "encf-length", "/encf", `An e-NCF has ${ENCF_CHARACTERS} characters; the authority refuses others.`);
	}
	const { linesMax, name } = profileOf(type);
	if (invoice.lines.length > linesMax) {
		fault(findings, "too-many-lines", "/lines", `A ${name} holds ${linesMax} lines at most.`);
	}
}

function isLateCreditNote(type: EcfType, invoice: EcfInvoice, issueDate: string): boolean {
	if (!carries(type, "IndicadorNotaCredito") || !invoice.reference) return false;
	return daysBetween(invoice.reference.issue_date, issueDate) > CREDIT_NOTE_DAYS_MAX;
}

function planIncomeType(findings: Findings, type: EcfType, invoice: EcfInvoice): string {
	const incomeType = invoice.income_type ?? INCOME_TYPE;
	// The one that every other document has without being told says nothing that could be lost.
	if (incomeType !== INCOME_TYPE && !carries(type, INVOICE_ELEMENTS.income_type)) {
		warn(
			findings,
			"not-in-format",
			"/income_type",
			`A ${profileOf(type).name} names no type of income; it is left out.`,
		);
	}
	return incomeType;
}

function planPayment(findings: Findings, type: EcfType, invoice: EcfInvoice, issueDate: string): PlannedPayment {
	const { terms = "cash", forms = [] } = invoice.payment ?? {};
	const dueDate = invoice.due_date;
	if (terms === "credit" && dueDate === undefined) {
		fault(findings, "due-date-required", "/due_date", "A sale on credit names the day by which it is to be paid.");
	}
	if (terms === "credit" && dueDate !== undefined && dueDate < issueDate) {
		fault(findings, "due-date-before-issue", "/due_date", `Lies before the issue date ${issueDate}.`);
	}
	if (terms !== "credit" && dueDate !== undefined) {
		warn(findings, "not-in-format", "/due_date", "Only a sale on credit has a due date; it is left out.");
	}
	const hasForms = carries(type, "TablaFormasPago");
	if (forms.length > 0 && !hasForms) {
		warn(
			findings,
			"not-in-format",
			"/payment/forms",
			`A ${profileOf(type).name} lists no payment forms; they are left out.`,
		);
	}
	return {
		terms: PAYMENT_TERMS[terms] ?? "1",
		dueDate: terms === "credit" ? dueDate : undefined,
		forms: (hasForms ? forms : []).map(({ method, amount }, index) => ({
			method: String(method),
			amount: fitDecimal(findings, amount, "MontoPago", `/payment/forms/${index}/amount`).toFixed(2),
		})),
	};
}

function planReference(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
	issuerRnc: string,
): PlannedReference | undefined {
	const { reference } = invoice;
	const { isNote, isFiscalCredit } = profileOf(type);
	if (!reference) return undefined;
	// 4 replaces a document of a contingency, 5 names a consumer invoice; the rest are what notes are for.
	if (!isNote && reference.code !== 4 && !(reference.code === 5 && isFiscalCredit)) {
		fault(
			findings,
			"reference-not-allowed-for-type",
			"/reference/code",
			`A ${profileOf(type).name} cannot refer to another document with code ${reference.code}.`,
		);
		return undefined;
	}
	const hasReason = carries(type, "RazonModificacion");
	const reason = fitText(findings, reference.reason, "RazonModificacion", "/reference/reason");
	if (reason && !hasReason) {
		const detail = `A ${profileOf(type).name} gives no reason for its reference; it is left out.`;
		warn(findings, "not-in-format", "/reference/reason", detail);
	}
	const otherRnc = readOtherRnc(findings, invoice, issuerRnc);
	return {
		encf: reference.encf,
		issueDate: reference.issue_date,
		code: String(reference.code),
		...(reason && hasReason ? { reason } : {}),
		...(otherRnc ? { otherRnc } : {}),
	};
}

/** Who issued the modified document, where that was another taxpayer than the issuer of this one. */
function readOtherRnc(findings: Findings, invoice: EcfInvoice, issuerRnc: string): string | undefined {
	const named = invoice.reference?.customer_rnc;
	const otherRnc = findOtherIssuer(invoice, issuerRnc);
	if (named && !otherRnc) {
		const whose = named === issuerRnc.replace(/\D/g, "") ? "your own" : "the buyer's";
		const detail = `Names another issuer of the modified document; it is ${whose} RNC and is left out.`;
		warn(findings, "not-in-format", "/reference/customer_rnc", detail);
	}
	return otherRnc;
}

/**
 * Digits of the other taxpayer that issued it; undefined where it is the issuer's own. The member's name suggests the buyer, and the issuer itself may
 * stand there as well: either means a document of the issuer's own, since a merged company is neither.
 */
export function findOtherIssuer(
	{ reference, customer }: Pick<EcfInvoice, "reference" | "customer">,
	issuerRnc: string,
): string | undefined {
	const named = toDigits(reference?.customer_rnc);
	if (!named || named === toDigits(issuerRnc) || named === toDigits(customer?.rnc)) return undefined;
	return named;
}

function toDigits(rnc: string | undefined): string | undefined {
	return rnc?.replace(/\D/g, "");
}
