/**
 * Callers whose keys and secrets do not count, by address: who guesses is slowed, and is told so by 429 in place of 401. Bearers are not held.
 *
 * A credential is checked before this is asked, so a good one passes however many of its neighbours behind the same address have failed: a
 * check is a digest and a row that is remembered, the same for right and wrong, and the secrets are too long to be guessed at any rate. What this holds is the flood. One process counts for itself, in memory: guesses need no exact count.
 */

import { createTokenBucket, type TokenBucket, takeToken, waitSeconds } from "../../platform/concurrency";
import type { Problem } from "../../platform/problem";
import { FAILED_CREDENTIALS_POLICY as POLICY } from "./policy";
import { beyond, createLeftTexts, toHeaders, toPolicyText } from "./rate-headers";
import { toAddressSubject } from "./subject";

export type FailedCredentials = {
	/** The answer to a refusal of credentials that an address has sent: the same with what is left, or rate-limit-exceeded. */
	readonly answer: (refusal: Problem, remoteAddress: string) => Problem;
};

/** The one that failed longest ago goes first. */
const ADDRESSES_MAX = 10_000;

export function createFailedCredentials(now = () => performance.now()): FailedCredentials {
	const buckets = new Map<string, TokenBucket>();
	const toText = createLeftTexts(POLICY);

	const bucketOf = (address: string, at: number): TokenBucket => {
		const subject = toAddressSubject(address);
		const bucket = buckets.get(subject) ?? createTokenBucket(POLICY, at);
		buckets.delete(subject);
		buckets.set(subject, bucket);
		const oldest = buckets.keys().next();
		if (buckets.size > ADDRESSES_MAX && !oldest.done) buckets.delete(oldest.value);
		return bucket;
	};

	return {
		answer: (refusal, remoteAddress) => {
			const at = now();
			const bucket = bucketOf(remoteAddress, at);
			if (takeToken(bucket, POLICY, at)) {
				return refusal.with({ "ratelimit-policy": toPolicyText(POLICY), ratelimit: toText(bucket.level) });
			}
			const wait = waitSeconds(bucket, POLICY);
			return beyond(POLICY, wait, toHeaders(POLICY, 0, Math.max(wait, POLICY.windowSeconds)));
		},
	};
}
