/**
 * Tokens of the authority: one per certificate and environment, shared by all calls and fetched once at a time.
 *
 *     seed ──▶ sign it ──▶ validate ──▶ token, about an hour ──▶ renewed a minute early
 *                                         └── 401: dropped; the call is repeated once with a fresh one
 *
 * A token belongs to the holder of a certificate, not to a taxpayer. It serves every company that has delegated signing to that person. Tokens
 * live only in memory, so a thread that starts signs in again.
 */
import { createSingleFlight } from "../../platform/concurrency";
import { type Clock, maskDocument, systemClock } from "../../platform/values";
import type { Segment } from "./addresses";
import type { Failure } from "./call-report";
import { skewOf } from "./clock-skew";
import { toMessages } from "./messages";
import { type Members, readXml, textOf } from "./read-answer";
import { isSuccess, judgeStatus, type Reply, soleMembers, unexpected } from "./reply";
import { createWire, type Wire, type WireOptions, type WireReply, wrapFile } from "./wire";

/** On whose behalf a call is made. */
export type Caller<I> = {
	readonly segment: Segment;
	/** Identifies the certificate. Calls with the same certificate share a token. */
	readonly certificateId: string;
	/** Whatever `signSeed` needs to sign with that certificate. */
	readonly identity: I;
};

export type SessionOptions<I> = {
	readonly wire: Pick<Wire, "call">;
	readonly clock: Clock;
	/** Signs a seed with the identity's certificate and returns the signed document. */
	readonly signSeed: (seedXml: string, identity: I) => Promise<Uint8Array>;
};

export type Session<I> = {
	/**
	 * Makes a call with a token. Without a token nothing is sent, nor before the authority's clock reaches `signedAt`, as far as the last seed shows it.
	 * Throws what `signSeed` throws.
	 */
	readonly authorised: (who: Caller<I>, call: (token: string) => Promise<Reply>, signedAt?: Date) => Promise<Reply>;
};

type CachedToken = { readonly text: string; readonly renewAtMs: number; readonly expiresAtMs: number };

const RENEW_EARLY_MS = 60_000;
/** Documents state their time in seconds, so a smaller skew does not count. */
const SKEW_MIN_MS = 1_000;
const SECOND_MS = 1_000;

export function createSession<I>({ wire, clock, signSeed }: SessionOptions<I>): Session<I> {
	const tokens = new Map<string, CachedToken>();
	const fetching = createSingleFlight<CachedToken | Failure>();
	const nowMs = () => clock.now().getTime();
	/** By the latest seed. */
	let aheadMs = 0;

	/** How long until the authority's clock reaches the second of a signature; 0 if it has. */
	function untilReachedMs(signedAt: Date): number {
		if (aheadMs < SKEW_MIN_MS) return 0;
		const stated = Math.floor(signedAt.getTime() / SECOND_MS) * SECOND_MS;
		return Math.max(0, stated - (nowMs() - aheadMs));
	}

	async function tokenFor(who: Caller<I>): Promise<CachedToken | Failure> {
		const key = keyOf(who);
		const current = tokens.get(key);
		if (current && current.renewAtMs > nowMs()) return current;
		const fetched = await fetching.run(key, () => signIn(who));
		// A failed renewal does not invalidate a token that is still valid for some seconds.
		return "fault" in fetched && current && current.expiresAtMs > nowMs() ? current : fetched;
	}

	async function signIn(who: Caller<I>): Promise<CachedToken | Failure> {
		const startMs = nowMs();
		const seed = readSeed(await wire.call({ service: "seed", segment: who.segment }));
		if (typeof seed !== "string") return seed;
		aheadMs = skewOf(seed, startMs, nowMs()) ?? aheadMs;
		const file = wrapFile("semilla.xml", await signSeed(seed, who.identity));
		const token = readToken(await wire.call({ service: "token", segment: who.segment, file }));
		if ("fault" in token) return token;
		const { text, lifetimeMs } = token;
		const renewAtMs = startMs + lifetimeMs - Math.min(RENEW_EARLY_MS, lifetimeMs / 2);
		const fresh: CachedToken = { text, renewAtMs, expiresAtMs: startMs + lifetimeMs };
		for (const [key, { expiresAtMs }] of tokens) if (expiresAtMs <= startMs) tokens.delete(key);
		tokens.set(keyOf(who), fresh);
		return fresh;
	}

	return {
		async authorised(who, call, signedAt) {
			const token = await tokenFor(who);
			if ("fault" in token) return withoutToken(token);
			const afterMs = signedAt ? untilReachedMs(signedAt) : 0;
			if (afterMs > 0) {
				const detail = `the authority's clock reaches the signature in ${Math.ceil(afterMs / SECOND_MS)} s`;
				return { reached: "nothing", fault: "authority-clock-behind", detail, afterMs };
			}
			const reply = await call(token.text);
			if (reply.reached !== "answer" || reply.status !== 401) return reply;
			// Another call may have renewed it already, so only the refused token is dropped.
			if (tokens.get(keyOf(who)) === token) tokens.delete(keyOf(who));
			const fresh = await tokenFor(who);
			return "fault" in fresh ? withoutToken(fresh) : call(fresh.text);
		},
	};
}

/** The text of the seed to sign, or why there is none. */
export function readSeed(reply: WireReply): string | Failure {
	if (reply.reached !== "answer") return reply;
	const failure = judgeStatus(reply.status);
	if (failure) return failure;
	if (isSuccess(reply.status) && isSeed(reply.text)) return reply.text;
	if (isOwnOutage(reply.status, reply.text)) return ownOutage(reply.status);
	return { fault: "authority-answer-unreadable", detail: `HTTP ${reply.status} without a seed` };
}

/**
 * True if the sign-in reports with status 400 that it could not reach something of its own. That says nothing about the certificate.
 * Source: observed answers of the authority.
 */
function isOwnOutage(status: number, text: string): boolean {
	return status === 400 && /connection attempt failed/i.test(text);
}

function ownOutage(status: number): Failure {
	return { fault: "authority-http-error", detail: `HTTP ${status}: the sign-in could not reach its own services` };
}

function withoutToken({ fault, detail }: Failure): Reply {
	return { reached: "nothing", fault, detail: `no token: ${detail}` };
}

function keyOf(who: Caller<unknown>): string {
	return `${who.segment} ${who.certificateId}`;
}

const SEED_CHARACTERS_MAX = 64 * 1024;

/**
 * True only for a seed: root `SemillaModel` with one `valor` and one `fecha`. Otherwise an impostor of the authority could have any document
 * signed, such as an invoice.
 */
export function isSeed(text: string): boolean {
	if (text.length > SEED_CHARACTERS_MAX) return false;
	const xml = readXml(text);
	if (xml?.root !== "SemillaModel" || typeof xml.value !== "object" || xml.value === null) return false;
	const members = Object.entries(xml.value);
	const names = members.map(([name]) => name).sort();
	return names.join() === "fecha,valor" && members.every(([, value]) => typeof value === "string" && value !== "");
}

export type Token = { readonly text: string; readonly lifetimeMs: number };

/** Lifetime of a token that states none, and the longest lifetime that is believed. */
const LIFETIME_UNKNOWN_MS = 5 * 60_000;
const LIFETIME_MAX_MS = 24 * 3600_000;

/** The token in a reply (JSON, or XML with root `RespuestaAutenticacion`), or why there is none. Its text fits in a header. */
export function readToken(reply: Reply): Token | Failure {
	if (reply.reached !== "answer") return reply;
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	if (failure) return failure;
	if (isOwnOutage(status, describeRefusal(reply))) return ownOutage(status);
	if (!isSuccess(status))
		return { fault: "authority-auth-failed", detail: `HTTP ${status}: ${describeRefusal(reply)}` };
	const members = soleMembers(reading);
	const text = members && textOf(members, "token");
	if (!members || text === undefined || !/^[\x21-\x7e]+$/.test(text)) return unexpected(status, reading);
	return { text, lifetimeMs: lifetimeOf(members) };
}

/** Calculated from the token's own two times, so that a wrong local clock does no harm. */
function lifetimeOf(members: Members): number {
	const fromMs = Date.parse(textOf(members, "expedido") ?? "");
	const untilMs = Date.parse(textOf(members, "expira") ?? "");
	const lifetimeMs = untilMs - fromMs;
	return lifetimeMs > 0 ? Math.min(lifetimeMs, LIFETIME_MAX_MS) : LIFETIME_UNKNOWN_MS;
}

/** The authority's sentence, such as that the holder is not a delegate, with the holder's number masked. */
function describeRefusal({ reading }: Reply & { reached: "answer" }): string {
	if (reading.form === "unreadable") return reading.detail;
	const value =
		reading.form === "text" ? reading.text : reading.form === "list" ? reading.items : [...reading.members.values()];
	const texts = toMessages(value).map((message) => message.text);
	return texts
		.join(" ")
		.slice(0, 300)
		.replace(/\d{9,11}/g, maskDocument);
}

/** Requests a seed from the main host, which needs neither token nor certificate. True when one arrives. Never throws. */
export type Probe = (segment: Segment) => Promise<boolean>;

/** `onCall` receives a report of each probe. Any answer other than a seed counts as a failure. */
export function createProbe(options: Omit<WireOptions, "clock"> & { readonly clock?: Clock }): Probe {
	const { onCall, clock = systemClock, ...rest } = options;
	const wire = createWire({ ...rest, clock });
	return async (segment) => {
		const startedMs = performance.now();
		const seed = readSeed(await wire.call({ service: "seed", segment }));
		const outcome = typeof seed === "string" ? "ok" : seed.fault;
		onCall?.({ operation: "seed", segment, durationMs: performance.now() - startedMs, outcome });
		return outcome === "ok";
	};
}
