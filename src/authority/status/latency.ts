/**
 * Latencies counted in buckets that grow by a tenth: any percentile is right to within 5 %, from some fifty small numbers.
 *
 *     bucket   0      1          2            …   i                    …   120
 *     ms       ≤ 1    1 … 1.1    1.1 … 1.21       1.1^(i-1) … 1.1^i        over 84 s
 *
 * Model: the logarithm of a latency, rounded up, is the number of its bucket, so finding it takes no search, and histograms of several
 * threads, processes and minutes are added bucket by bucket without losing anything. A percentile is the middle of the bucket in which it lies.
 * Only buckets that hold something are kept, as pairs of number and count.
 * Source: DDSketch, Masson et al. 2019, with a fixed range: the longest call ends by its time limit.
 */

/** Count by bucket. */
export type Latencies = Map<number, number>;

const GROWTH = 1.1;
const PER_BUCKET = 1 / Math.log(GROWTH);
const BUCKET_MAX = 120;

export function noteLatency(latencies: Latencies, durationMs: number): void {
	const bucket = bucketOf(durationMs);
	latencies.set(bucket, (latencies.get(bucket) ?? 0) + 1);
}

function bucketOf(durationMs: number): number {
	if (!(durationMs > 1)) return 0;
	return Math.min(BUCKET_MAX, Math.ceil(Math.log(durationMs) * PER_BUCKET));
}

/** The middle of a bucket, as far from both ends in proportion. */
function middleOf(bucket: number): number {
	return bucket === 0 ? 1 : (2 * GROWTH ** bucket) / (1 + GROWTH);
}

/** Adds pairs of bucket and count, as `toPairs` writes them. */
export function addPairs(latencies: Latencies, pairs: readonly number[]): void {
	for (let i = 0; i + 1 < pairs.length; i += 2) {
		const bucket = pairs[i] ?? 0;
		latencies.set(bucket, (latencies.get(bucket) ?? 0) + (pairs[i + 1] ?? 0));
	}
}

export function toPairs(latencies: Latencies): number[] {
	return [...latencies].sort(([a], [b]) => a - b).flat();
}

/** Whole milliseconds that a share `q` of the calls did not exceed; null when there was none. */
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
