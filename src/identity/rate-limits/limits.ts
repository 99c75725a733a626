/** Enforces the plans' limits: rates in memory before a request's body is read, counts in the database before it is handled. */

import { createKeyedSemaphore } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import { type Call, type LimitClass, type Operation, PLANS, type Plan, type Principal } from "../../platform/operation";
import { type Message, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { Environment } from "../../platform/values";
import { createCounts } from "./counts";
import { PLAN_LIMITS } from "./plans";
import {
	CONSOLE_POLICY,
	callerOf,
	countedPolicyOf,
	FAILED_CLIENTS_POLICY,
	FAILED_CREDENTIALS_POLICY,
	keylessPolicyOf,
	limitClassOf,
	ratePolicyOf,
	subjectIdOf,
	subjectOf,
	toAddressSubject,
} from "./policy";
import { beyond, joinHeaders, type LimitHeaders } from "./rate-headers";
import { type CallerRate, createFailedCredentials, openRates, type PolicyRates } from "./rates";
import { deleteCounts, deleteFullBuckets, SLICES } from "./store";

export type Limits = {
	/** Takes a token of the caller's rate; undefined where there is no limit. Throws: rate-limit-exceeded. */
	readonly take: (call: Call) => LimitHeaders | undefined;
	/** The same headers without taking a token. */
	readonly peek: (call: Call) => LimitHeaders | undefined;
	/** Counts a call, or several at once, where its plan has a quota. Throws: the policy's slug. */
	readonly count: (call: Call, taken: LimitHeaders | undefined, calls?: number) => Promise<Counted>;
	/** The answer to refused credentials: the refusal, or rate-limit-exceeded after too many. */
	readonly refuse: (refusal: Problem, remoteAddress: string) => Problem;
	/** The same for a client that did not prove itself; `clientId` is undefined where none was sent. */
	readonly refuseClient: (refusal: Problem, remoteAddress: string, clientId: string | undefined) => Problem;
	readonly ratesAtOnce: (operation: Operation) => RatesAtOnce;
	/** Exchanges what was taken with other processes; also runs every second. */
	readonly share: () => Promise<void>;
	readonly close: () => void;
};

/** The headers, joined with those of `take`, and how to take a call back. */
export type Counted = {
	readonly headers: LimitHeaders | undefined;
	/** Present for quotas of created things, such as companies, for a call that created nothing. Returns the new headers. */
	readonly giveBack?: () => Promise<LimitHeaders | undefined>;
};

/** The caller's rate; "none" without a limit, undefined where the address is needed or a quota applies. */
export type RatesAtOnce = (
	principal: Principal,
	now: number,
) => { readonly policyText: string; readonly rate: CallerRate } | "none" | undefined;

/** Without `sql` each process limits rates for itself and counts no quotas. */
export function openLimits(deps: { sql: Sql | undefined; log: Log; environment: Environment }): Limits {
	const rates = openRates(deps);
	const counts = deps.sql && createCounts(deps.sql);
	const failed = createFailedCredentials(FAILED_CREDENTIALS_POLICY);
	const failedClients = createFailedCredentials(FAILED_CLIENTS_POLICY);

	const policyOf = (principal: Principal | undefined, limit: LimitClass) => {
		if (!principal || limit === "sign-in") return keylessPolicyOf(limit, deps.environment);
		return principal.person ? CONSOLE_POLICY : ratePolicyOf(principal.plan, limit);
	};
	const ratesFor = (principal: Principal | undefined, limit: LimitClass): PolicyRates | undefined => {
		const policy = policyOf(principal, limit);
		return policy && rates.under(policy);
	};

	const rateOf = (call: Call, now: number) => {
		const { principal, operation } = call;
		const limit = limitClassOf(operation);
		const held = limit && ratesFor(principal, limit);
		if (!held) return undefined;
		return { ...held, rate: held.of(callerOf(call, limit), now) };
	};

	return {
		take: (call) => {
			const now = performance.now();
			const held = rateOf(call, now);
			if (!held) return undefined;
			const { policy, policyText, rate } = held;
			if (!rate.isEmpty(now)) return { "ratelimit-policy": policyText, ratelimit: rate.take(now) };
			const wait = rate.waitSeconds();
			const ratelimit = `"${policy.name}";r=0;t=${Math.max(wait, policy.windowSeconds)}`;
			throw beyond(policy, wait, { "ratelimit-policy": policyText, ratelimit });
		},

		peek: (call) => {
			const now = performance.now();
			const held = rateOf(call, now);
			return held && { "ratelimit-policy": held.policyText, ratelimit: held.rate.left(now) };
		},

		count: async (call, taken, calls = 1) => {
			const { principal, operation } = call;
			const limit = limitClassOf(operation);
			const policy = principal && limit && countedPolicyOf(principal.plan, limit);
			if (!policy || !counts || calls === 0) return { headers: taken };
			const subject = subjectIdOf(call, limit);
			const { headers, slot } = await counts.count(policy, subject, calls);
			const giveBack = async () => joinHeaders(taken, await counts.giveBack(policy, subject, slot));
			return { headers: joinHeaders(taken, headers), ...(policy.ofWhatIsMade ? { giveBack } : {}) };
		},

		ratesAtOnce: (operation) => {
			const limit = limitClassOf(operation);
			if (!limit) return () => "none";
			const byPlan = new Map(PLANS.map((plan) => [plan, atOnceFor(plan, limit, ratesOfPlan(plan, limit))]));
			return (principal, now) => byPlan.get(principal.plan)?.(principal, now);
		},
		refuse: (refusal, remoteAddress) => failed.answer(refusal, toAddressSubject(remoteAddress)),
		refuseClient: (refusal, remoteAddress, clientId) => {
			const byAddress = failedClients.answer(refusal, toAddressSubject(remoteAddress));
			const byClient = clientId === undefined ? byAddress : failedClients.answer(refusal, `client ${clientId}`);
			return byClient.slug === "rate-limit-exceeded" ? byClient : byAddress;
		},
		share: rates.share,
		close: rates.close,
	};

	function ratesOfPlan(plan: Plan, limit: LimitClass): PolicyRates | undefined {
		const policy = ratePolicyOf(plan, limit);
		return policy && rates.under(policy);
	}
}

function atOnceFor(plan: Plan, limit: LimitClass, held: PolicyRates | undefined): RatesAtOnce {
	if (countedPolicyOf(plan, limit) || plan === "demo") return () => undefined;
	if (!held) return () => "none";
	const { policyText } = held;
	return (principal, now) => ({ policyText, rate: held.of(subjectOf(principal, limit), now) });
}

/** How many requests of one kind a caller may have open in this process: streams, long polls, long work. */

export type CallerLimit = {
	/** Returns the function that gives the place back. Throws: rate-limit-exceeded when the caller has all of its places. */
	readonly enter: (subject: string) => () => void;
};

/** `detail` is the sentence of the refusal. `retryAfter` is an estimate, since requests end at any time. Units: seconds. */
export function createCallerLimit(rule: {
	readonly max: number;
	readonly policy: string;
	readonly detail: Message;
	readonly retryAfter: number;
}): CallerLimit {
	const { max, policy, detail, retryAfter } = rule;
	const semaphore = createKeyedSemaphore({ maxPerKey: max });
	return {
		enter(subject) {
			const leave = semaphore.tryAcquire(subject);
			if (leave) return leave;
			throw new Problem("rate-limit-exceeded", {
				detail,
				extensions: { limit: max, retryAfter, policy },
				headers: { "retry-after": String(retryAfter) },
			});
		},
	};
}

/** Removes full buckets and the counts of addresses whose window is over; counts of tenants are one row each. Returns how many. */
export async function sweepLimits(sql: Sql): Promise<number> {
	let swept = await deleteFullBuckets(sql);
	for (const [kind, quota] of Object.entries(PLAN_LIMITS.demo.counted)) {
		swept += await deleteCounts(sql, `demo-${kind}`, quota.windowSeconds / SLICES);
	}
	return swept;
}
