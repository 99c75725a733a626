/**
 * What each plan may do: the one table. Everything that limits reads it here.
 *
 * `perSecond` goes on for ever, `burst` is what may come at once. The demo plan is for callers who share a key, so its limits
 * hold for each address, the others for each tenant, the registry's for the key's owner.
 *
 * Source: the plans' page for polls, issue, look-up, search, batches and webhooks. Gap: `token`, `read` and `write`, which it does not name:
 * they are as wide as the widest of its rates, since they are there against loops that ran away and not for the bill.
 */
import type { Plan } from "../../platform/operation";

/** A rate that is held with a bucket. */
export type Rate = { readonly perSecond: number; readonly burst: number };
/** So many calls in any window of this length, counted one by one. */
export type Quota = { readonly calls: number; readonly windowSeconds: number };

const RATE_CLASSES = ["issue", "lookup", "search", "token", "read", "write"] as const;
export type RateClass = (typeof RATE_CLASSES)[number];
const COUNTED_CLASSES = ["poll", "issue-day", "company-day", "webhook-test"] as const;
export type CountedClass = (typeof COUNTED_CLASSES)[number];

export type PlanLimits = {
	/** Null: none. */
	readonly rates: Readonly<Record<RateClass, Rate>> | null;
	readonly counted: Readonly<Partial<Record<CountedClass, Quota>>>;
	/** Most items of one request. */
	readonly batch: { readonly issue: number; readonly status: number; readonly lookup: number };
	readonly webhookEndpoints: number;
};

const HOUR = 3_600;
const DAY = 86_400;

const perMinute = (calls: number): Rate => ({ perSecond: calls / 60, burst: calls });
const pollsPerHour = (calls: number): Quota => ({ calls, windowSeconds: HOUR });
const TESTS: Quota = { calls: 10, windowSeconds: 60 };

/** Tokens, reads and writes are as free as look-ups. */
function withLookup(rates: Pick<Record<RateClass, Rate>, "issue" | "lookup" | "search">): Record<RateClass, Rate> {
	return { ...rates, token: rates.lookup, read: rates.lookup, write: rates.lookup };
}

export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
	demo: {
		rates: {
			...{ issue: perMinute(10), lookup: perMinute(60), search: perMinute(20) },
			...{ token: perMinute(10), read: perMinute(60), write: perMinute(20) },
		},
		counted: {
			poll: pollsPerHour(120),
			"issue-day": { calls: 200, windowSeconds: DAY },
			"company-day": { calls: 5, windowSeconds: DAY },
			"webhook-test": TESTS,
		},
		batch: { issue: 10, status: 10, lookup: 10 },
		webhookEndpoints: 0,
	},
	free: {
		rates: withLookup({
			issue: { perSecond: 5, burst: 10 },
			lookup: { perSecond: 10, burst: 50 },
			search: { perSecond: 3, burst: 10 },
		}),
		// Source: the specification, Limits.
		counted: { poll: pollsPerHour(120), "webhook-test": TESTS },
		batch: { issue: 50, status: 100, lookup: 100 },
		webhookEndpoints: 2,
	},
	starter: {
		rates: withLookup({
			issue: { perSecond: 25, burst: 100 },
			lookup: { perSecond: 50, burst: 200 },
			search: { perSecond: 15, burst: 50 },
		}),
		counted: { poll: pollsPerHour(1_200), "webhook-test": TESTS },
		batch: { issue: 200, status: 250, lookup: 500 },
		webhookEndpoints: 5,
	},
	business: {
		rates: withLookup({
			issue: { perSecond: 100, burst: 500 },
			lookup: { perSecond: 250, burst: 1_000 },
			search: { perSecond: 60, burst: 200 },
		}),
		counted: { poll: pollsPerHour(12_000), "webhook-test": TESTS },
		batch: { issue: 500, status: 500, lookup: 1_000 },
		webhookEndpoints: 20,
	},
	enterprise: {
		rates: withLookup({
			issue: { perSecond: 500, burst: 2_500 },
			lookup: { perSecond: 1_000, burst: 5_000 },
			search: { perSecond: 250, burst: 1_000 },
		}),
		counted: { poll: pollsPerHour(120_000), "webhook-test": TESTS },
		batch: { issue: 500, status: 500, lookup: 1_000 },
		webhookEndpoints: 50,
	},
	// Gap: the operator's own has no limits of time; sizes are those of the widest plan.
	unlimited: {
		rates: null,
		counted: {},
		batch: { issue: 500, status: 500, lookup: 1_000 },
		webhookEndpoints: 50,
	},
};

/**
 * Whoever asks for a token without a key is known by an address only, which many may share. Gap: the number. In the public sandbox it is the
 * demo plan's instead.
 */
export const NOBODYS_TOKENS: Rate = { perSecond: 10, burst: 600 };

/**
 * Keys and secrets that do not count, by address. Gap: the number. A program that goes round with a key that has ended is told 401 each time, and so is a
 * test of every operation; who guesses on gets 100 answers a minute.
 */
export const FAILED_CREDENTIALS: Rate = { perSecond: 100 / 60, burst: 10_000 };

/** Other taxpayers' programs, likewise by address: a provider sends for all its clients from one. Gap: the number. */
export const PEERS: Rate = { perSecond: 50, burst: 1_000 };
