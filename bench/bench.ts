/**
 * A bench: one question, measured on two sides in one run.
 *
 * Both sides are measured in turn for several rounds, so that other load affects both alike. A figure is the median of its rounds. A ratio
 * is
 * the median of the rounds' ratios, each between adjacent measurements.
 */

export type BenchOptions = {
	/** A short run that only proves that the bench works; its figures mean nothing. */
	readonly smoke: boolean;
	/** The folder or commit of another build to measure beside this one. */
	readonly against?: string;
};

export type Bench = {
	readonly question: string;
	/** The side that ours is compared with. */
	readonly peer: string;
	/** Whether it can measure another build of the service. */
	readonly comparesBuilds?: boolean;
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
	/** How many times as fast as the peer; for costs of two builds, how many times the peer's cost. */
	readonly ratio?: number;
	readonly ratioMin?: number;
	readonly ratioMax?: number;
	/** Target for the ratio if there is one, else for the value. Printed, not enforced. */
	readonly target?: string;
};

export type Against = {
	readonly peer: string;
	/** The peer's rounds, in the same order. */
	readonly rounds: readonly number[];
	/** For costs and delays: the smaller one is faster. */
	readonly lessIsFaster?: boolean;
};

/** Builds a figure from the rounds. */
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

/** The figure of the cost of one unit; none if it cannot be measured. Units: microseconds. */
export function toCostFigure(
	figure: string,
	micros: readonly number[],
	against: Pick<Against, "peer" | "rounds">,
	target?: string,
): Figure[] {
	if (micros.some(Number.isNaN)) return [];
	return [toFigure(figure, "µs each", micros, { against: { ...against, lessIsFaster: true }, target })];
}

/** Empty lists of rounds by name. */
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
