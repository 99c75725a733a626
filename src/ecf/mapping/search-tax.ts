/**
 * Searches assignments of whole lines to tax rates whose tax comes within a window of a target. It meets in the middle: the groups of equal lines are
 * cut into two halves, and every state of one half is looked up among the sorted states of the other.
 *
 * Sums are floating-point cents, which only propose: the caller confirms each proposal in exact decimals. States are numbered so that a lower number
 * taxes earlier lines more. If there are more groups than a half can hold, the largest ones are fixed beforehand, and the search is not complete.
 */
import type { TaxIndicator } from "./codes";

/** Lines of equal amount. Their order among themselves is that of the request. */
export type LineGroup = {
	readonly count: number;
	/** Tax of one line by indicator, in cents, not rounded. */
	readonly tax: Readonly<Record<TaxIndicator, number>>;
};

/** For each group, how many of its lines have the first rate of the search, the second, and so on. */
export type Assignment = readonly (readonly number[])[];

type Search = {
	readonly groups: readonly LineGroup[];
	/** The rates that lines may have, the highest first. */
	readonly rates: readonly TaxIndicator[];
	/** In cents. */
	readonly target: number;
};

type Found = { readonly assignments: readonly Assignment[]; readonly isComplete: boolean };

/** States of a half, by number of rates. A power of two, because state numbers share a double with their sums. */
const STATES_MAX: Readonly<Record<number, number>> = { 2: 16_384, 3: 4_096 };
const STATE_NUMBERS = 16_384;
const SUMS_MAX = 2 ** 37;
const UNIT_MIN = 0.001;
/** Proposals that the caller is asked to confirm. Real searches need fewer than a hundred. */
const CONFIRMED_MAX = 1_000;

/**
 * The first `most` assignments that come within `window` cents of the target and that `confirm` accepts, those with earlier lines taxed first.
 */
export function findAssignments(
	search: Search & { readonly window: number },
	most: number,
	confirm: (assignment: Assignment) => boolean,
): Found {
	const { fixed, first, second, left } = halve(search);
	const sorted = sortStates(second);
	const assignments: Assignment[] = [];
	let confirmed = 0;
	for (const [state, sum] of first.sums.entries()) {
		for (const other of sorted.within(left - sum - search.window, left - sum + search.window)) {
			if (++confirmed > CONFIRMED_MAX) return { assignments, isComplete: false };
			const assignment = compose(search, fixed, [first, state], [second, other]);
			if (!confirm(assignment)) continue;
			assignments.push(assignment);
			if (assignments.length === most) return { assignments, isComplete: fixed.size === 0 };
		}
	}
	return { assignments, isComplete: fixed.size === 0 };
}

/** The assignment whose tax comes nearest to the target; among equally near ones that with earlier lines taxed. */
export function findNearest(search: Search): Assignment {
	const { fixed, first, second, left } = halve(search);
	const sorted = sortStates(second);
	let best = { distance: Number.POSITIVE_INFINITY, state: 0, other: 0 };
	for (const [state, sum] of first.sums.entries()) {
		for (const other of sorted.around(left - sum)) {
			const distance = Math.abs(left - sum - (second.sums[other] ?? 0));
			// Sums that differ by less than floating-point noise are equal.
			if (distance < best.distance - UNIT_MIN) best = { distance, state, other };
		}
	}
	return compose(search, fixed, [first, best.state], [second, best.other]);
}

type Half = {
	/** Indexes of its groups. */
	readonly members: readonly number[];
	/** For each member, the ways to divide its lines among the rates. */
	readonly divisions: readonly (readonly (readonly number[])[])[];
	/** The tax of each state, in cents. */
	readonly sums: Float64Array;
};
type Halves = {
	/** Divisions of the groups that are not searched, by index. */
	readonly fixed: ReadonlyMap<number, readonly number[]>;
	readonly first: Half;
	readonly second: Half;
	/** What the two halves have to bear. */
	readonly left: number;
};

function halve(search: Search): Halves {
	const { groups, rates } = search;
	const { searched, cut } = choose(groups, rates);
	const fixed = fixOthers(search, new Set(searched));
	let left = search.target;
	for (const [index, division] of fixed) left -= taxOf(groups[index], rates, division);
	const first = toHalf(search, searched.slice(0, cut));
	return { fixed, first, second: toHalf(search, searched.slice(cut)), left };
}

/** The groups that two halves can hold, smallest tax first, in the order of the request, and where to cut them. */
function choose(groups: readonly LineGroup[], rates: readonly TaxIndicator[]): { searched: number[]; cut: number } {
	const most = STATES_MAX[rates.length] ?? 1;
	const sizes = groups.map(({ count }) => countDivisions(count, rates.length));
	const ascending = [...groups.keys()].sort((a, b) => (groups[a]?.tax[1] ?? 0) - (groups[b]?.tax[1] ?? 0));
	const small = ascending.filter((index) => (sizes[index] ?? 0) <= most);
	let product = 1;
	let length = 0;
	for (const index of small) {
		product *= sizes[index] ?? 1;
		if (product > most * most) break;
		length++;
	}
	for (; ; length--) {
		const searched = small.slice(0, length).sort((a, b) => a - b);
		const cut = findCut(
			searched.map((index) => sizes[index] ?? 1),
			most,
		);
		if (cut !== undefined) return { searched, cut };
	}
}

/** Where to cut a list of sizes so that their products differ least; undefined if one of them still exceeds `most`. */
function findCut(sizes: readonly number[], most: number): number | undefined {
	let before = 1;
	let after = sizes.reduce((product, size) => product * size, 1);
	let best = { larger: after, cut: 0 };
	for (const [place, size] of sizes.entries()) {
		before *= size;
		after /= size;
		const larger = Math.max(before, after);
		if (larger < best.larger) best = { larger, cut: place + 1 };
	}
	return best.larger <= most ? best.cut : undefined;
}

/** Ways to divide equal lines among two or three rates. */
function countDivisions(count: number, rates: number): number {
	return rates === 2 ? count + 1 : ((count + 1) * (count + 2)) / 2;
}

function listDivisions(count: number, rates: number): number[][] {
	if (rates === 1) return [[count]];
	return Array.from({ length: count + 1 }, (_, rest) => rest).flatMap((rest) =>
		listDivisions(rest, rates - 1).map((others) => [count - rest, ...others]),
	);
}

/**
 * Gives the groups that are not searched the highest rate, largest first, until the searched ones have about half of what they can bear left to them:
 * there their sums are densest. The others get the lowest rate.
 */
function fixOthers({ groups, rates, target }: Search, searched: ReadonlySet<number>): Map<number, number[]> {
	const fixed = new Map<number, number[]>();
	if (searched.size === groups.length) return fixed;
	const [high, low] = [rates[0] ?? 1, rates.at(-1) ?? 4];
	const rise = ({ tax }: LineGroup) => tax[high] - tax[low];
	let left = target;
	for (const [index, group] of groups.entries()) {
		left -= group.count * (searched.has(index) ? (group.tax[high] + group.tax[low]) / 2 : group.tax[low]);
	}
	const others = [...groups.entries()]
		.filter(([index]) => !searched.has(index))
		.sort(([, a], [, b]) => rise(b) - rise(a));
	for (const [index, group] of others) {
		const raised = rise(group) > 0 ? Math.max(0, Math.min(group.count, Math.floor(left / rise(group)))) : 0;
		left -= raised * rise(group);
		fixed.set(index, [raised, ...rates.slice(1, -1).map(() => 0), group.count - raised]);
	}
	return fixed;
}

function toHalf({ groups, rates }: Search, members: readonly number[]): Half {
	const divisions = members.map((index) => listDivisions(groups[index]?.count ?? 0, rates.length));
	let sums = new Float64Array(1);
	for (const [place, ways] of divisions.entries()) {
		const taxes = ways.map((division) => taxOf(groups[members[place] ?? 0], rates, division));
		const grown = new Float64Array(sums.length * taxes.length);
		let at = 0;
		for (const sum of sums) for (const tax of taxes) grown[at++] = sum + tax;
		sums = grown;
	}
	return { members, divisions, sums };
}

function taxOf(group: LineGroup | undefined, rates: readonly TaxIndicator[], division: readonly number[]): number {
	let sum = 0;
	for (const [place, count] of division.entries()) sum += count * (group?.tax[rates[place] ?? 4] ?? 0);
	return sum;
}

/** States in the order of their sums. A sum and the number of its state are sorted as one double. */
function sortStates({ sums }: Half) {
	const largest = sums.reduce((most, sum) => Math.max(most, Math.abs(sum)), 0);
	const unit = Math.max(UNIT_MIN, largest / SUMS_MAX);
	const packed = sums.map((sum, state) => Math.round(sum / unit) * STATE_NUMBERS + state).sort();
	const firstFrom = (bound: number): number => {
		let low = 0;
		let high = packed.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((packed[middle] ?? 0) < bound) low = middle + 1;
			else high = middle;
		}
		return low;
	};
	const stateAt = (place: number): number => {
		const rest = (packed[place] ?? 0) % STATE_NUMBERS;
		return rest < 0 ? rest + STATE_NUMBERS : rest;
	};
	return {
		/** The states whose sums lie between the bounds, lowest number first. */
		within(from: number, to: number): number[] {
			const states: number[] = [];
			const last = (Math.round(to / unit) + 1) * STATE_NUMBERS;
			for (let place = firstFrom((Math.round(from / unit) - 1) * STATE_NUMBERS); place < packed.length; place++) {
				if ((packed[place] ?? 0) >= last + STATE_NUMBERS) break;
				states.push(stateAt(place));
			}
			return states.sort((a, b) => a - b);
		},
		/** The lowest states of the two neighbouring sums of a value. */
		around(value: number): number[] {
			const above = firstFrom(Math.round(value / unit) * STATE_NUMBERS);
			const states = above < packed.length ? [stateAt(above)] : [];
			if (above === 0) return states;
			const sumBelow = Math.floor((packed[above - 1] ?? 0) / STATE_NUMBERS);
			return [stateAt(firstFrom(sumBelow * STATE_NUMBERS)), ...states];
		},
	};
}

/** The assignment of two states and of the groups that were fixed. */
function compose(
	{ groups }: Search,
	fixed: Halves["fixed"],
	...states: readonly (readonly [half: Half, state: number])[]
): Assignment {
	const assignment: (readonly number[])[] = groups.map((_, index) => fixed.get(index) ?? []);
	for (const [{ members, divisions }, state] of states) {
		let rest = state;
		for (let place = members.length - 1; place >= 0; place--) {
			const ways = divisions[place] ?? [];
			assignment[members[place] ?? 0] = ways[rest % ways.length] ?? [];
			rest = Math.floor(rest / ways.length);
		}
	}
	return assignment;
}
