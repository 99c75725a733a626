/**
 * Maps the canonical invoice to the e-CF: a pure function that reports every loss and every guess.
 *
 *   EcfInput ─► lines ─► tax ─► totals ─► EcfPlan ─► content ─► writeXml ─► canonical XML
 *
 * Invariants of every plan without faults:
 *
 *  1. MontoTotal is `totals.grand_total`, rounded half up to 2 decimals.
 *  2. TotalITBIS + MontoImpuestoAdicional is `totals.tax`, rounded: additional taxes are part of `totals.tax`. If `tax`
 *     includes adjustments (see below), it is `tax` less the adjustments.
 *  3. MontoGravadoTotal + MontoExento + TotalITBIS + MontoImpuestoAdicional = MontoTotal, to the cent.
 *  4. A base is the sum of its lines in the request, less discounts plus surcharges, rounded. It differs from the sum of
 *     its MontoItem by their rounding. The largest base absorbs the cent that `totals.subtotal` may be off and the
 *     rounding of the sums; what it cannot absorb goes to the next one.
 *  5. MontoItem is the line's `subtotal`, rounded. Each request line is one Item, in the request's order, numbered from 1.
 *  6. TotalITBISk is the rate times the base to within 0.01 a line, unless there is a warning `tax-rounding` (1.00 a line) or
 *     `tax-not-derivable`; see `src/ecf/mapping/derive-tax.ts`.
 *  7. No text is longer than its element, no element is empty, no amount has more digits than the format allows.
 *
 * A warning means that the document is valid, but something was lost, guessed or looks wrong. A fault means that no valid document can state this.
 * Strict callers turn warnings into faults. Three documents are written although the authority's schema rejects them: one whose number does not have 13
 * characters (`encf-length`), a note without a reference, and a consumer invoice of more than 1,000 lines (`lines-beyond-schema`), which is not sent. `src/authority/rules` checks what the authority checks beyond its schema.
 *
 * Decisions:
 *  - Amounts are pesos. `Gap:` `currency` and `exchange_rate` name the currency shown beside them, as in the format: every
 *    foreign amount is the peso amount divided by the rate. So totals, the 250,000.00 limit and the printed code agree.
 *    With `amounts_in` "document" the request's amounts are foreign: invariants 1 to 5 hold in that currency, and the pesos
 *    are computed from them (`src/ecf/mapping/plan-currency.ts`).
 *  - With gross prices an Item states prices and MontoItem with ITBIS. Its base is MontoItem divided by 1 plus the rate;
 *    discounts and surcharges of the document stay without ITBIS.
 *  - Adjustments change the tax base. `Gap:` the totals themselves show whether they include the adjustments. The order is:
 *    in `subtotal` (lines less discounts plus surcharges), as documented; in `tax`, as the difference between the total and
 *    the sum of the lines, if ITBIS is right then; nowhere. In the last case they are left out with the warning
 *    `adjustments-not-in-totals`, because invariant 1 comes first. The API uses `listAdjustedSums` for the first case.
 *  - An adjustment without `tax_rate` affects all rates in use, in proportion, and becomes an entry for each.
 *  - A percentage without an amount applies to the lines of its rate, including lines with a derived rate. If the totals
 *    include only that of the lines that declare the rate, the totals win, with the warning `adjustment-percent`.
 *  - `order_number` is NumeroOrdenCompra, `seller` CodigoVendedor, `branch` Sucursal. InformacionAdicionalEmisor holds
 *    `pos`, and what has no element in the type.
 *
 * Source: the authority's e-CF format, October 2025.
 */
import { type Fault, msg } from "../../platform/problem";
import { Decimal, daysBetween, toLocalIsoDate } from "../../platform/values";
import { carries } from "../format";
import { type EcfType, profileOf, toEcfType } from "../types";
import { PAYMENT_TERMS } from "./codes";
import { type Findings, fault, fitDecimal, fitText, newFindings, type Warning, warn } from "./findings";
import type { EcfInput, EcfInvoice } from "./invoice-request";
import { type PlannedBalance, type PlannedNonBillableLine, planBalance, readNonBillableLines } from "./plan-balance";
import { type PlannedCurrency, planCurrency, toPaidPesos } from "./plan-currency";
import { readLines } from "./plan-lines";
import { type PlannedParticulars, planParticulars } from "./plan-particulars";
import { type PlannedBuyer, type PlannedIssuer, planBuyer, planIssuer } from "./plan-parties";
import { type PlannedAmounts, planTotals } from "./plan-totals";

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
	/** Only if another taxpayer, since dissolved or merged, issued the modified document. */
	readonly otherRnc?: string;
};

/** An e-CF before it is written: amounts in pesos, dates as `YYYY-MM-DD`. Plain data. */
export type EcfPlan = PlannedAmounts & {
	readonly type: EcfType;
	readonly encf: string;
	/** Absent if the type has none or the input has none. */
	readonly sequenceExpiresOn?: string;
	readonly issueDate: string;
	/** ISO instant. */
	readonly signedAt: string;
	/** Credit notes: the original is more than 30 days older, so ITBIS is no longer reduced. */
	readonly isLateCreditNote: boolean;
	readonly incomeType: string;
	readonly payment: PlannedPayment;
	readonly issuer: PlannedIssuer;
	readonly buyer?: PlannedBuyer;
	/** Statements that go into one element each. */
	readonly particulars: PlannedParticulars;
	/** Follow the lines; outside the totals. */
	readonly nonBillableLines: readonly PlannedNonBillableLine[];
	readonly balance: PlannedBalance;
	readonly otherCurrency?: PlannedCurrency;
	readonly reference?: PlannedReference;
	/** Its tax 001 is a tip of the whole document. */
	readonly hasLegalTip?: true;
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
	amounts_in: "OtraMoneda",
	legal_tip: "TablaImpuestoAdicional",
	income_type: "TipoIngresos",
	payment: "TipoPago",
	reference: "InformacionReferencia",
	adjustments: "DescuentosORecargos",
	branch: "Sucursal",
	pos: "InformacionAdicionalEmisor",
	seller: "CodigoVendedor",
	order_number: "NumeroOrdenCompra",
	order_date: "FechaOrdenCompra",
	internal_number: "NumeroFacturaInterna",
	sales_zone: "ZonaVenta",
	sales_route: "RutaVenta",
	delivery: "FechaEntrega",
	period: "FechaDesde",
	all_inclusive: "IndicadorServicioTodoIncluido",
	deferred: "IndicadorEnvioDiferido",
	non_billable_lines: "MontoNoFacturable",
	advance: "MontoAvancePago",
	prior_balance: "SaldoAnterior",
	notes: null,
	emails: null,
	metadata: null,
} as const satisfies Record<keyof EcfInvoice, string | null>;

const ENCF_CHARACTERS = 13;
const CREDIT_NOTE_DAYS_MAX = 30;
/** TipoIngresos if the request has none: income from operations. */
const INCOME_TYPE = "01";
const SUMMARY_LIMIT = Decimal.of("250000.00");

/** Maps an invoice to the e-CF's content. Pure. Throws a RangeError only for input that was not validated. */
export function planEcf(input: EcfInput): EcfPlan {
	const { invoice } = input;
	const type = toEcfType(invoice.type);
	const findings = newFindings();
	checkDocument(findings, type, invoice);
	const issueDate = invoice.issue_date ?? toLocalIsoDate(new Date(input.signedAt));
	const drafts = readLines(findings, type, invoice);
	const planned = planTotals(findings, type, invoice, drafts);
	const nonBillableLines = readNonBillableLines(findings, type, invoice);
	const { pesos, otherCurrency } = planCurrency(findings, invoice, { ...planned, nonBillableLines });
	const toPesos = (paid: readonly Decimal[]) => toPaidPesos(paid, pesos, otherCurrency);
	return {
		type,
		encf: invoice.encf,
		sequenceExpiresOn: needsSequenceExpiry(type) ? input.sequenceExpiresOn : undefined,
		issueDate,
		signedAt: input.signedAt,
		isLateCreditNote: isLateCreditNote(type, invoice, issueDate),
		incomeType: planIncomeType(findings, type, invoice),
		payment: planPayment(findings, type, invoice, issueDate, toPesos),
		issuer: planIssuer(findings, type, input.issuer, invoice),
		buyer: planBuyer(findings, type, invoice, isBelowSummaryLimit(pesos)),
		particulars: planParticulars(findings, type, invoice),
		...pesos,
		balance: planBalance(findings, invoice, pesos, toPesos),
		otherCurrency,
		reference: planReference(findings, type, invoice, input.issuer.rnc),
		...(invoice.legal_tip === undefined ? {} : { hasLegalTip: true }),
		warnings: findings.warnings,
		faults: findings.faults,
	};
}

/** The most lines that the document may have. Gap: where the request's amounts are not pesos, by its total at the rate. */
export function linesMaxOf(
	invoice: Pick<EcfInvoice, "type" | "amounts_in" | "exchange_rate"> & {
		readonly totals: Pick<EcfInvoice["totals"], "grand_total">;
	},
): number {
	const { isConsumer, linesMax, keptLinesMax = linesMax } = profileOf(toEcfType(invoice.type));
	const rate = invoice.amounts_in === "document" ? invoice.exchange_rate : undefined;
	const total = Decimal.of(invoice.totals.grand_total)
		.times(Decimal.of(rate ?? "1"))
		.toFixed(2);
	return isConsumer && isBelowSummaryLimit({ totals: { total } }) ? keptLinesMax : linesMax;
}

/** True if the authority gets only a summary: consumer invoices below 250,000.00 pesos. */
export function isSummaryPlan(plan: Pick<EcfPlan, "type" | "totals">): boolean {
	return profileOf(plan.type).isConsumer && isBelowSummaryLimit(plan);
}

/** True for types that print the last day of their number sequence. */
export function needsSequenceExpiry(type: string): boolean {
	return carries(toEcfType(type), "FechaVencimientoSecuencia");
}

function isBelowSummaryLimit({ totals }: { readonly totals: { readonly total: string } }): boolean {
	return Decimal.of(totals.total).compare(SUMMARY_LIMIT) < 0;
}

function checkDocument(findings: Findings, type: EcfType, invoice: EcfInvoice): void {
	if (invoice.encf.length !== ENCF_CHARACTERS) {
		warn(
			findings,
			"encf-length",
			"/encf",
			msg`An e-NCF has ${ENCF_CHARACTERS} characters; the authority rejects any other length.`,
		);
	}
	const { name } = profileOf(type);
	const most = linesMaxOf(invoice);
	const count = invoice.lines.length + (invoice.non_billable_lines?.length ?? 0);
	if (count > most) {
		fault(findings, "too-many-lines", "/lines", msg`A ${name} has at most ${most} lines.`);
	} else if (count > profileOf(type).linesMax) {
		const limit = String(profileOf(type).linesMax);
		findings.warnings.push({
			code: "lines-beyond-schema",
			pointer: "/lines",
			detail: `The authority's schema allows ${limit} lines. Its format allows more below 250,000.00, where only the summary is sent and the document is kept.`,
			detailEs: `El esquema de la autoridad permite ${limit} líneas. Su formato permite más por debajo de 250,000.00, donde solo se envía el resumen y el documento se conserva.`,
		});
	}
}

/** Whether a credit note of this day comes too late to give ITBIS back. */
export function isLateCreditNote(type: EcfType, invoice: Pick<EcfInvoice, "reference">, issueDate: string): boolean {
	if (!carries(type, "IndicadorNotaCredito") || !invoice.reference) return false;
	return daysBetween(invoice.reference.issue_date, issueDate) > CREDIT_NOTE_DAYS_MAX;
}

function planIncomeType(findings: Findings, type: EcfType, invoice: EcfInvoice): string {
	const incomeType = invoice.income_type ?? INCOME_TYPE;
	// Leaving out the default loses nothing.
	if (incomeType !== INCOME_TYPE && !carries(type, INVOICE_ELEMENTS.income_type)) {
		warn(
			findings,
			"not-in-format",
			"/income_type",
			msg`A ${profileOf(type).name} has no type of income, so it is left out.`,
		);
	}
	return incomeType;
}

function planPayment(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
	issueDate: string,
	toPesos: (paid: readonly Decimal[]) => readonly Decimal[],
): PlannedPayment {
	const { terms = "cash", forms = [] } = invoice.payment ?? {};
	const dueDate = invoice.due_date;
	if (terms === "credit" && dueDate === undefined) {
		fault(
			findings,
			"due-date-required",
			"/due_date",
			msg`Send the day on which payment is due; a sale on credit requires it.`,
		);
	}
	if (terms === "credit" && dueDate !== undefined && dueDate < issueDate) {
		fault(findings, "due-date-before-issue", "/due_date", msg`Is before the issue date ${issueDate}.`);
	}
	if (terms !== "credit" && dueDate !== undefined) {
		warn(findings, "not-in-format", "/due_date", msg`Only a sale on credit has a due date, so it is left out.`);
	}
	const hasForms = carries(type, "TablaFormasPago");
	if (forms.length > 0 && !hasForms) {
		warn(
			findings,
			"not-in-format",
			"/payment/forms",
			msg`A ${profileOf(type).name} has no payment forms, so they are left out.`,
		);
	}
	const shown = hasForms ? forms : [];
	const paid = toPesos(
		shown.map(({ amount }, index) => fitDecimal(findings, amount, "MontoPago", `/payment/forms/${index}/amount`)),
	);
	return {
		terms: PAYMENT_TERMS[terms] ?? "1",
		dueDate: terms === "credit" ? dueDate : undefined,
		forms: shown.map(({ method }, index) => ({
			method: String(method),
			amount: (paid[index] ?? Decimal.zero).toFixed(2),
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
	// Code 4 replaces a contingency document, 5 a consumer invoice; only notes have the other codes.
	if (!isNote && reference.code !== 4 && !(reference.code === 5 && isFiscalCredit)) {
		fault(
			findings,
			"reference-not-allowed-for-type",
			"/reference/code",
			msg`A ${profileOf(type).name} cannot refer to another document with code ${reference.code}.`,
		);
		return undefined;
	}
	const hasReason = carries(type, "RazonModificacion");
	const reason = fitText(findings, reference.reason, "RazonModificacion", "/reference/reason");
	if (reason && !hasReason) {
		const detail = msg`A ${profileOf(type).name} states no reason for its reference, so it is left out.`;
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

/** The RNC of the other taxpayer that issued the modified document. */
function readOtherRnc(findings: Findings, invoice: EcfInvoice, issuerRnc: string): string | undefined {
	const named = invoice.reference?.customer_rnc;
	const otherRnc = findOtherIssuer(invoice, issuerRnc);
	if (named && !otherRnc) {
		const whose = named === issuerRnc.replace(/\D/g, "") ? msg`your own` : msg`the buyer's`;
		const detail = msg`Identifies another issuer of the modified document, but this is ${whose} RNC, so it is left out.`;
		warn(findings, "not-in-format", "/reference/customer_rnc", detail);
	}
	return otherRnc;
}

/**
 * Digits of the other taxpayer that issued the modified document; undefined if the issuer did. The name of `customer_rnc` suggests the buyer, and
 * some callers send their own RNC. Both mean a document of the issuer's own, because a merged company is neither.
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
