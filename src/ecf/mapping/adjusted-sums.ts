/** What a subtotal may be that counts the document's adjustments: the one thing that must be known of them before the totals are believed. */
import { Decimal } from "../../platform/values";
import type { TaxIndicator } from "./ecf-codes";
import type { EcfInvoice } from "./ecf-input";
import { toEcfType } from "./ecf-type";
import { newFindings } from "./findings";
import { fitDecimal } from "./fit";
import { readAdjustments } from "./plan-adjustments";
import { readIndicator } from "./plan-lines";
import { dependsOnOpen, listSums, sumByRate, withOpenAt } from "./size-adjustments";

/** What lines that name no rate can turn out to have. */
export const OPEN_RATES: readonly TaxIndicator[] = [1, 2, 4];

/**
 * The sums of the lines less discounts plus surcharges, the one that the request says most plainly first. There are several where a percentage depends on
 * how lines are taxed that do not say so, and on where it is rounded; each is one that the mapping follows. Empty without adjustments.
 */
export function listAdjustedSums(invoice: Pick<EcfInvoice, "type" | "lines" | "adjustments">): Decimal[] {
	if (invoice.adjustments === undefined || invoice.adjustments.length === 0) return [];
	const type = toEcfType(invoice.type);
	// What the format cannot hold is told when the document is planned.
	const unheard = newFindings();
	const drafts = readAdjustments(unheard, type, { adjustments: invoice.adjustments });
	const sums = sumByRate(
		invoice.lines.map((line) => ({
			amount: fitDecimal(unheard, line.subtotal, "MontoItem", ""),
			declared: readIndicator(unheard, type, line.tax_rate, ""),
		})),
	);
	const ratings = dependsOnOpen(drafts, sums) ? [sums, ...OPEN_RATES.map((rate) => withOpenAt(sums, rate))] : [sums];
	const bare = Decimal.sum(invoice.lines.map((line) => Decimal.of(line.subtotal)));
	return ratings.flatMap((rated) => listSums(drafts, rated)).map((adjusted) => bare.plus(adjusted));
}
