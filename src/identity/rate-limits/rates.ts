/**
 * The buckets of one process, and how they become one with those of all others.
 *
 * A call takes from the bucket in memory and waits for nothing. About every second a process tells the database in one statement what it has taken
 * from which buckets, and hears how full they are with what everybody took (`store.ts`). There they are buckets too, refilled by the database's
 * clock, so it does not matter how long a process had not asked for one.
 *
 *   process A   take take take ──┐ 3 taken            ┌─▶ level 5
 *   database                     └▶ level 10 ─3 ─2 ───┤
 *   process B   take take ─────────┘ 2 taken          └─▶ level 5
 *
 * Overshoot: between two tellings each process gives out what it believes to be there. So n processes give out at most n times the burst and n times
 * a second's refill before they know; what was given out too much is a debt, up to one burst, that is waited for. Over a longer time the
 * rate is exact. While the database is away each process goes on alone.
 *
 * A bucket that is full again is forgotten; so memory holds those who called within their windows, and `BUCKETS_MAX` of a policy at most.
 */
import {
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
import { FAILED_CREDENTIALS_POLICY as POLICY, type RatePolicy, toAddressSubject } from "./policy";
import { beyond, createLeftTexts, toHeaders, toPolicyText } from "./rate-headers";
import { type SharedBucket, shareBuckets } from "./store";

/** One caller's bucket; good until whoever got it has answered. */
export type CallerRate = {
	readonly isEmpty: (now: number) => boolean;
	/** Takes one; the header of what is left. Only behind `isEmpty` in the same turn. */
	readonly take: (now: number) => string;
	/** The header of what is left, when nothing is taken. */
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
	/** Tells what was taken and hears what the others took; also done every second. */
	readonly share: () => Promise<void>;
	/** Ends the telling. What was not told is of no use to anybody a second later. */
	readonly close: () => void;
};

type Held = { readonly bucket: TokenBucket; readonly rate: CallerRate };
type Shelf = { readonly policy: RatePolicy; readonly held: Map<string, Held>; readonly rates: PolicyRates };

const SHARE_EVERY_MS = 1_000;
const BUCKETS_MAX = 100_000;

export function openRates({ sql, log }: { sql: Sql; log: Log }): Rates {
	const shelves = new Map<string, Shelf>();
	let sharing: Promise<void> | undefined;
	let isAlone = false;
	let sharedAt = performance.now();

	const share = async (): Promise<void> => {
		const told = [...shelves.values()].flatMap(takeReports);
		const busy = new Set(told.map(({ bucket }) => bucket));
		for (const { policy, held } of shelves.values()) forgetFull(policy, held, busy);
		const now = performance.now();
		try {
			const levels = told.length === 0 ? [] : await shareBuckets(sql, told, (now - sharedAt) / 1_000);
			sharedAt = now;
			for (const [place, level] of levels) told[place]?.heed(level);
			if (isAlone) log.info({ event: "rate.sharing_recovered" }, "rates are shared with other processes again");
			isAlone = false;
		} catch (err) {
			// In doubt it was told, and is told again: a caller may wait a second longer, nobody gets more.
			for (const { bucket, taken } of told) bucket.taken += taken;
			if (!isAlone)
				log.warn(
					{ event: "rate.sharing_failed", err, buckets: told.length },
					"cannot share rates with other processes; retrying",
				);
			isAlone = true;
		}
	};
	const shareOnce = (): Promise<void> => {
		sharing ??= share().finally(() => {
			sharing = undefined;
		});
		return sharing;
	};
	const timer = setInterval(shareOnce, SHARE_EVERY_MS);

	return {
		under: (policy) => {
			const known = shelves.get(policy.place);
			if (known) return known.rates;
			const shelf = createShelf(policy);
			shelves.set(policy.place, shelf);
			return shelf.rates;
		},
		share: async () => {
			await sharing;
			await shareOnce();
		},
		close: () => clearInterval(timer),
	};
}

function createShelf(policy: RatePolicy): Shelf {
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

type Report = SharedBucket & { readonly bucket: TokenBucket; readonly heed: (level: number) => void };

/** What was taken since the last telling; from here on it counts as told. */
function takeReports({ policy, held }: Shelf): Report[] {
	const { place, quota, perSecond } = policy;
	return [...held].flatMap(([subject, { bucket }]) => {
		const { taken } = bucket;
		if (taken === 0) return [];
		bucket.taken = 0;
		const heed = (level: number): void => {
			bucket.level = level - bucket.taken;
			bucket.asOf = performance.now();
		};
		return [{ subject, place, quota, perSecond, taken, bucket, heed }];
	});
}

/** One that was used may be full only as far as this process knows: it waits for what the others say. */
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
 * Callers whose keys and secrets do not count, by address: who guesses is slowed, and is told so by 429 in place of 401. Bearers are not held.
 *
 * A credential is checked before this is asked, so a good one passes however many of its neighbours behind the same address have failed: a
 * check is a digest and a row that is remembered, the same for right and wrong, and the secrets are too long to be guessed at any rate. What this holds is the flood. One process counts for itself, in memory: guesses need no exact count.
 */

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
