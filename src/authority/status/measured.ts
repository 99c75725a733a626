/** What our calls of the last minutes say about one service, summed over all processes. */

/** The stored counts of one process for one service in one minute. */
export type CallRow = {
	readonly segment: string;
	readonly service: string;
	readonly process: string;
	readonly minute: Date;
	readonly calls: number;
	readonly failures: number;
	readonly latencies: readonly number[];
	readonly okInRow: number;
	readonly failuresInRow: number;
	readonly lastOkAt: Date | null;
	readonly lastFailureAt: Date | null;
};

export type Measured = {
	readonly calls: number;
	readonly failures: number;
	/** The same for the minutes that began after the service's last outage: its current behaviour. */
	readonly callsSince: number;
	readonly failuresSince: number;
	readonly latencies: Latencies;
	/** The number of latest calls in a row with the same outcome, over all processes. */
	readonly okInRow: number;
	readonly failuresInRow: number;
	readonly lastOkAt: Date | null;
	readonly lastFailureAt: Date | null;
};

/** Sums up the rows of one service. `backAt`: when its last outage ended. */
export function summarise(rows: readonly CallRow[], backAt: Date | undefined): Measured {
	const latencies: Latencies = new Map();
	for (const row of rows) addPairs(latencies, row.latencies);
	const lately = rows.filter((row) => backAt === undefined || row.minute > backAt);
	const lastOkAt = latest(rows.map((row) => row.lastOkAt));
	const lastFailureAt = latest(rows.map((row) => row.lastFailureAt));
	// Only a process's newest row has its current streak.
	const newest = [...Map.groupBy(rows, (row) => row.process).values()].flatMap((own) =>
		own.toSorted((a, b) => b.minute.getTime() - a.minute.getTime()).slice(0, 1),
	);
	const after = (at: Date | null, other: Date | null) => at !== null && (other === null || at > other);
	return {
		calls: sum(rows.map((row) => row.calls)),
		failures: sum(rows.map((row) => row.failures)),
		callsSince: sum(lately.map((row) => row.calls)),
		failuresSince: sum(lately.map((row) => row.failures)),
		latencies,
		okInRow: sum(newest.filter((row) => after(row.lastOkAt, lastFailureAt)).map((row) => row.okInRow)),
		failuresInRow: sum(newest.filter((row) => after(row.lastFailureAt, lastOkAt)).map((row) => row.failuresInRow)),
		lastOkAt,
		lastFailureAt,
	};
}

function latest(instants: readonly (Date | null)[]): Date | null {
	return instants.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/*
 * Latencies are counted in buckets that grow by a tenth, so about fifty small numbers give any percentile to within 5 %.
 *
 *     bucket   0      1          2            …   i                    …   120
 *     ms       ≤ 1    1 … 1.1    1.1 … 1.21       1.1^(i-1) … 1.1^i        over 84 s
 *
 * Model: the bucket number is the logarithm of the latency, rounded up, so no search is needed. Histograms of threads, processes and minutes
 * are added without loss. A percentile is the middle of its bucket. Only non-empty buckets are kept, as pairs of number and count.
 * Source: DDSketch, Masson et al. 2019, with a fixed range, since the longest call ends by its time limit.
 */

export type Latencies = Map<number, number>;

const GROWTH = 1.1;
const PER_BUCKET = 1 / Math.log(GROWTH);
const BUCKET_MAX = 120;

export function addLatency(latencies: Latencies, durationMs: number): void {
	const bucket = bucketOf(durationMs);
	latencies.set(bucket, (latencies.get(bucket) ?? 0) + 1);
}

function bucketOf(durationMs: number): number {
	if (!(durationMs > 1)) return 0;
	return Math.min(BUCKET_MAX, Math.ceil(Math.log(durationMs) * PER_BUCKET));
}

function middleOf(bucket: number): number {
	return bucket === 0 ? 1 : (2 * GROWTH ** bucket) / (1 + GROWTH);
}

/** Adds pairs of bucket and count, as written by `toPairs`. */
export function addPairs(latencies: Latencies, pairs: readonly number[]): void {
	for (let i = 0; i + 1 < pairs.length; i += 2) {
		const bucket = pairs[i] ?? 0;
		latencies.set(bucket, (latencies.get(bucket) ?? 0) + (pairs[i + 1] ?? 0));
	}
}

export function toPairs(latencies: Latencies): number[] {
	return [...latencies].sort(([a], [b]) => a - b).flat();
}

/** Whole milliseconds not exceeded by a share `q` of the calls; null without calls. */
export function percentileMs(latencies: Latencies, q: number): number | null {
	const sorted = [...latencies].sort(([a], [b]) => a - b);
	const total = sorted.reduce((sum, [, count]) => sum + count, 0);
	if (total === 0) return null;
	const rank = Math.max(1, Math.ceil(q * total));
	let seen = 0;
	for (const [bucket, count] of sorted) {
		seen += count;
		if (seen >= rank) return Math.max(1, Math.round(middleOf(bucket)));
	}
	return null;
}
