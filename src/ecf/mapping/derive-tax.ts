/**
 * Finds out how the lines are taxed, and the base and ITBIS of each rate, so that they add up to the request's totals.
 *
 * Input: the lines' amounts with the declared indicators, the document's adjustments, and two sums to match exactly: `base` (everything before tax)
 * and `itbis`. Three outcomes are tried in this order:
 *
 *   explained     One rate for all lines without an indicator gives `itbis`, to within 0.01 a line: 18 %, 16 % or exempt,
 *                 whichever is nearest (18 % first). ITBIS 0 is read as exempt before anything else.
 *   implied       There is no such rate: the taxable base is what `itbis` implies at 18 %, the rest is exempt. Of the lines
 *                 without an indicator, those whose sum comes nearest to that base are marked 18 %, at least one of them.
 *                 The totals state the implied base, not the sum of the marked lines.
 *   contradicted  All lines declare an indicator and `itbis` does not follow: the indicators stay, and the request's tax is
 *                 shared out in proportion to the tax that they would give. If no line bears tax, none could carry it, and
 *                 the outcome is "implied", as if no line had declared anything.
 *
 * In all three, the bases add up to `base` and the taxes to `itbis`, to the cent. The rounding remainder goes to the largest, and what that cannot
 * absorb to the next. The last two outcomes are reported as not explained.
 */
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

type TaxQuestion = {
	readonly lines: readonly TaxedLine[];
	readonly adjustments: readonly TaxedAdjustment[];
	readonly base: Decimal;
	readonly itbis: Decimal;
};

type TaxGroup = { readonly indicator: TaxIndicator; readonly base: Decimal; readonly itbis: Decimal };

export type TaxAnswer = {
	/** One for each line. */
	readonly indicators: readonly TaxIndicator[];
	/** For each adjustment, its share by indicator. */
	readonly shares: readonly (readonly { readonly indicator: TaxIndicator; readonly amount: Decimal }[])[];
	/** The indicators in use, ascending. */
	readonly groups: readonly TaxGroup[];
	readonly isExplained: boolean;
};

const CENT = Decimal.of("0.01");

export function deriveTax(question: TaxQuestion): TaxAnswer {
	const explained = explain(question);
	if (explained) return explained;
	const carriesTax = question.lines.some((line) => line.declared === undefined || line.declared <= 2);
	return imply(carriesTax ? question : { ...question, lines: question.lines.map(withoutIndicator) });
}

const withoutIndicator = ({ declared: _, ...line }: TaxedLine): TaxedLine => line;

/** An attempt with every line marked, before it is adjusted to the totals. */
type Draft = {
	readonly indicators: readonly TaxIndicator[];
	readonly shares: TaxAnswer["shares"];
	readonly bases: ReadonlyMap<TaxIndicator, Decimal>;
	readonly taxes: ReadonlyMap<TaxIndicator, Decimal>;
};

function explain(question: TaxQuestion): TaxAnswer | undefined {
	const tolerance = CENT.times(Decimal.of(String(question.lines.length)));
	const isOpen = question.lines.some((line) => line.declared === undefined);
	const candidates: readonly TaxIndicator[] = !isOpen ? [4] : question.itbis.isZero() ? [4, 1, 2] : [1, 2, 4];
	let best: { draft: Draft; distance: Decimal } | undefined;
	for (const candidate of candidates) {
		const draft = draftWith(
			question,
			question.lines.map((line) => line.declared ?? candidate),
		);
		const distance = Decimal.sum(draft.taxes.values()).minus(question.itbis).abs();
		if (distance.compare(tolerance) > 0 || (draft.taxes.size === 0 && !question.itbis.isZero())) continue;
		if (!best || distance.compare(best.distance) < 0) best = { draft, distance };
		// Zero distance cannot be improved. With a tax of zero the first match counts: a base of a few cents would also match 18 %.
		if (distance.isZero() || question.itbis.isZero()) break;
	}
	return best && settle(question, best.draft, true);
}

function imply(question: TaxQuestion): TaxAnswer {
	const open = question.lines.filter((line) => line.declared === undefined);
	const declaredOnly = draftWith(
		question,
		question.lines.map((line) => line.declared ?? 4),
	);
	const left = question.itbis.minus(Decimal.sum(declaredOnly.taxes.values()));
	if (open.length === 0 || left.isNegative() || left.isZero()) return settle(question, declaredOnly, false);

	const marks = markNearest(
		open.map((line) => line.amount),
		left.dividedBy(ITBIS[1], 2),
	);
	const isMarked = new Map(open.map((line, index) => [line, marks[index] ?? false]));
	const indicators = question.lines.map((line): TaxIndicator => line.declared ?? (isMarked.get(line) ? 1 : 4));
	const draft = draftWith(question, indicators);

	// The pool that is either 18 % or exempt is divided again: the base that the tax implies (without lines declared exempt), and the rest.
	const bases = new Map(draft.bases);
	const pool = (bases.get(1) ?? Decimal.zero).plus(bases.get(4) ?? Decimal.zero);
	const named = Decimal.sum(question.lines.filter((line) => line.declared === 4).map(exactOf)).rounded(2);
	const most = pool.compare(named) > 0 ? pool.minus(named) : Decimal.zero;
	const implied = question.itbis.minus(draft.taxes.get(2) ?? Decimal.zero).dividedBy(ITBIS[1], 2);
	const taxable = implied.compare(most) > 0 ? most : implied;
	const exempt = pool.minus(taxable);
	bases.set(1, taxable);
	if (bases.has(4) || !exempt.isZero()) bases.set(4, exempt);
	const taxes = new Map(draft.taxes);
	taxes.set(1, question.itbis.minus(taxes.get(2) ?? Decimal.zero));
	return settle(question, { ...draft, bases, taxes }, false);
}

const exactOf = ({ exact, amount }: TaxedLine): Decimal => exact ?? amount;

function draftWith(question: TaxQuestion, indicators: readonly TaxIndicator[]): Draft {
	const sums = new Map<TaxIndicator, Decimal>();
	// Rounding each line would overstate the sum: a hundred lines of half a cent are 0.50.
	const exacts = new Map<TaxIndicator, Decimal>();
	let excise = Decimal.zero;
	for (const [index, line] of question.lines.entries()) {
		const indicator = indicators[index] ?? 4;
		sums.set(indicator, (sums.get(indicator) ?? Decimal.zero).plus(line.amount));
		exacts.set(indicator, (exacts.get(indicator) ?? Decimal.zero).plus(exactOf(line)));
		if (indicator === 1) excise = excise.plus(line.excise);
	}
	const inUse = TAX_INDICATORS.filter((indicator) => sums.has(indicator));
	const weights = inUse.map((indicator) => sums.get(indicator) ?? Decimal.zero);
	const shares = question.adjustments.map(({ amount, declared }) => {
		if (declared !== undefined) return [{ indicator: declared, amount }];
		const parts = shareOut(amount, weights);
		return inUse.map((indicator, index) => ({ indicator, amount: parts[index] ?? Decimal.zero }));
	});
	const bases = new Map(inUse.map((indicator) => [indicator, (exacts.get(indicator) ?? Decimal.zero).rounded(2)]));
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
		const taxed = indicator === 1 ? base.plus(excise) : base;
		if (indicator <= 2) taxes.set(indicator, taxed.times(ITBIS[indicator]).rounded(2));
	}
	return { indicators, shares, bases, taxes };
}

/**
 * The bases after the remainder has gone to the largest. If the largest cannot absorb it, because all bases may be a cent or two, the next ones do. A
 * negative rest stays in the largest, where a check finds it.
 */
function meet(total: Decimal, drafted: Draft["bases"]): Map<TaxIndicator, Decimal> {
	const bases = new Map(drafted);
	let left = total.minus(Decimal.sum(bases.values()));
	if (left.isZero()) return bases;
	const descending = [...bases].sort(([, a], [, b]) => b.compare(a));
	for (const [indicator, base] of descending) {
		if (left.isZero() || base.isNegative()) break;
		const rest = base.plus(left);
		bases.set(indicator, rest.isNegative() ? Decimal.zero : rest);
		left = rest.isNegative() ? rest : Decimal.zero;
	}
	const [largest] = descending[0] ?? [];
	if (largest !== undefined && !left.isZero()) bases.set(largest, (bases.get(largest) ?? Decimal.zero).plus(left));
	return bases;
}

/** Adjusts the draft to the totals, to the cent. */
function settle(question: TaxQuestion, draft: Draft, isExplained: boolean): TaxAnswer {
	const bases = meet(question.base, draft.bases);
	const taxed = [...draft.taxes.keys()];
	const expected = [...draft.taxes.values()];
	const isExact = Decimal.sum(expected).equals(question.itbis);
	const taxes = isExact ? expected : shareOut(question.itbis, expected);
	const groups = TAX_INDICATORS.filter((indicator) => bases.has(indicator)).map((indicator) => ({
		indicator,
		base: bases.get(indicator) ?? Decimal.zero,
		itbis: taxes[taxed.indexOf(indicator)] ?? Decimal.zero,
	}));
	return { indicators: draft.indicators, shares: draft.shares, groups, isExplained };
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

/** With more amounts than this, the best choice is not searched for: each further amount doubles the work. */
const SEARCHED_MAX = 12;

/** Marks at least one of the amounts so that their sum comes nearest to `target`; among equals the earlier ones. */
export function markNearest(amounts: readonly Decimal[], target: Decimal): boolean[] {
	return amounts.length <= SEARCHED_MAX ? searchNearest(amounts, target) : fillUp(amounts, target);
}

function searchNearest(amounts: readonly Decimal[], target: Decimal): boolean[] {
	const sums: Decimal[] = [Decimal.zero];
	let best = 1;
	for (let choice = 1; choice < 2 ** amounts.length; choice++) {
		// The sum of a choice is the sum of the choice without its highest member, which has already been computed.
		const highest = 31 - Math.clz32(choice);
		const sum = (sums[choice ^ (1 << highest)] ?? Decimal.zero).plus(amounts[highest] ?? Decimal.zero);
		sums.push(sum);
		const distance = sum.minus(target).abs();
		if (distance.compare((sums[best] ?? Decimal.zero).minus(target).abs()) < 0) best = choice;
	}
	return amounts.map((_, index) => (best & (1 << index)) !== 0);
}

/** Takes the amounts that still fit, largest first; the smallest of all if none fits. */
function fillUp(amounts: readonly Decimal[], target: Decimal): boolean[] {
	const marks = amounts.map(() => false);
	const order = amounts.map((amount, index) => ({ amount, index })).sort((a, b) => b.amount.compare(a.amount));
	let left = target;
	for (const { amount, index } of order) {
		if (amount.isZero() || amount.compare(left) > 0) continue;
		left = left.minus(amount);
		marks[index] = true;
	}
	const smallest = order.at(-1);
	if (smallest && !marks.includes(true)) marks[smallest.index] = true;
	return marks;
}
