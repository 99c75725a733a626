/** Sets of sequence numbers as sorted ranges, and their form as a PostgreSQL `int8multirange`. */

/** Both ends are included. */
export type NumberRange = { readonly first: number; readonly last: number };

/** Reads `{[1,5),[7,8)}`, the canonical form of the database. */
export function parseRanges(multirange: string): NumberRange[] {
	return [...multirange.matchAll(/\[(\d+),(\d+)\)/g)].map((match) => ({
		first: Number(match[1]),
		last: Number(match[2]) - 1,
	}));
}

export function formatRanges(ranges: readonly NumberRange[]): string {
	return `{${ranges.map(({ first, last }) => `[${first},${last + 1})`).join(",")}}`;
}

export function countNumbers(ranges: readonly NumberRange[]): number {
	return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The lowest `count` numbers of sorted ranges, or all if there are fewer. */
export function takeLowest(ranges: readonly NumberRange[], count: number): NumberRange[] {
	const taken: NumberRange[] = [];
	let missing = count;
	for (const { first, last } of ranges) {
		if (missing <= 0) break;
		const until = Math.min(last, first + missing - 1);
		taken.push({ first, last: until });
		missing -= until - first + 1;
	}
	return taken;
}

/** Sorted ranges without some of their numbers. */
export function dropNumbers(ranges: readonly NumberRange[], dropped: readonly NumberRange[]): NumberRange[] {
	return ranges.flatMap((range) => {
		const kept: NumberRange[] = [];
		let { first } = range;
		for (const one of dropped) {
			if (one.last < first || one.first > range.last) continue;
			if (one.first > first) kept.push({ first, last: one.first - 1 });
			first = one.last + 1;
		}
		return first <= range.last ? [...kept, { first, last: range.last }] : kept;
	});
}

export function listNumbers(ranges: readonly NumberRange[]): number[] {
	return ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

/** The e-NCF of a number. Source: the authority's e-CF format, field 3. */
export function toEncf(type: string, number: number): string {
	return `E${type}${String(number).padStart(10, "0")}`;
}

/** The number inside an e-NCF of thirteen characters. */
export function toNumber(encf: string): number {
	return Number(encf.slice(3));
}
