/** Repeatable random choices: the same seed gives the same choices on every machine. */
export type Chance = {
	/** An integer from `least` to `most`, both included. */
	readonly whole: (least: number, most: number) => number;
	/** True in this many of a hundred cases. */
	readonly percent: (share: number) => boolean;
	readonly pick: <T>(values: readonly T[]) => T;
	readonly maybe: <T>(share: number, make: () => T) => T | undefined;
};

/** Source: mulberry32, a 32-bit generator. */
export function createChance(seed: number): Chance {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
	const percent = (share: number) => next() * 100 < share;
	return {
		whole,
		percent,
		pick: (values) => {
			const value = values[whole(0, values.length - 1)];
			if (value === undefined) throw new RangeError("nothing to pick from");
			return value;
		},
		maybe: (share, make) => (percent(share) ? make() : undefined),
	};
}
