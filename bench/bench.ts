/**
 * What a bench is: one question, asked of two sides in one run.
 *
 * Both sides are measured in turn, several rounds of it, so that what else the machine does hits both alike. A figure is the
 * median of its rounds; a ratio is the median of the rounds' ratios, each of two measurements that stood side by side.
 */

export type BenchOptions = {
	/** A short run that proves that the bench works; its figures mean nothing. */
	readonly smoke: boolean;
};

export type Bench = {
	readonly question: string;
	/** The other side. */
	readonly peer: string;
	readonly run: (options: BenchOptions) => Promise<Figure[]>;
};

export type Figure = {
	readonly figure: string;
	/** Median of the rounds. */
	readonly value: number;
	readonly min: number;
	readonly max: number;
	readonly unit: string;
	readonly peer?: string;
	/** How many times as fast as the peer. */
	readonly ratio?: number;
	readonly ratioMin?: number;
	readonly ratioMax?: number;
	/** What is wanted: of the ratio where there is one, else of the value. Printed, never judged. */
	readonly target?: string;
};

export type Against = {
	readonly peer: string;
	/** The peer's rounds, each beside the round of the same place. */
	readonly rounds: readonly number[];
	/** For costs and delays: there the smaller one is the faster. */
	readonly lessIsFaster?: boolean;
};

/** Makes the figure of a measurement's rounds. */
export function toFigure(
	figure: string,
	unit: string,
	rounds: readonly number[],
	{ against, target }: { readonly against?: Against; readonly target?: string | undefined } = {},
): Figure {
	const wanted = target === undefined ? {} : { target };
	if (!against) return { figure, ...spread(rounds), unit, ...wanted };
	const ratios = rounds.map((own, i) => {
		const other = against.rounds[i] ?? Number.NaN;
		return against.lessIsFaster ? other / own : own / other;
	});
	const { value: ratio, min: ratioMin, max: ratioMax } = spread(ratios);
	return { figure, ...spread(rounds), unit, peer: against.peer, ratio, ratioMin, ratioMax, ...wanted };
}

/** The figure of what one unit costs; none where that cannot be told. Units: microseconds. */
export function toCostFigure(
	figure: string,
	micros: readonly number[],
	against: Pick<Against, "peer" | "rounds">,
	target?: string,
): Figure[] {
	if (micros.some(Number.isNaN)) return [];
	return [toFigure(figure, "µs each", micros, { against: { ...against, lessIsFaster: true }, target })];
}

/** Empty lists to gather rounds in, by name. */
export function newRounds<Name extends string>(...names: readonly Name[]): Record<Name, number[]> {
	const rounds: Partial<Record<Name, number[]>> = {};
	for (const name of names) rounds[name] = [];
	return rounds as Record<Name, number[]>;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
	const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
	return (lower + upper) / 2;
}

function spread(values: readonly number[]): { value: number; min: number; max: number } {
	return { value: median(values), min: Math.min(...values), max: Math.max(...values) };
}
