/** The sums of lines whose rates are given: the base and the ITBIS of each rate, and each adjustment's share in it. */
import { Decimal } from "../../platform/values";
import { ITBIS, TAX_INDICATORS, type TaxIndicator } from "./codes";

export type TaxedLine = {
	/** MontoItem. */
	readonly amount: Decimal;
	/** The amount in the request before rounding; absent if it is the same. */
	readonly exact?: Decimal;
	readonly declared?: TaxIndicator;
	/** Excise that is part of the ITBIS base at 18 %. Source: the format's rule for taxes 006 to 039. */
	readonly excise: Decimal;
};

/** A document-level adjustment; a discount is negative. Without `declared` it affects all rates in proportion. */
type TaxedAdjustment = { readonly amount: Decimal; readonly declared?: TaxIndicator };

export type TaxQuestion = {
	readonly lines: readonly TaxedLine[];
	readonly adjustments: readonly TaxedAdjustment[];
	readonly base: Decimal;
	readonly itbis: Decimal;
};

const CENT = Decimal.of("0.01");

/** Sums of the lines at one rate, as far as their tax depends on them. */
export type Tally = {
	/** Of MontoItem. */
	readonly amount: Decimal;
	/** Of the amounts in the request. Rounding each would overstate the sum: a hundred lines of half a cent are 0.50. */
	readonly exact: Decimal;
	readonly excise: Decimal;
};
export type Tallies = ReadonlyMap<TaxIndicator, Tally>;

export function tallyOf({ amount, exact = amount, excise }: TaxedLine): Tally {
	return { amount, exact, excise };
}

export function addTo(tallies: Map<TaxIndicator, Tally>, indicator: TaxIndicator, added: Tally, count = 1): void {
	const times = count === 1 ? (one: Decimal) => one : (one: Decimal) => one.times(Decimal.of(String(count)));
	const before = tallies.get(indicator);
	if (!before && count === 1) tallies.set(indicator, added);
	else
		tallies.set(indicator, {
			amount: (before?.amount ?? Decimal.zero).plus(times(added.amount)),
			exact: (before?.exact ?? Decimal.zero).plus(times(added.exact)),
			excise: (before?.excise ?? Decimal.zero).plus(times(added.excise)),
		});
}

/** The ITBIS of one line alone, rounded. */
export function lineTaxOf({ exact, excise }: Tally, indicator: TaxIndicator): Decimal {
	if (indicator > 2) return Decimal.zero;
	return (indicator === 1 ? exact.plus(excise) : exact).times(ITBIS[indicator]).rounded(2);
}

/** For each adjustment, its share by indicator. */
export type Shares = readonly (readonly { readonly indicator: TaxIndicator; readonly amount: Decimal }[])[];

/** An attempt with every line marked, before it is adjusted to the totals. */
export type TaxDraft = {
	readonly indicators: readonly TaxIndicator[];
	readonly shares: Shares;
	readonly bases: ReadonlyMap<TaxIndicator, Decimal>;
	readonly taxes: ReadonlyMap<TaxIndicator, Decimal>;
};

/** The draft in which the lines have these indicators; its taxes are rounded by rate. */
export function draftWith(question: TaxQuestion, indicators: readonly TaxIndicator[]): TaxDraft {
	const tallies = new Map<TaxIndicator, Tally>();
	for (const [index, line] of question.lines.entries()) addTo(tallies, indicators[index] ?? 4, tallyOf(line));
	return { ...draftFrom(question, tallies), indicators };
}

export function draftFrom({ adjustments }: TaxQuestion, tallies: Tallies): Omit<TaxDraft, "indicators"> {
	const inUse = TAX_INDICATORS.filter((indicator) => tallies.has(indicator));
	const amountOf = (indicator: TaxIndicator) => tallies.get(indicator)?.amount ?? Decimal.zero;
	const sums = new Map(inUse.map((indicator) => [indicator, amountOf(indicator)]));
	const weights = inUse.map(amountOf);
	const shares = adjustments.map(({ amount, declared }) => {
		if (declared !== undefined) return [{ indicator: declared, amount }];
		const parts = shareOut(amount, weights);
		return inUse.map((indicator, index) => ({ indicator, amount: parts[index] ?? Decimal.zero }));
	});
	const exactOf = (indicator: TaxIndicator) => tallies.get(indicator)?.exact ?? Decimal.zero;
	const bases = new Map(inUse.map((indicator) => [indicator, exactOf(indicator).rounded(2)]));
	for (const { indicator, amount } of shares.flat()) {
		bases.set(indicator, (bases.get(indicator) ?? Decimal.zero).plus(amount));
		sums.set(indicator, (sums.get(indicator) ?? Decimal.zero).plus(amount));
	}
	// A discount of the whole amount is based on rounded lines. What it takes beyond the exact sum is rounding.
	for (const [indicator, base] of bases) {
		if (base.isNegative() && sums.get(indicator)?.isNegative() === false) bases.set(indicator, Decimal.zero);
	}
	const taxes = new Map<TaxIndicator, Decimal>();
	for (const [indicator, base] of bases) {
		const taxed = indicator === 1 ? base.plus(tallies.get(1)?.excise ?? Decimal.zero) : base;
		if (indicator <= 2) taxes.set(indicator, taxed.times(ITBIS[indicator]).rounded(2));
	}
	return { shares, bases, taxes };
}

/** The taxes of each rate when every line and every adjustment is rounded alone. `lines` holds the sums of the lines' taxes. */
export function taxesByLine(lines: ReadonlyMap<TaxIndicator, Decimal>, shares: Shares): Map<TaxIndicator, Decimal> {
	const taxes = new Map(lines);
	for (const { indicator, amount } of shares.flat()) {
		if (indicator > 2) continue;
		taxes.set(indicator, (taxes.get(indicator) ?? Decimal.zero).plus(amount.times(ITBIS[indicator]).rounded(2)));
	}
	return taxes;
}

/**
 * Shares `total` out in proportion to the weights, in cents. The rounding remainder goes to the largest weight, so that the parts add up to `total`.
 * If all weights are zero, the first part gets everything. No part has the opposite sign.
 */
export function shareOut(total: Decimal, weights: readonly Decimal[]): Decimal[] {
	if (total.isNegative()) return shareOut(total.negated(), weights).map((part) => part.negated());
	const positive = weights.map((weight) => (weight.isNegative() ? Decimal.zero : weight));
	const sum = Decimal.sum(positive);
	if (sum.isZero()) return weights.map((_, index) => (index === 0 ? total : Decimal.zero));
	const parts = positive.map((weight) => total.times(weight).dividedBy(sum, 2));
	let largest = 0;
	for (const [index, weight] of positive.entries()) {
		if (weight.compare(positive[largest] ?? Decimal.zero) > 0) largest = index;
	}
	let rest = total.minus(Decimal.sum(parts));
	for (const [index, part] of parts.entries()) {
		// Many parts of a few cents may all have been rounded up, by more than the largest part holds.
		if (!(parts[largest] ?? Decimal.zero).plus(rest).isNegative()) break;
		if (part.times(sum).compare(total.times(positive[index] ?? Decimal.zero)) <= 0) continue;
		parts[index] = part.minus(CENT);
		rest = rest.plus(CENT);
	}
	parts[largest] = (parts[largest] ?? Decimal.zero).plus(rest);
	return parts;
}
