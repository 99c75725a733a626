/** Discounts and surcharges on the whole document, as the request has them. What they come to is told in `size-adjustments.ts`. */
import { Decimal } from "../../platform/values";
import { type EcfType, toEcfType } from "../types";
import type { TaxIndicator } from "./codes";
import { type Findings, fault, fitDecimal, fitText, newFindings, warn } from "./findings";
import type { EcfAdjustment, EcfInvoice } from "./invoice-request";
import { readIndicator } from "./plan-lines";

/** An adjustment before it is known which lines it touches. */
export type AdjustmentDraft = {
	/** Place in the request. */
	readonly position: number;
	readonly kind: "discount" | "surcharge";
	readonly description?: string;
	readonly percent?: Decimal;
	/** As the request gives it; absent: the percentage of the lines that it touches. */
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
		fault(findings, "adjustment-empty", at, "Send an amount, a percent, or both.");
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
	fault(findings, "rate-out-of-range", `${at}/percent`, "Must be above 0 and below 1000, with 2 decimals.");
	return undefined;
}

/** An adjustment with its amount, which a percentage has only among lines of known rates. */
export type SizedAdjustment = AdjustmentDraft & {
	/** A discount is negative; none is zero. */
	readonly amount: Decimal;
};

/** The lines' sums by the rates that they name; those that name none stand under `undefined`. */
export type RateSums = ReadonlyMap<TaxIndicator | undefined, Decimal>;

type SizePercent = (percent: Decimal, touched: readonly Decimal[]) => Decimal;

const HUNDREDTH = Decimal.of("0.01");
const CENT = Decimal.of("0.01");
/** Half of the last place that a percentage is written with, as a factor. */
const PERCENT_ROUNDING = Decimal.of("0.00005");

/** Adds the lines up by rate. */
export function sumByRate(lines: readonly { readonly amount: Decimal; readonly declared?: TaxIndicator }[]): RateSums {
	const sums = new Map<TaxIndicator | undefined, Decimal>();
	for (const { amount, declared } of lines) sums.set(declared, (sums.get(declared) ?? Decimal.zero).plus(amount));
	return sums;
}

/** The same with a rate for the lines that name none. */
export function withOpenAt(sums: RateSums, indicator: TaxIndicator): RateSums {
	const rated = new Map(sums);
	rated.delete(undefined);
	const open = sums.get(undefined) ?? Decimal.zero;
	return rated.set(indicator, (rated.get(indicator) ?? Decimal.zero).plus(open));
}

/** True where a percentage is of the lines of one rate, and only some lines name theirs: its amount then follows from the rate of the others. */
export function dependsOnOpen(drafts: readonly AdjustmentDraft[], sums: RateSums): boolean {
	return sums.size > 1 && sums.has(undefined) && drafts.some(({ given, declared }) => !given && declared !== undefined);
}

/** Gives each its amount: the request's own, else its percentage. `wanted` is their sum where the subtotal counts them. */
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

/** True where they add up to the sum, to the cent that a subtotal may be off. */
export function comesTo(sized: readonly SizedAdjustment[], wanted: Decimal): boolean {
	return missing(sized, wanted).compare(CENT) <= 0;
}

const missing = (sized: readonly SizedAdjustment[], wanted: Decimal) => sumOf(sized).minus(wanted).abs();

/** What they add to the lines; less than nothing where discounts are more. */
export function sumOf(sized: readonly SizedAdjustment[]): Decimal {
	return Decimal.sum(sized.map(({ amount }) => amount));
}

/** The sums that they can come to, by either rounding. */
export function listSums(drafts: readonly AdjustmentDraft[], sums: RateSums): Decimal[] {
	return [percentOfAll, percentOfEach].map((sizePercent) => sumOf(sizeEach(drafts, sums, sizePercent)));
}

/**
 * Warns of percentages that do not give what the totals hold, further than their two decimals explain. Where an amount is given it counts: its
 * percentage may be one of what other adjustments have left.
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
		const detail = `${percent.toFixed(2)} % of the lines, ${base.toFixed(2)}, is ${expected.toFixed(2)}; the totals hold ${amount.toFixed(2)}.`;
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

/** The sum of the lines of its rate; those of all rates where it names none, or one that no line has. */
function touchedBy({ declared }: AdjustmentDraft, sums: RateSums): readonly Decimal[] {
	const named = declared === undefined ? undefined : sums.get(declared);
	return named ? [named] : [...sums.values()];
}

const percentOfAll: SizePercent = (percent, touched) => Decimal.sum(touched).times(percent).times(HUNDREDTH).rounded(2);

const percentOfEach: SizePercent = (percent, touched) =>
	Decimal.sum(touched.map((sum) => percentOfAll(percent, [sum])));

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
