/**
 * A token bucket: `quota` calls at most, which come back at `perSecond`. A level below zero is a debt: other processes have
 * given out what this one had given out too, and nobody is let through until it has come back.
 *
 * Units: milliseconds of `performance.now`.
 */
import type { RatePolicy } from "./policy";

export type Bucket = {
	level: number;
	asOf: number;
	/** Taken here and not told to the others yet. */
	taken: number;
};

export function createBucket(policy: RatePolicy, now: number): Bucket {
	return { level: policy.quota, asOf: now, taken: 0 };
}

/** Brings the bucket up to now. */
export function refill(bucket: Bucket, policy: RatePolicy, now: number): void {
	const seconds = Math.max(0, now - bucket.asOf) / 1_000;
	bucket.level = Math.min(policy.quota, bucket.level + seconds * policy.perSecond);
	bucket.asOf = now;
}

/** Takes one call's part; false when there is none, and then nothing is taken. */
export function takeOne(bucket: Bucket, policy: RatePolicy, now: number): boolean {
	refill(bucket, policy, now);
	if (bucket.level < 1) return false;
	bucket.level -= 1;
	bucket.taken += 1;
	return true;
}

/** Whole seconds until a call may come again; of a bucket that is up to now. */
export function waitSeconds(bucket: Bucket, policy: RatePolicy): number {
	return Math.max(1, Math.ceil((1 - bucket.level) / policy.perSecond));
}

/** Nothing is known of a full bucket that a new one would not have. */
export function isLikeNew(bucket: Bucket, policy: RatePolicy): boolean {
	return bucket.taken === 0 && bucket.level >= policy.quota;
}
