/**
 * The token buckets of one process, and how they are shared with all others.
 *
 * A call takes a token in memory and waits for nothing. About every second a process reports in one statement what it has taken, and learns
 * how full the shared buckets are (`store.ts`). These are refilled by the database's clock, so it does not matter how long a process did
 * not use one.
 *
 *   process A   take take take ──┐ 3 taken            ┌─▶ level 5
 *   database                     └▶ level 10 ─3 ─2 ───┤
 *   process B   take take ─────────┘ 2 taken          └─▶ level 5
 *
 * Overshoot: between two reports each process gives out what it believes to be left. So n processes give out at most n times the burst and
 * n times a second's refill before they know. The excess is a debt, at most one burst, that callers wait for; over a longer time the rate
 * is exact. While the database is away each process goes on alone.
 *
 * A full bucket is removed, so memory holds only recent callers, and at most `BUCKETS_MAX` of a policy.
 */
import {
	createSingleFlight,
	createTokenBucket,
	isLikeNew,
	refill,
	type TokenBucket,
	takeToken,
	waitSeconds,
} from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import type { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { RatePolicy } from "./policy";
import { beyond, createLeftTexts, toHeaders, toPolicyText } from "./rate-headers";
import { type SharedBucket, shareBuckets } from "./store";

/** One caller's bucket; valid until the caller is answered. */
export type CallerRate = {
	readonly isEmpty: (now: number) => boolean;
	/** Takes a token and returns the header. Call it only after `isEmpty`, in the same turn of the event loop. */
	readonly take: (now: number) => string;
	/** The header without taking a token. */
	readonly left: (now: number) => string;
	readonly waitSeconds: () => number;
};

/** All callers' buckets under one policy. */
export type PolicyRates = {
	readonly policy: RatePolicy;
	readonly policyText: string;
	readonly of: (subject: string, now: number) => CallerRate;
};

export type Rates = {
	readonly under: (policy: RatePolicy) => PolicyRates;
	/** Reports what was taken and learns what others took; also runs every second. */
	readonly share: () => Promise<void>;
	/** Stops the reports. Unreported calls do not matter a second later. */
	readonly close: () => void;
};

type Held = { readonly bucket: TokenBucket; readonly rate: CallerRate };
type RateGroup = { readonly policy: RatePolicy; readonly held: Map<string, Held>; readonly rates: PolicyRates };

const SHARE_EVERY_MS = 1_000;
const BUCKETS_MAX = 100_000;

/** Without `sql` this process counts alone. */
export function openRates({ sql, log }: { sql: Sql | undefined; log: Log }): Rates {
	const groups = new Map<string, RateGroup>();
	const sharing = createSingleFlight<void>();
	let isSharingFailing = false;
	let sharedAt = performance.now();

	const share = async (): Promise<void> => {
		const reports = [...groups.values()].flatMap(takeReports);
		const busy = new Set(reports.map(({ bucket }) => bucket));
		for (const { policy, held } of groups.values()) forgetFull(policy, held, busy);
		const now = performance.now();
		try {
			const levels = !sql || reports.length === 0 ? [] : await shareBuckets(sql, reports, (now - sharedAt) / 1_000);
			sharedAt = now;
			for (const [place, level] of levels) reports[place]?.apply(level);
			if (isSharingFailing)
				log.info({ event: "rate.sharing_recovered" }, "rates are shared with other processes again");
			isSharingFailing = false;
		} catch (err) {
			// When in doubt it is reported again: a caller may wait a second longer, but none gets more.
			for (const { bucket, taken } of reports) bucket.taken += taken;
			if (!isSharingFailing)
				log.warn(
					{ event: "rate.sharing_failed", err, buckets: reports.length },
					"cannot share rates with other processes; retrying",
				);
			isSharingFailing = true;
		}
	};
	const shareOnce = (): Promise<void> => sharing.run("", share);
	const timer = setInterval(shareOnce, SHARE_EVERY_MS);

	return {
		under: (policy) => {
			const known = groups.get(policy.place);
			if (known) return known.rates;
			const group = createGroup(policy);
			groups.set(policy.place, group);
			return group.rates;
		},
		share: async () => {
			await sharing.current("");
			await shareOnce();
		},
		close: () => clearInterval(timer),
	};
}

function createGroup(policy: RatePolicy): RateGroup {
	const held = new Map<string, Held>();
	const toText = createLeftTexts(policy);
	const hold = (subject: string, now: number): Held => {
		const bucket = createTokenBucket(policy, now);
		const rate: CallerRate = {
			isEmpty: (at) => {
				refill(bucket, policy, at);
				return bucket.level < 1;
			},
			take: (at) => {
				takeToken(bucket, policy, at);
				return toText(bucket.level);
			},
			left: (at) => {
				refill(bucket, policy, at);
				return toText(bucket.level);
			},
			waitSeconds: () => waitSeconds(bucket, policy),
		};
		const one = { bucket, rate };
		held.set(subject, one);
		if (held.size > BUCKETS_MAX) dropOldest(held);
		return one;
	};
	const rates: PolicyRates = {
		policy,
		policyText: toPolicyText(policy),
		of: (subject, now) => (held.get(subject) ?? hold(subject, now)).rate,
	};
	return { policy, held, rates };
}

type Report = SharedBucket & { readonly bucket: TokenBucket; readonly apply: (level: number) => void };

/** What was taken since the last report; from here on it counts as reported. */
function takeReports({ policy, held }: RateGroup): Report[] {
	const { place, quota, perSecond } = policy;
	return [...held].flatMap(([subject, { bucket }]) => {
		const { taken } = bucket;
		if (taken === 0) return [];
		bucket.taken = 0;
		const apply = (level: number): void => {
			bucket.level = level - bucket.taken;
			bucket.asOf = performance.now();
		};
		return [{ subject, place, quota, perSecond, taken, bucket, apply }];
	});
}

/** A used bucket may only look full in this process: it waits for the next report. */
function forgetFull(policy: RatePolicy, held: Map<string, Held>, busy: ReadonlySet<TokenBucket>): void {
	const now = performance.now();
	for (const [subject, { bucket }] of held) {
		if (busy.has(bucket)) continue;
		refill(bucket, policy, now);
		if (isLikeNew(bucket, policy)) held.delete(subject);
	}
}

function dropOldest(held: Map<string, Held>): void {
	const oldest = held.keys().next();
	if (!oldest.done) held.delete(oldest.value);
}

/**
 * Refused credentials, counted by address or client: an attacker gets 429 instead of 401. Bearers are not counted.
 *
 * Credentials are checked first, so a valid one passes however many neighbours behind the same address have failed. A check costs a digest
 * and a cached row, whether right or wrong, and secrets are too long to guess at any rate: this limits floods, not guesses. So each process
 * counts for itself, in memory.
 */

export type FailedCredentials = {
	/** The answer to refused credentials of a subject: the refusal with rate headers, or rate-limit-exceeded. */
	readonly answer: (refusal: Problem, subject: string) => Problem;
};

/** The subject that failed longest ago goes first. */
const SUBJECTS_MAX = 10_000;

export function createFailedCredentials(policy: RatePolicy, now = () => performance.now()): FailedCredentials {
	const buckets = new Map<string, TokenBucket>();
	const toText = createLeftTexts(policy);

	const bucketOf = (subject: string, at: number): TokenBucket => {
		const bucket = buckets.get(subject) ?? createTokenBucket(policy, at);
		buckets.delete(subject);
		buckets.set(subject, bucket);
		const oldest = buckets.keys().next();
		if (buckets.size > SUBJECTS_MAX && !oldest.done) buckets.delete(oldest.value);
		return bucket;
	};

	return {
		answer: (refusal, subject) => {
			const at = now();
			const bucket = bucketOf(subject, at);
			if (takeToken(bucket, policy, at)) {
				return refusal.with({ "ratelimit-policy": toPolicyText(policy), ratelimit: toText(bucket.level) });
			}
			const wait = waitSeconds(bucket, policy);
			return beyond(policy, wait, toHeaders(policy, 0, Math.max(wait, policy.windowSeconds)));
		},
	};
}
