/**
 * Finds out how the lines are taxed, and the base and ITBIS of each rate, so that they add up to the request's totals.
 *
 * Input: the lines' amounts with the declared indicators, the document's adjustments, and two sums to match exactly: `base` (everything before tax)
 * and `itbis`. Lines without an indicator are open. The outcomes, in the order in which they are tried:
 *
 *   uniform        One rate for all open lines gives `itbis`, to within 0.01 a line: 18 %, 16 % or exempt, whichever is nearest (18 % first).
 *                  ITBIS 0 is read as exempt before anything else.
 *   unique         Exactly one assignment of the open lines to 18 %, 16 % and exempt gives `itbis` to the cent, rounded by rate or by line.
 *   ambiguous      Several do, or there are too many lines to try them all. The first of 18 % and exempt, 16 % and exempt, 18 % and 16 %, all three
 *                  counts, with earlier lines taxed. Also a uniform rate that is cents off, while an assignment gives the tax to the cent.
 *   rounding       None does. Open lines are at 18 % or exempt, whichever sum is nearest, but some line bears the tax. It is off by at most 1.00 a line.
 *   not-derivable  The same, and off by more. Also lines that all declare to bear no tax: something has to carry it, so they count as open.
 *
 * A base is the sum of its lines, whatever `itbis` is; the tax is shared out in proportion to what the bases give. The bases add up to `base` and the
 * taxes to `itbis`, to the cent. The rounding remainder goes to the largest, and what that cannot absorb to the next.
 */
import { Decimal } from "../../platform/values";
import { TAX_INDICATORS, type TaxIndicator } from "./codes";
import { type Assignment, findAssignments, findNearest, type LineGroup } from "./search-tax";
import {
	addTo,
	draftFrom,
	draftWith,
	lineTaxOf,
	type Shares,
	shareOut,
	type Tally,
	type TaxDraft,
	type TaxedLine,
	type TaxQuestion,
	tallyOf,
	taxesByLine,
} from "./tax-draft";

type TaxGroup = { readonly indicator: TaxIndicator; readonly base: Decimal; readonly itbis: Decimal };

export type TaxOutcome = "uniform" | "unique" | "ambiguous" | "rounding" | "not-derivable";

export type TaxAnswer = {
	/** One for each line. */
	readonly indicators: readonly TaxIndicator[];
	readonly shares: Shares;
	/** The indicators in use, ascending. */
	readonly groups: readonly TaxGroup[];
	readonly outcome: TaxOutcome;
	/** The ITBIS that one rate for all open lines would give, ascending; empty if the tax was explained. */
	readonly expected: readonly Decimal[];
};

const CENT = Decimal.of("0.01");
const UNIFORM_RATES: readonly TaxIndicator[] = [1, 2, 4];
/** The sets of rates that are tried, in order. */
const RATE_SETS: readonly (readonly TaxIndicator[])[] = [
	[1, 4],
	[2, 4],
	[1, 2],
	[1, 2, 4],
];
const ALL_RATES = UNIFORM_RATES;
const FACTOR = { 1: 0.18, 2: 0.16, 3: 0, 4: 0 } as const;
/** Relative error of a floating-point sum of thousands of amounts. */
const FLOAT_ERROR = 1e-12;

export function deriveTax(question: TaxQuestion): TaxAnswer {
	const { itbis } = question;
	const uniform = explain(question);
	const open = question.lines.filter((line) => line.declared === undefined);
	if (uniform?.isExact || (uniform && open.length < 2)) return settle(question, uniform.draft, "uniform");
	if (open.length === 0) {
		const carriesTax = question.lines.some((line) => line.declared === 1 || line.declared === 2);
		return approximate(
			carriesTax ? question : { ...question, lines: question.lines.map(withoutIndicator) },
			!carriesTax,
		);
	}
	const mixed = itbis.isZero() ? undefined : findMixed(new Basket(question));
	if (uniform) return settle(question, uniform.draft, mixed ? "ambiguous" : "uniform");
	return mixed ? settle(question, mixed.draft, mixed.outcome) : approximate(question, false);
}

const withoutIndicator = ({ declared: _, ...line }: TaxedLine): TaxedLine => line;

/** The one rate for all open lines that gives the tax; exact if it does so to the cent. */
function explain(question: TaxQuestion): { readonly draft: TaxDraft; readonly isExact: boolean } | undefined {
	const tolerance = CENT.times(Decimal.of(String(question.lines.length)));
	const isOpen = question.lines.some((line) => line.declared === undefined);
	const candidates: readonly TaxIndicator[] = !isOpen ? [4] : question.itbis.isZero() ? [4, 1, 2] : UNIFORM_RATES;
	let best: { draft: TaxDraft; distance: Decimal } | undefined;
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
	if (!best) return undefined;
	const { draft, distance } = best;
	return { draft, isExact: distance.isZero() || sumByLine(question, draft).equals(question.itbis) };
}

function sumByLine(question: TaxQuestion, { indicators, shares }: TaxDraft): Decimal {
	const taxes = question.lines.map((line, index) => lineTaxOf(tallyOf(line), indicators[index] ?? 4));
	return Decimal.sum([...taxes, ...taxesByLine(new Map(), shares).values()]);
}

type Mixed = { readonly draft: TaxDraft; readonly outcome: "unique" | "ambiguous" };

/** The first assignment of the open lines that gives the tax to the cent, and whether it is the only one; undefined if none was found. */
function findMixed(basket: Basket): Mixed | undefined {
	const all = basket.search(ALL_RATES, 2);
	const [only, second] = all.drafts;
	if (all.isComplete && only === undefined) return undefined;
	if (all.isComplete && only !== undefined && second === undefined && only.isSingle) {
		return { draft: only.draft, outcome: "unique" };
	}
	for (const rates of RATE_SETS) {
		const [first] = rates.length === ALL_RATES.length ? all.drafts : basket.search(rates, 1).drafts;
		if (first) return { draft: first.draft, outcome: "ambiguous" };
	}
	return undefined;
}

/** Open lines at 18 % or exempt, whichever sum is nearest to the tax. */
function approximate(question: TaxQuestion, isReopened: boolean): TaxAnswer {
	const draft = new Basket(question).nearest();
	const off = Decimal.sum(draft.taxes.values()).minus(question.itbis).abs();
	const isRounding = off.compare(Decimal.of(String(question.lines.length))) <= 0 && !isReopened;
	const possible = UNIFORM_RATES.map((rate) => {
		const indicators = question.lines.map((line) => line.declared ?? rate);
		return Decimal.sum(draftWith(question, indicators).taxes.values()).rounded(2);
	});
	const ascending = (isReopened ? [Decimal.zero] : possible).sort((a, b) => a.compare(b));
	const expected = ascending.filter((tax, index) => index === 0 || !tax.equals(ascending[index - 1] ?? tax));
	return { ...settle(question, draft, isRounding ? "rounding" : "not-derivable"), expected };
}

type OpenGroup = { readonly indexes: readonly number[]; readonly tally: Tally };

/** The open lines of a question, in groups of equal amount, and what is the same in all assignments. */
class Basket {
	private readonly groups: readonly OpenGroup[];
	private readonly weights: readonly LineGroup[];
	/** Sums of the lines that are declared, or that bear no tax at any rate. */
	private readonly fixed = new Map<TaxIndicator, Tally>();
	private readonly fixedTaxes = new Map<TaxIndicator, Decimal>();
	/** What the open lines have to bear, in cents. */
	private readonly target: number;
	/** By how much an assignment that gives the tax to the cent may miss the target, in cents. */
	private readonly window: number;

	constructor(private readonly question: TaxQuestion) {
		const { lines, adjustments, itbis } = question;
		this.groups = this.groupOpen();
		// An adjustment without a rate changes every line in proportion.
		const sum = toCents(Decimal.sum(lines.map((line) => line.amount)));
		const spread = Decimal.sum(adjustments.filter((one) => one.declared === undefined).map((one) => one.amount));
		const perCent = sum === 0 ? 0 : toCents(spread) / sum;
		const taxAt = (indicator: TaxIndicator, { amount, exact, excise }: Tally): number => {
			const base = toCents(exact) + toCents(amount) * perCent + (indicator === 1 ? toCents(excise) : 0);
			return base * FACTOR[indicator];
		};
		this.weights = this.groups.map(({ indexes, tally }) => ({
			count: indexes.length,
			tax: { 1: taxAt(1, tally), 2: taxAt(2, tally), 3: 0, 4: 0 },
		}));
		let target = toCents(itbis);
		// Rounding by rate moves a tax by half a cent and a share of an adjustment by up to a cent; huge sums are not exact to the cent.
		let window = 1.5 + adjustments.length + target * FLOAT_ERROR;
		const roundingOf = (indicator: 1 | 2, tally: Tally, lineTax: Decimal, count = 1) =>
			count *
			Math.abs(toCents(lineTax) - taxAt(indicator, tally) + toCents(tally.amount) * perCent * FACTOR[indicator]);
		for (const [indicator, tally] of this.fixed) {
			target -= taxAt(indicator, tally);
			if (indicator <= 2)
				window += roundingOf(indicator as 1 | 2, tally, this.fixedTaxes.get(indicator) ?? Decimal.zero);
		}
		for (const { amount, declared } of adjustments) {
			if (declared !== undefined) target -= toCents(amount) * FACTOR[declared];
		}
		for (const { indexes, tally } of this.groups) {
			const at = (indicator: 1 | 2) => roundingOf(indicator, tally, lineTaxOf(tally, indicator), indexes.length);
			window += Math.max(at(1), at(2));
		}
		this.target = target;
		this.window = window;
	}

	private groupOpen(): OpenGroup[] {
		const groups = new Map<string, { indexes: number[]; tally: Tally }>();
		for (const [index, line] of this.question.lines.entries()) {
			const tally = tallyOf(line);
			const indicator = line.declared ?? (tally.exact.isZero() && tally.excise.isZero() ? 4 : undefined);
			if (indicator !== undefined) {
				addTo(this.fixed, indicator, tally);
				addTax(this.fixedTaxes, indicator, lineTaxOf(tally, indicator));
				continue;
			}
			const key = `${line.amount.toFixed(2)} ${tally.exact.toShortest()} ${line.excise.toShortest()}`;
			const group = groups.get(key);
			if (group) group.indexes.push(index);
			else groups.set(key, { indexes: [index], tally });
		}
		return [...groups.values()];
	}

	/** The first assignments to these rates that give the tax to the cent. */
	search(rates: readonly TaxIndicator[], most: number) {
		const drafts: { readonly draft: TaxDraft; readonly isSingle: boolean }[] = [];
		const search = { groups: this.weights, rates, target: this.target, window: this.window };
		const { isComplete } = findAssignments(search, most, (assignment) => {
			const draft = this.rightDraft(rates, assignment);
			if (draft)
				drafts.push({ draft, isSingle: assignment.every((division) => division.filter(Boolean).length === 1) });
			return draft !== undefined;
		});
		return { drafts, isComplete };
	}

	nearest(): TaxDraft {
		const assignment = findNearest({ groups: this.weights, rates: [1, 4], target: this.target });
		const indicators = this.indicatorsOf([1, 4], assignment);
		if (!indicators.some((indicator) => indicator <= 2) && !this.question.itbis.isZero()) this.markSmallest(indicators);
		return draftWith(this.question, indicators);
	}

	/** Marks the open line of the smallest amount above zero. */
	private markSmallest(indicators: TaxIndicator[]): void {
		const open = [...this.question.lines.entries()].filter(([, line]) => line.declared === undefined);
		const [first] = open.toSorted(([, a], [, b]) => {
			if (a.amount.isZero() !== b.amount.isZero()) return a.amount.isZero() ? 1 : -1;
			return a.amount.compare(b.amount);
		});
		if (first) indicators[first[0]] = 1;
	}

	/** The draft of an assignment, if the tax follows from it to the cent. */
	private rightDraft(rates: readonly TaxIndicator[], assignment: Assignment): TaxDraft | undefined {
		const tallies = new Map(this.fixed);
		const lineTaxes = new Map(this.fixedTaxes);
		for (const [index, { tally }] of this.groups.entries()) {
			for (const [place, count] of (assignment[index] ?? []).entries()) {
				const indicator = rates[place] ?? 4;
				if (count === 0) continue;
				addTo(tallies, indicator, tally, count);
				addTax(lineTaxes, indicator, lineTaxOf(tally, indicator), count);
			}
		}
		const draft = draftFrom(this.question, tallies);
		const isRight = (taxes: TaxDraft["taxes"]) => Decimal.sum(taxes.values()).equals(this.question.itbis);
		const taxes = [draft.taxes, taxesByLine(lineTaxes, draft.shares)].find(isRight);
		return taxes && { ...draft, taxes, indicators: this.indicatorsOf(rates, assignment) };
	}

	private indicatorsOf(rates: readonly TaxIndicator[], assignment: Assignment): TaxIndicator[] {
		const indicators = this.question.lines.map((line): TaxIndicator => line.declared ?? 4);
		for (const [index, { indexes }] of this.groups.entries()) {
			let next = 0;
			for (const [place, count] of (assignment[index] ?? []).entries()) {
				for (let n = 0; n < count; n++) indicators[indexes[next++] ?? 0] = rates[place] ?? 4;
			}
		}
		return indicators;
	}
}

const toCents = (amount: Decimal): number => Number(amount.toString()) * 100;

function addTax(taxes: Map<TaxIndicator, Decimal>, indicator: TaxIndicator, tax: Decimal, count = 1): void {
	if (indicator > 2) return;
	taxes.set(indicator, (taxes.get(indicator) ?? Decimal.zero).plus(tax.times(Decimal.of(String(count)))));
}

/**
 * The bases after the remainder has gone to the largest. If the largest cannot absorb it, because all bases may be a cent or two, the next ones do. A
 * negative rest stays in the largest, where a check finds it.
 */
function meet(total: Decimal, drafted: TaxDraft["bases"]): Map<TaxIndicator, Decimal> {
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
function settle(question: TaxQuestion, draft: TaxDraft, outcome: TaxOutcome): TaxAnswer {
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
	return { indicators: draft.indicators, shares: draft.shares, groups, outcome, expected: [] };
}
