/** The policies that limit a call, derived from the table of plans, with the names and numbers that callers see. */

import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import {
	type Call,
	type LimitClass,
	type Operation,
	type Plan,
	type Principal,
	PUBLIC,
} from "../../platform/operation";
import { type Message, msg, type ProblemSlug } from "../../platform/problem";
import type { Environment } from "../../platform/values";
import {
	CONSOLE,
	type CountedClass,
	DOCS_SEARCHES,
	FAILED_CLIENTS,
	FAILED_CREDENTIALS,
	KEYLESS_TOKENS,
	PAGE_SUGGESTIONS,
	PAGES,
	PEERS,
	PLAN_LIMITS,
	PROOFS,
	type Quota,
	type Rate,
	type RateClass,
	SIGN_INS,
} from "./plans";

export type Policy = {
	/** In the headers and in the problem; those of the demo plan begin with `demo-`. */
	readonly name: string;
	/** Together with the name, the key of its buckets and counts: two plans never share one. */
	readonly place: string;
	readonly quota: number;
	readonly windowSeconds: number;
	readonly slug: Extract<ProblemSlug, "rate-limit-exceeded" | "polling-limit-exceeded">;
	readonly detail: Message;
	/** Refused requests do not count: the quota is of companies, not of requests. */
	readonly ofWhatIsMade?: true;
};
export type RatePolicy = Policy & { readonly perSecond: number };

/** The rate and the quotas of a class of calls. */
const rateOf: Readonly<Record<LimitClass, RateClass | undefined>> = {
	...{ issue: "issue", lookup: "lookup", search: "search", suggest: "suggest" },
	...{ token: "token", read: "read", write: "write", attest: "lookup", reconcile: "lookup" },
	company: "write",
	// Every plan counts these; a bucket besides would only show a second number.
	...{ poll: undefined, "webhook-test": undefined },
	...{ peer: undefined, proof: undefined, page: undefined, "page-suggest": undefined, "docs-search": undefined },
	"sign-in": undefined,
};
const countOf: Partial<Readonly<Record<LimitClass, CountedClass>>> = {
	...{ poll: "poll", issue: "issue-day", company: "company-day", "webhook-test": "webhook-test" },
	...{ attest: "attest-day", reconcile: "reconcile-day" },
};

const NOUNS: Readonly<Record<RateClass | CountedClass, Message>> = {
	...{ issue: msg`requests that issue`, lookup: msg`look-ups`, search: msg`searches`, token: msg`requests for tokens` },
	...{
		read: msg`reads`,
		write: msg`changes`,
		poll: msg`questions for a status`,
		"issue-day": msg`requests that issue`,
	},
	...{ "company-day": msg`registrations of a company`, "webhook-test": msg`test events`, suggest: msg`suggestions` },
	...{ "attest-day": msg`attestations`, "reconcile-day": msg`reconciled names` },
};

const KEYLESS_CLASSES: ReadonlySet<LimitClass> = new Set([
	...(["peer", "proof", "page", "page-suggest", "docs-search", "sign-in"] as const),
]);

/** The class of an operation's calls; undefined without a limit. */
export function limitClassOf({ credentials, findCaller, limit, method }: Operation): LimitClass | undefined {
	if (credentials.key === PUBLIC.key && credentials.bearer === PUBLIC.bearer && !credentials.session && !findCaller)
		return limit !== undefined && KEYLESS_CLASSES.has(limit) ? limit : undefined;
	return limit ?? (method === "GET" ? "read" : "write");
}

/** The policy of a plan's rate; undefined where there is none. */
export function ratePolicyOf(plan: Plan, limit: LimitClass): RatePolicy | undefined {
	const kind = rateOf[limit];
	const rate = kind && PLAN_LIMITS[plan].rates?.[kind];
	return kind && rate ? toRatePolicy(plan, kind, rate) : undefined;
}

/** The policy of a plan's quota; undefined where there is none. */
export function countedPolicyOf(plan: Plan, limit: LimitClass): Policy | undefined {
	const kind = countOf[limit];
	const quota = kind && PLAN_LIMITS[plan].counted[kind];
	return kind && quota ? toPolicy(plan, kind, quota) : undefined;
}

/** For callers without a key, who may only request and revoke tokens. */
const KEYLESS_POLICY: RatePolicy = {
	...{ name: "token", place: "nobody/token", slug: "rate-limit-exceeded", ...KEYLESS_TOKENS },
	...{ quota: KEYLESS_TOKENS.burst, windowSeconds: toWindow(KEYLESS_TOKENS) },
	detail: msg`Without an API key an address may send ${KEYLESS_TOKENS.burst} ${NOUNS.token} in ${toWindow(KEYLESS_TOKENS)} seconds.`,
};

/** For programs of other taxpayers. */
const PEERS_POLICY: RatePolicy = {
	...{ name: "peer", place: "peers/peer", slug: "rate-limit-exceeded", ...PEERS },
	...{ quota: PEERS.burst, windowSeconds: toWindow(PEERS) },
	detail: msg`An address may call the services of a receiver ${PEERS.burst} times in ${toWindow(PEERS)} seconds.`,
};

/** For callers without a key, who may check attestations. */
const PROOFS_POLICY: RatePolicy = {
	...{ name: "proof", place: "address/proof", slug: "rate-limit-exceeded", ...PROOFS },
	...{ quota: PROOFS.burst, windowSeconds: toWindow(PROOFS) },
	detail: msg`An address may check ${PROOFS.burst} attestations in ${toWindow(PROOFS)} seconds.`,
};

/** For readers of the public search page. */
const PAGES_POLICY: RatePolicy = {
	...{ name: "page", place: "address/page", slug: "rate-limit-exceeded", ...PAGES },
	...{ quota: PAGES.burst, windowSeconds: toWindow(PAGES) },
	detail: msg`An address may open ${PAGES.burst} pages in ${toWindow(PAGES)} seconds.`,
};

const PAGE_SUGGESTIONS_POLICY: RatePolicy = {
	...{ name: "page-suggest", place: "address/page-suggest", slug: "rate-limit-exceeded", ...PAGE_SUGGESTIONS },
	...{ quota: PAGE_SUGGESTIONS.burst, windowSeconds: toWindow(PAGE_SUGGESTIONS) },
	detail: msg`An address may get ${PAGE_SUGGESTIONS.burst} suggestions in ${toWindow(PAGE_SUGGESTIONS)} seconds.`,
};

const DOCS_SEARCHES_POLICY: RatePolicy = {
	...{ name: "docs-search", place: "address/docs-search", slug: "rate-limit-exceeded", ...DOCS_SEARCHES },
	...{ quota: DOCS_SEARCHES.burst, windowSeconds: toWindow(DOCS_SEARCHES) },
	detail: msg`An address may search the documentation ${DOCS_SEARCHES.burst} times in ${toWindow(DOCS_SEARCHES)} seconds.`,
};

const SIGN_INS_POLICY: RatePolicy = {
	...{ name: "sign-in", place: "address/sign-in", slug: "rate-limit-exceeded", ...SIGN_INS },
	...{ quota: SIGN_INS.burst, windowSeconds: toWindow(SIGN_INS) },
	detail: msg`An address may try to sign in ${SIGN_INS.burst} times in ${toWindow(SIGN_INS)} seconds.`,
};

/** For sessions of the console. */
export const CONSOLE_POLICY: RatePolicy = {
	...{ name: "console", place: "session/console", slug: "rate-limit-exceeded", ...CONSOLE },
	...{ quota: CONSOLE.burst, windowSeconds: toWindow(CONSOLE) },
	detail: msg`A session may send ${CONSOLE.burst} requests in ${toWindow(CONSOLE)} seconds.`,
};

export const FAILED_CREDENTIALS_POLICY: RatePolicy = {
	...{
		name: "failed-credentials",
		place: "nobody/failed-credentials",
		slug: "rate-limit-exceeded",
		...FAILED_CREDENTIALS,
	},
	...{ quota: FAILED_CREDENTIALS.burst, windowSeconds: toWindow(FAILED_CREDENTIALS) },
	detail: msg`Too many invalid credentials have come from this address. Valid ones are still accepted.`,
};

export const FAILED_CLIENTS_POLICY: RatePolicy = {
	...{ name: "failed-clients", place: "address/failed-clients", slug: "rate-limit-exceeded", ...FAILED_CLIENTS },
	...{ quota: FAILED_CLIENTS.burst, windowSeconds: toWindow(FAILED_CLIENTS) },
	detail: msg`Too many invalid credentials have come from this address or for this client. Valid ones are still accepted.`,
};

/**
 * The rate of a caller known only by its address; undefined where there is none. In the public sandbox it is the demo key's, from the same
 * bucket, so omitting the key gives no more.
 */
export function keylessPolicyOf(limit: LimitClass, environment: Environment): RatePolicy | undefined {
	if (limit === "peer") return PEERS_POLICY;
	if (limit === "proof") return PROOFS_POLICY;
	if (limit === "page") return PAGES_POLICY;
	if (limit === "page-suggest") return PAGE_SUGGESTIONS_POLICY;
	if (limit === "docs-search") return DOCS_SEARCHES_POLICY;
	if (limit === "sign-in") return SIGN_INS_POLICY;
	if (limit !== "token") return undefined;
	return environment === "public-sandbox" ? ratePolicyOf("demo", limit) : KEYLESS_POLICY;
}

function toRatePolicy(plan: Plan, kind: RateClass, rate: Rate): RatePolicy {
	const policy = toPolicy(plan, kind, { calls: rate.burst, windowSeconds: toWindow(rate) });
	return { ...policy, perSecond: rate.perSecond };
}

/** The shortest whole window in which the burst can be repeated for ever. */
function toWindow({ perSecond, burst }: Rate): number {
	return Math.ceil(burst / perSecond);
}

function toPolicy(plan: Plan, kind: RateClass | CountedClass, { calls, windowSeconds }: Quota): Policy {
	const what = msg`${calls} ${NOUNS[kind]} in ${windowSeconds} seconds`;
	return {
		name: plan === "demo" ? `demo-${kind}` : kind,
		place: `${plan}/${kind}`,
		quota: calls,
		windowSeconds,
		...(kind === "company-day" ? { ofWhatIsMade: true as const } : {}),
		slug: kind === "poll" ? "polling-limit-exceeded" : "rate-limit-exceeded",
		detail: plan === "demo" ? msg`Demo key: ${what} for each address.` : msg`The plan ${plan} allows ${what}.`,
	};
}

/** The subject that is counted: a tenant, an owner, or, behind a shared key, an address. */

/** True where the caller is known only by its address. */
export function isShared(principal: Principal | undefined): boolean {
	return principal === undefined || principal.plan === "demo";
}

/** The subject of a call: the session, the tenant or owner; behind a shared key, the address. */
export function callerOf({ principal, remoteAddress }: Call, limit: LimitClass): string {
	if (principal?.person) return limit === "sign-in" ? toAddressSubject(remoteAddress) : principal.person.sessionId;
	return !principal || isShared(principal) ? toAddressSubject(remoteAddress) : subjectOf(principal, limit);
}

const REGISTRY_CLASSES: ReadonlySet<LimitClass> = new Set(["lookup", "search", "suggest", "attest", "reconcile"]);

/** The same as an id, for tables: addresses are personal data and are not stored. */
export function subjectIdOf(call: Call, limit: LimitClass): string {
	const { principal, remoteAddress } = call;
	return !principal || isShared(principal) ? toAddressId(toAddressSubject(remoteAddress)) : subjectOf(principal, limit);
}

/** A tenant; for the registry and for calls with only a key, the key's owner. The demo key of a local sandbox has none. */
export function subjectOf(principal: Principal, limit: LimitClass): string {
	const { ownerId, tenantId, keyId } = principal;
	return (REGISTRY_CLASSES.has(limit) ? (ownerId ?? tenantId) : (tenantId ?? ownerId)) ?? keyId ?? "nobody";
}

/**
 * An address as a subject: all of IPv4, the first 64 bits of IPv6, since one customer of a provider has all the rest. Source: RFC 6177.
 */
export function toAddressSubject(address: string): string {
	const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "");
	return isIPv6(plain) ? `${firstGroups(plain).join(":")}::/64` : plain;
}

/** An id for tables with id columns; addresses are personal data and are not stored. */
export function toAddressId(subject: string): string {
	const hex = createHash("sha256").update(`address|${subject}`).digest("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

function firstGroups(address: string): string[] {
	const [head = "", tail] = address.split("::");
	const before = groupsOf(head);
	const after = tail === undefined ? [] : groupsOf(tail);
	const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
	return [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4);
}

/** An IPv4 tail takes two groups, none of them among the first four. */
function groupsOf(text: string): string[] {
	if (text === "") return [];
	return text.split(":").flatMap((group) => {
		return group.includes(".") ? ["0", "0"] : [Number.parseInt(group, 16).toString(16)];
	});
}
