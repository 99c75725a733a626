/**
 * The limits of each plan, in one table that everything else reads.
 *
 * `perSecond` may go on for ever, `burst` may come at once. Callers of the demo plan share a key, so its limits apply to each address; the
 * others apply to each tenant, and those of the registry to the key's owner.
 *
 * Source: the plans' page for polls, issue, look-up, search, batches and webhooks. Gap: `token`, `read` and `write`, which it does not
 * name: they are as wide as the widest of its rates, since they protect against runaway loops and are not billed.
 */
import type { Plan } from "../../platform/operation";

export type Rate = { readonly perSecond: number; readonly burst: number };
/** An exact number of calls in any window of this length. */
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

/** Tokens, reads and writes have the same rate as look-ups. */
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
	// Gap: the operator's own plan has no rate limits; its sizes are those of the widest plan.
	unlimited: {
		rates: null,
		counted: {},
		batch: { issue: 500, status: 500, lookup: 1_000 },
		webhookEndpoints: 50,
	},
};

/**
 * A token request without a key is known only by its address, which many callers may share. Gap: the number. In the public sandbox the demo
 * plan's applies.
 */
export const KEYLESS_TOKENS: Rate = { perSecond: 10, burst: 600 };

/**
 * Refused keys and secrets, by address. Gap: the number. A program with an expired key gets 401 each time, and so does a test of every
 * operation; an attacker gets 100 answers a minute.
 */
export const FAILED_CREDENTIALS: Rate = { perSecond: 100 / 60, burst: 10_000 };

/** Refused clients and tokens at the token endpoint, by address and by client id: a genuine client fails a few times and then asks its owner. */
export const FAILED_CLIENTS: Rate = { perSecond: 1, burst: 10 };

/** Programs of other taxpayers, by address too: a provider sends for all its clients from one. Gap: the number. */
export const PEERS: Rate = { perSecond: 50, burst: 1_000 };
