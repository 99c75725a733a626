/** Discounts and surcharges on the whole document, and the amounts that they come to. */
import { msg } from "../../platform/problem";
import { Decimal } from "../../platform/values";
import { type EcfType, toEcfType } from "../types";
import type { TaxIndicator } from "./codes";
import { type Findings, fault, fitDecimal, fitText, newFindings, warn } from "./findings";
import type { EcfAdjustment, EcfInvoice } from "./invoice-request";
import { readIndicator } from "./plan-lines";

/** An adjustment before the lines that it affects are known. */
export type AdjustmentDraft = {
	/** Index in the request. */
	readonly position: number;
	readonly kind: "discount" | "surcharge";
	readonly description?: string;
	readonly percent?: Decimal;
	/** The amount in the request. Without it, the percentage of the affected lines counts. */
	readonly given?: Decimal;
	readonly declared?: TaxIndicator;
};

const PERCENT_LIMIT = Decimal.of("1000");

export function readAdjustments(
	findings: Findings,
	type: EcfType,
	invoice: Pick<EcfInvoice, "adjustments">,
): AdjustmentDraft[] {
	return (invoice.adjustments ?? []).flatMap((adjustment, position) => {
		const draft = readAdjustment(findings, type, adjustment, position);
		return draft ? [draft] : [];
	});
}

function readAdjustment(
	findings: Findings,
	type: EcfType,
	adjustment: EcfAdjustment,
	position: number,
): AdjustmentDraft | undefined {
	const at = `/adjustments/${position}`;
	const declared = readIndicator(findings, type, adjustment.tax_rate, `${at}/tax_rate`);
	const percent = adjustment.percent === undefined ? undefined : readPercent(findings, adjustment.percent, at);
	const given =
		adjustment.amount === undefined
			? undefined
			: fitDecimal(findings, adjustment.amount, "MontoDescuentooRecargo", `${at}/amount`);
	if (adjustment.percent === undefined && !given) {
		fault(findings, "adjustment-empty", at, msg`Send an amount, a percent, or both.`);
	}
	if (!percent && !given) return undefined;
	return {
		position,
		kind: adjustment.kind === "surcharge" ? "surcharge" : "discount",
		description: fitText(findings, adjustment.description.trim(), "DescripcionDescuentooRecargo", `${at}/description`),
		percent,
		given,
		declared,
	};
}

function readPercent(findings: Findings, text: string, at: string): Decimal | undefined {
	const percent = fitDecimal(findings, text, "ValorDescuentooRecargo", `${at}/percent`);
	if (!percent.isZero() && percent.compare(PERCENT_LIMIT) < 0) return percent;
	fault(findings, "rate-out-of-range", `${at}/percent`, msg`Must be above 0 and below 1000, with 2 decimals.`);
	return undefined;
}

/** An adjustment with its amount. A percentage gets one only when the rates of the lines are known. */
export type SizedAdjustment = AdjustmentDraft & {
	/** A discount is negative. No amount is zero. */
	readonly amount: Decimal;
};

/** Sums of the lines by declared rate; lines without a rate are under `undefined`. */
export type RateSums = ReadonlyMap<TaxIndicator | undefined, Decimal>;

type SizePercent = (percent: Decimal, touched: readonly Decimal[]) => Decimal;

const HUNDREDTH = Decimal.of("0.01");
const CENT = Decimal.of("0.01");
/** Half of the last decimal of a percentage, as a factor. */
const PERCENT_ROUNDING = Decimal.of("0.00005");

export function sumByRate(lines: readonly { readonly amount: Decimal; readonly declared?: TaxIndicator }[]): RateSums {
	const sums = new Map<TaxIndicator | undefined, Decimal>();
	for (const { amount, declared } of lines) sums.set(declared, (sums.get(declared) ?? Decimal.zero).plus(amount));
	return sums;
}

/** The same sums, with a rate for the lines that declare none. */
export function withOpenAt(sums: RateSums, indicator: TaxIndicator): RateSums {
	const rated = new Map(sums);
	rated.delete(undefined);
	const open = sums.get(undefined) ?? Decimal.zero;
	return rated.set(indicator, (rated.get(indicator) ?? Decimal.zero).plus(open));
}

/** True if a percentage applies to the lines of one rate and only some lines declare theirs. Its amount then depends on the rate of the others. */
export function dependsOnOpen(drafts: readonly AdjustmentDraft[], sums: RateSums): boolean {
	return sums.size > 1 && sums.has(undefined) && drafts.some(({ given, declared }) => !given && declared !== undefined);
}

/** Gives each adjustment its amount: the request's own, or its percentage. `wanted` is their sum if the subtotal includes them. */
export function sizeAdjustments(
	drafts: readonly AdjustmentDraft[],
	sums: RateSums,
	wanted: Decimal,
): SizedAdjustment[] {
	const atOnce = sizeEach(drafts, sums, percentOfAll);
	const rateByRate = sizeEach(drafts, sums, percentOfEach);
	const isMeant = comesTo(rateByRate, wanted) && missing(rateByRate, wanted).compare(missing(atOnce, wanted)) < 0;
	return isMeant ? rateByRate : atOnce;
}

/** True if they add up to the sum within the cent that a subtotal may be off. */
export function comesTo(sized: readonly SizedAdjustment[], wanted: Decimal): boolean {
	return missing(sized, wanted).compare(CENT) <= 0;
}

const missing = (sized: readonly SizedAdjustment[], wanted: Decimal) => sumOf(sized).minus(wanted).abs();

/** What they add to the lines; negative if discounts prevail. */
export function sumOf(sized: readonly SizedAdjustment[]): Decimal {
	return Decimal.sum(sized.map(({ amount }) => amount));
}

/** The sums that they can come to, with either way of rounding. */
export function listSums(drafts: readonly AdjustmentDraft[], sums: RateSums): Decimal[] {
	return [percentOfAll, percentOfEach].map((sizePercent) => sumOf(sizeEach(drafts, sums, sizePercent)));
}

/**
 * Warns of percentages that differ from the totals by more than their two decimals explain. If an amount is given, it counts: the percentage may
 * refer to what other adjustments have left.
 */
export function checkPercentages(
	findings: Findings,
	drafts: readonly AdjustmentDraft[],
	sized: readonly SizedAdjustment[],
	sums: RateSums,
): void {
	for (const draft of drafts) {
		const { percent, position, given } = draft;
		if (!percent || given) continue;
		const touched = touchedBy(draft, sums);
		const base = Decimal.sum(touched);
		const expected = percentOfAll(percent, touched);
		const amount = sized.find((one) => one.position === position)?.amount.abs() ?? Decimal.zero;
		const tolerance = base.times(PERCENT_ROUNDING).plus(CENT.times(Decimal.of(String(touched.length))));
		if (amount.minus(expected).abs().compare(tolerance) <= 0) continue;
		const detail = msg`${percent.toFixed(2)} % of the lines, ${base.toFixed(2)}, is ${expected.toFixed(2)}, but the totals include ${amount.toFixed(2)}.`;
		warn(findings, "adjustment-percent", `/adjustments/${position}/percent`, detail);
	}
}

function sizeEach(drafts: readonly AdjustmentDraft[], sums: RateSums, sizePercent: SizePercent): SizedAdjustment[] {
	return drafts.flatMap((draft) => {
		const { given, percent, kind } = draft;
		const size = given ?? (percent ? sizePercent(percent, touchedBy(draft, sums)) : Decimal.zero);
		if (size.isZero()) return [];
		return [{ ...draft, amount: kind === "discount" ? size.negated() : size }];
	});
}

/** The sum of the lines of its rate; of all lines if it has no rate or a rate that no line has. */
function touchedBy({ declared }: AdjustmentDraft, sums: RateSums): readonly Decimal[] {
	const named = declared === undefined ? undefined : sums.get(declared);
	return named ? [named] : [...sums.values()];
}

const percentOfAll: SizePercent = (percent, touched) => Decimal.sum(touched).times(percent).times(HUNDREDTH).rounded(2);

const percentOfEach: SizePercent = (percent, touched) =>
	Decimal.sum(touched.map((sum) => percentOfAll(percent, [sum])));

/** Rates that lines without a declared rate can turn out to have. */
export const OPEN_RATES: readonly TaxIndicator[] = [1, 2, 4];

/**
 * The possible sums of the lines less discounts plus surcharges, the most literal reading of the request first. There are several if a percentage
 * depends on the undeclared rates of lines, or on where it is rounded; the mapping accepts each of them. Empty without adjustments.
 */
export function listAdjustedSums(invoice: Pick<EcfInvoice, "type" | "lines" | "adjustments">): Decimal[] {
	if (invoice.adjustments === undefined || invoice.adjustments.length === 0) return [];
	const type = toEcfType(invoice.type);
	// Planning the document reports what the format cannot hold.
	const unreported = newFindings();
	const drafts = readAdjustments(unreported, type, { adjustments: invoice.adjustments });
	const sums = sumByRate(
		invoice.lines.map((line) => ({
			amount: fitDecimal(unreported, line.subtotal, "MontoItem", ""),
			declared: readIndicator(unreported, type, line.tax_rate, ""),
		})),
	);
	const ratings = dependsOnOpen(drafts, sums) ? [sums, ...OPEN_RATES.map((rate) => withOpenAt(sums, rate))] : [sums];
	const bare = Decimal.sum(invoice.lines.map((line) => Decimal.of(line.subtotal)));
	return ratings.flatMap((rated) => listSums(drafts, rated)).map((adjusted) => bare.plus(adjusted));
}
