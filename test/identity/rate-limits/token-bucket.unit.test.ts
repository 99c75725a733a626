import { expect, test } from "bun:test";
import fc from "fast-check";
import { ratePolicyOf } from "../../../src/identity/rate-limits/policy";
import { createTokenBucket, takeToken, waitSeconds } from "../../../src/platform/concurrency";

const found = ratePolicyOf("free", "search");
if (!found) throw new Error("the free plan searches at a rate");
const policy = found;

test("in any time a bucket gives its burst and what came back, and no more", () => {
	const pauses = fc.array(fc.nat({ max: 2_000 }), { minLength: 1, maxLength: 200 });
	fc.assert(
		fc.property(pauses, (all) => {
			const bucket = createTokenBucket(policy, 0);
			let now = 0;
			const given: number[] = [];
			for (const pause of all) {
				now += pause;
				if (takeToken(bucket, policy, now)) given.push(now);
			}
			for (const [i, from] of given.entries()) {
				for (const [j, until] of given.entries()) {
					if (j < i) continue;
					expect(j - i + 1).toBeLessThanOrEqual(policy.quota + ((until - from) / 1_000) * policy.perSecond + 1e-6);
				}
			}
		}),
		{ numRuns: 50 },
	);
});

test("a caller that repeats the quota in each window is never refused", () => {
	const bucket = createTokenBucket(policy, 0);
	for (let turn = 0; turn < 50; turn++) {
		for (let i = 0; i < policy.quota; i++) {
			expect(takeToken(bucket, policy, turn * policy.windowSeconds * 1_000)).toBe(true);
		}
	}
});

test("a caller that waits as long as requested gets through", () => {
	fc.assert(
		fc.property(fc.double({ min: -10, max: 0.99, noNaN: true }), (level) => {
			const bucket = { level, asOf: 0, taken: 0 };
			expect(takeToken(bucket, policy, 0)).toBe(false);
			expect(takeToken(bucket, policy, waitSeconds(bucket, policy) * 1_000)).toBe(true);
		}),
	);
});
