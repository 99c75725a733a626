/** How far two words are apart: letters put in, left out, exchanged for another, or two neighbours swapped. */

type Distances = {
	/** Between the two words. */
	readonly whole: number;
	/** Between the first word and the nearest beginning of the second. */
	readonly prefix: number;
};

/**
 * Damerau–Levenshtein distances in the form where no letter is edited twice (optimal string alignment). Whatever exceeds `max`
 * is told as `max + 1`, which ends the work early.
 */
export function editDistances(from: string, to: string, max: number): Distances {
	const beyond = max + 1;
	let above: number[] = [];
	let row = Array.from({ length: to.length + 1 }, (_, j) => j);
	for (let i = 1; i <= from.length; i++) {
		const twoAbove = above;
		above = row;
		row = [i];
		let least = i;
		for (let j = 1; j <= to.length; j++) {
			const isSame = from[i - 1] === to[j - 1];
			let best = Math.min(
				(above[j] ?? beyond) + 1,
				(row[j - 1] ?? beyond) + 1,
				(above[j - 1] ?? beyond) + (isSame ? 0 : 1),
			);
			if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
				best = Math.min(best, (twoAbove[j - 2] ?? beyond) + 1);
			}
			row.push(best);
			if (best < least) least = best;
		}
		// No later row is nearer than this one.
		if (least > max) return { whole: beyond, prefix: beyond };
	}
	return { whole: Math.min(row[to.length] ?? beyond, beyond), prefix: Math.min(...row, beyond) };
}
