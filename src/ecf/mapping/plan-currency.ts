/** The currency shown beside the pesos: its code, its rate, and a check that every amount can be printed in it. */
import { Decimal } from "../../platform/values";
import { toFormatCurrency } from "./codes";
import { type Findings, fault, fitDecimal, isPrintable, warn } from "./findings";
import type { EcfInvoice } from "./invoice-request";
import type { PlannedNonBillableLine } from "./plan-balance";
import type { PlannedLine } from "./plan-lines";
import type { PlannedAdjustment, PlannedTotals } from "./plan-totals";

/** The currency shown beside the pesos. */
export type PlannedCurrency = { readonly code: string; readonly rate: string };

/** Amounts that are printed in pesos and, divided by the rate, in the other currency. */
type PesoAmounts = {
	readonly lines: readonly PlannedLine[];
	readonly nonBillableLines: readonly PlannedNonBillableLine[];
	readonly adjustments: readonly PlannedAdjustment[];
	readonly totals: PlannedTotals;
};

const RATE_LIMIT = Decimal.of("1000");
const ONE = Decimal.of("1");

export function planCurrency(
	findings: Findings,
	invoice: EcfInvoice,
	amounts: PesoAmounts,
): PlannedCurrency | undefined {
	if (invoice.currency === undefined || invoice.currency === "DOP") {
		// A rate of 1 loses nothing.
		if (invoice.exchange_rate !== undefined && Decimal.of(invoice.exchange_rate).compare(ONE) !== 0) {
			warn(findings, "not-in-format", "/exchange_rate", "Pesos need no exchange rate, so it is left out.");
		}
		return undefined;
	}
	const code = toFormatCurrency(invoice.currency);
	if (!code) {
		fault(findings, "currency-not-supported", "/currency", "The authority's currency table does not have it.");
		return undefined;
	}
	if (invoice.exchange_rate === undefined) {
		fault(findings, "exchange-rate-required", "/exchange_rate", `Send the pesos for one ${invoice.currency}.`);
		return undefined;
	}
	const rate = fitDecimal(findings, invoice.exchange_rate, "TipoCambio", "/exchange_rate");
	if (rate.isZero() || rate.compare(RATE_LIMIT) >= 0) {
		fault(findings, "exchange-rate-out-of-range", "/exchange_rate", "Must be above 0 and below 1000, with 4 decimals.");
		return undefined;
	}
	checkAmounts(findings, invoice, amounts, rate);
	return { code, rate: rate.toFixed(4) };
}

/** Bases and taxes are parts of the total, so they fit if it does. */
function checkAmounts(findings: Findings, invoice: EcfInvoice, amounts: PesoAmounts, rate: Decimal): void {
	// Amounts that fit in pesos also fit in a currency that is worth at least one peso.
	if (rate.compare(ONE) >= 0) return;
	const check = (pesos: string | undefined, decimals: number, pointer: string) => {
		if (pesos === undefined || isPrintable(Decimal.of(pesos).dividedBy(rate, decimals))) return;
		const detail = `Has more than 16 integer digits in ${invoice.currency}.`;
		fault(findings, "amount-too-large", pointer, detail);
	};
	for (const [index, { unitPrice, discount, surcharge, amount }] of amounts.lines.entries()) {
		const at = `/lines/${index}`;
		check(unitPrice, 4, `${at}/unit_price`);
		check(discount, 2, `${at}/discount`);
		check(surcharge, 2, `${at}/surcharge`);
		check(amount, 2, `${at}/subtotal`);
	}
	for (const [index, { unitPrice, amount }] of amounts.nonBillableLines.entries()) {
		check(unitPrice, 4, `/non_billable_lines/${index}/unit_price`);
		check(amount, 2, `/non_billable_lines/${index}/amount`);
	}
	for (const { amount, position } of amounts.adjustments) {
		const member = invoice.adjustments?.[position]?.amount === undefined ? "percent" : "amount";
		check(amount, 2, `/adjustments/${position}/${member}`);
	}
	check(amounts.totals.total, 2, "/totals/grand_total");
}
