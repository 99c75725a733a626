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

const RATE_CLASSES = ["issue", "lookup", "search", "suggest", "token", "read", "write"] as const;
export type RateClass = (typeof RATE_CLASSES)[number];
const COUNTED_CLASSES = ["poll", "issue-day", "company-day", "webhook-test", "attest-day", "reconcile-day"] as const;
export type CountedClass = (typeof COUNTED_CLASSES)[number];

export type PlanLimits = {
	/** Null: none. */
	readonly rates: Readonly<Record<RateClass, Rate>> | null;
	readonly counted: Readonly<Partial<Record<CountedClass, Quota>>>;
	/** Most items of one request. */
	readonly batch: { readonly issue: number; readonly status: number; readonly lookup: number };
	readonly webhookEndpoints: number;
	readonly registry: RegistryLimits;
};

/** Which of the registry's files a plan may download; each includes those before it. */
export const DOWNLOAD_LEVELS = ["none", "numbers", "deltas", "all"] as const;
export type DownloadLevel = (typeof DOWNLOAD_LEVELS)[number];

/** What a plan may do with the registry besides look-ups and searches. Null: no limit. */
export type RegistryLimits = {
	/** How far back the history is shown. */
	readonly historyDays: number | null;
	/** Numbers on all watchlists together. */
	readonly watchedNumbers: number;
	readonly watchlists: number;
	/** Rows of one list to check, and of all lists of a calendar month (UTC). */
	readonly checkRows: number;
	readonly checkRowsPerMonth: number | null;
	readonly downloads: DownloadLevel;
	/** Distinct entries that searches and suggestions may show in a day (UTC). */
	readonly distinctPerDay: number | null;
};

const HOUR = 3_600;
const DAY = 86_400;

const perMinute = (calls: number): Rate => ({ perSecond: calls / 60, burst: calls });
const pollsPerHour = (calls: number): Quota => ({ calls, windowSeconds: HOUR });
const TESTS: Quota = { calls: 10, windowSeconds: 60 };

const aDay = (calls: number): Quota => ({ calls, windowSeconds: DAY });

/** Suggestions, tokens, reads and writes have the same rate as look-ups. */
function withLookup(rates: Pick<Record<RateClass, Rate>, "issue" | "lookup" | "search">): Record<RateClass, Rate> {
	const { lookup } = rates;
	return { ...rates, suggest: lookup, token: lookup, read: lookup, write: lookup };
}

export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
	demo: {
		rates: {
			...{ issue: perMinute(10), lookup: perMinute(60), search: perMinute(20) },
			...{ suggest: { perSecond: 5, burst: 20 }, token: perMinute(10), read: perMinute(60), write: perMinute(20) },
		},
		counted: {
			poll: pollsPerHour(120),
			"issue-day": { calls: 200, windowSeconds: DAY },
			"company-day": { calls: 5, windowSeconds: DAY },
			"webhook-test": TESTS,
			"attest-day": aDay(20),
			"reconcile-day": aDay(0),
		},
		batch: { issue: 10, status: 10, lookup: 10 },
		webhookEndpoints: 0,
		registry: {
			...{ historyDays: 30, watchedNumbers: 0, watchlists: 0 },
			...{ checkRows: 100, checkRowsPerMonth: 1_000, downloads: "none", distinctPerDay: 500 },
		},
	},
	free: {
		rates: withLookup({
			issue: { perSecond: 5, burst: 10 },
			lookup: { perSecond: 10, burst: 50 },
			search: { perSecond: 3, burst: 10 },
		}),
		// Source: the specification, Limits.
		counted: {
			...{ poll: pollsPerHour(120), "webhook-test": TESTS },
			...{ "attest-day": aDay(100), "reconcile-day": aDay(1_000) },
		},
		batch: { issue: 50, status: 100, lookup: 100 },
		webhookEndpoints: 2,
		registry: {
			...{ historyDays: 30, watchedNumbers: 100, watchlists: 1 },
			...{ checkRows: 1_000, checkRowsPerMonth: 10_000, downloads: "none", distinctPerDay: 2_000 },
		},
	},
	starter: {
		rates: withLookup({
			issue: { perSecond: 25, burst: 100 },
			lookup: { perSecond: 50, burst: 200 },
			search: { perSecond: 15, burst: 50 },
		}),
		counted: {
			...{ poll: pollsPerHour(1_200), "webhook-test": TESTS },
			...{ "attest-day": aDay(5_000), "reconcile-day": aDay(20_000) },
		},
		batch: { issue: 200, status: 250, lookup: 500 },
		webhookEndpoints: 5,
		registry: {
			...{ historyDays: 365, watchedNumbers: 5_000, watchlists: 10 },
			...{ checkRows: 50_000, checkRowsPerMonth: 500_000, downloads: "numbers", distinctPerDay: 20_000 },
		},
	},
	business: {
		rates: withLookup({
			issue: { perSecond: 100, burst: 500 },
			lookup: { perSecond: 250, burst: 1_000 },
			search: { perSecond: 60, burst: 200 },
		}),
		counted: {
			...{ poll: pollsPerHour(12_000), "webhook-test": TESTS },
			...{ "attest-day": aDay(100_000), "reconcile-day": aDay(500_000) },
		},
		batch: { issue: 500, status: 500, lookup: 1_000 },
		webhookEndpoints: 20,
		registry: {
			...{ historyDays: null, watchedNumbers: 100_000, watchlists: 50 },
			...{ checkRows: 1_000_000, checkRowsPerMonth: 20_000_000, downloads: "deltas", distinctPerDay: null },
		},
	},
	enterprise: {
		rates: withLookup({
			issue: { perSecond: 500, burst: 2_500 },
			lookup: { perSecond: 1_000, burst: 5_000 },
			search: { perSecond: 250, burst: 1_000 },
		}),
		counted: { poll: pollsPerHour(120_000), "webhook-test": TESTS, "attest-day": aDay(1_000_000) },
		batch: { issue: 500, status: 500, lookup: 1_000 },
		webhookEndpoints: 50,
		registry: {
			...{ historyDays: null, watchedNumbers: 1_000_000, watchlists: 500 },
			...{ checkRows: 1_000_000, checkRowsPerMonth: null, downloads: "all", distinctPerDay: null },
		},
	},
	// Gap: the operator's own plan has no rate limits; its sizes are those of the widest plan.
	unlimited: {
		rates: null,
		counted: {},
		batch: { issue: 500, status: 500, lookup: 1_000 },
		webhookEndpoints: 50,
		registry: {
			...{ historyDays: null, watchedNumbers: 1_000_000, watchlists: 500 },
			...{ checkRows: 1_000_000, checkRowsPerMonth: null, downloads: "all", distinctPerDay: null },
		},
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

/** Who checks attestations, and readers of the public search page: by address. */
export const PROOFS: Rate = perMinute(60);
export const PAGES: Rate = perMinute(30);
/** Suggestions of that page come with each key that is typed. Gap: the number. */
export const PAGE_SUGGESTIONS: Rate = perMinute(120);

/** Searches of the documentation, by address; the page's field searches while the reader types. */
export const DOCS_SEARCHES: Rate = perMinute(60);

/** Who signs in, by address. */
export const SIGN_INS: Rate = perMinute(20);

/** A session of the console, whatever the plan: a page sends a dozen requests at once. */
export const CONSOLE: Rate = { perSecond: 20, burst: 80 };

/** Programs of other taxpayers, by address too: a provider sends for all its clients from one. Gap: the number. */
export const PEERS: Rate = { perSecond: 50, burst: 1_000 };
