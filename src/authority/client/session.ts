/**
 * Tokens of the authority: one for each certificate in each environment, shared by all calls and fetched once at a time.
 *
 *     seed ──▶ sign it ──▶ validate ──▶ token, about an hour ──▶ renewed a minute early
 *                                         └── 401: dropped; the call is made once more with a fresh one
 *
 * A token belongs to the holder of a certificate, not to a taxpayer: it serves every company that has delegated its signing to
 * that person. It lives in memory alone; a thread that starts signs in again.
 */
import { createSingleFlight } from "../../platform/concurrency";
import { type Clock, maskDocument, systemClock } from "../../platform/values";
import type { Segment } from "./addresses";
import type { Failure } from "./call-report";
import { toMessages } from "./messages";
import { type Members, readXml, textOf } from "./read-answer";
import { isSuccess, judgeStatus, type Reply, soleMembers, unexpected } from "./reply";
import { createWire, type Wire, type WireOptions, type WireReply, wrapFile } from "./wire";

/** On whose behalf a call is made. */
export type Caller<I> = {
	readonly segment: Segment;
	/** Names the certificate; calls with the same one share a token. */
	readonly certificateId: string;
	/** Whatever `signSeed` needs to sign with that certificate. */
	readonly identity: I;
};

export type SessionOptions<I> = {
	readonly wire: Pick<Wire, "call">;
	readonly clock: Clock;
	/** Signs a seed with the identity's certificate and gives the signed document back. */
	readonly signSeed: (seedXml: string, identity: I) => Promise<Uint8Array>;
};

export type Session<I> = {
	/** Makes a call with a token. Without one nothing is sent. Throws: what `signSeed` throws. */
	readonly authorised: (who: Caller<I>, call: (token: string) => Promise<Reply>) => Promise<Reply>;
};

type Held = { readonly text: string; readonly renewAtMs: number; readonly expiresAtMs: number };

const RENEW_EARLY_MS = 60_000;

export function createSession<I>({ wire, clock, signSeed }: SessionOptions<I>): Session<I> {
	const held = new Map<string, Held>();
	const fetching = createSingleFlight<Held | Failure>();
	const nowMs = () => clock.now().getTime();

	async function tokenFor(who: Caller<I>): Promise<Held | Failure> {
		const key = keyOf(who);
		const current = held.get(key);
		if (current && current.renewAtMs > nowMs()) return current;
		const fetched = await fetching.run(key, () => signIn(who));
		// A renewal that fails does not end a token that still has seconds to live.
		return "fault" in fetched && current && current.expiresAtMs > nowMs() ? current : fetched;
	}

	async function signIn(who: Caller<I>): Promise<Held | Failure> {
		const startMs = nowMs();
		const seed = readSeed(await wire.call({ service: "seed", segment: who.segment }));
		if (typeof seed !== "string") return seed;
		const file = wrapFile("semilla.xml", await signSeed(seed, who.identity));
		const token = readToken(await wire.call({ service: "token", segment: who.segment, file }));
		if ("fault" in token) return token;
		const { text, lifetimeMs } = token;
		const renewAtMs = startMs + lifetimeMs - Math.min(RENEW_EARLY_MS, lifetimeMs / 2);
		const fresh: Held = { text, renewAtMs, expiresAtMs: startMs + lifetimeMs };
		for (const [key, { expiresAtMs }] of held) if (expiresAtMs <= startMs) held.delete(key);
		held.set(keyOf(who), fresh);
		return fresh;
	}

	return {
		async authorised(who, call) {
			const token = await tokenFor(who);
			if ("fault" in token) return withoutToken(token);
			const reply = await call(token.text);
			if (reply.reached !== "answer" || reply.status !== 401) return reply;
			// Another call may have renewed it already: only the refused token is dropped.
			if (held.get(keyOf(who)) === token) held.delete(keyOf(who));
			const fresh = await tokenFor(who);
			return "fault" in fresh ? withoutToken(fresh) : call(fresh.text);
		},
	};
}

/** The seed in a reply as text to be signed, or why there is none. */
export function readSeed(reply: WireReply): string | Failure {
	if (reply.reached !== "answer") return reply;
	const failure = judgeStatus(reply.status);
	if (failure) return failure;
	if (isSuccess(reply.status) && isSeed(reply.text)) return reply.text;
	return { fault: "authority-answer-unreadable", detail: `HTTP ${reply.status} without a seed` };
}

function withoutToken({ fault, detail }: Failure): Reply {
	return { reached: "nothing", fault, detail: `no token: ${detail}` };
}

function keyOf(who: Caller<unknown>): string {
	return `${who.segment} ${who.certificateId}`;
}

/* HEAD seed.ts: The seed: what the authority hands out to be signed as proof of holding a certificate. */

const SEED_CHARACTERS_MAX = 64 * 1024;

/**
 * True for a seed and nothing else: root `SemillaModel` with one `valor` and one `fecha`. Whoever poses as the authority would
 * otherwise get any document signed that it likes, an invoice for instance.
 */
export function isSeed(text: string): boolean {
	if (text.length > SEED_CHARACTERS_MAX) return false;
	const xml = readXml(text);
	if (xml?.root !== "SemillaModel" || typeof xml.value !== "object" || xml.value === null) return false;
	const members = Object.entries(xml.value);
	const names = members.map(([name]) => name).sort();
	return names.join() === "fecha,valor" && members.every(([, value]) => typeof value === "string" && value !== "");
}

/* HEAD token.ts: Reads the answer that carries a token: JSON, or XML with root `RespuestaAutenticacion`. */

export type Token = { readonly text: string; readonly lifetimeMs: number };

/** What is assumed of a token that does not say how long it lives, and most that is believed of one that does. */
const LIFETIME_UNKNOWN_MS = 5 * 60_000;
const LIFETIME_MAX_MS = 24 * 3600_000;

/** The token in a reply, or why there is none. Its text can stand in a header. */
export function readToken(reply: Reply): Token | Failure {
	if (reply.reached !== "answer") return reply;
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	if (failure) return failure;
	if (!isSuccess(status)) return { fault: "authority-auth-failed", detail: `HTTP ${status}: ${tellRefusal(reply)}` };
	const members = soleMembers(reading);
	const text = members && textOf(members, "token");
	if (!members || text === undefined || !/^[\x21-\x7e]+$/.test(text)) return unexpected(status, reading);
	return { text, lifetimeMs: lifetimeOf(members) };
}

/** From the token's own two times, so that a clock of ours which is wrong does no harm. */
function lifetimeOf(members: Members): number {
	const fromMs = Date.parse(textOf(members, "expedido") ?? "");
	const untilMs = Date.parse(textOf(members, "expira") ?? "");
	const lifetimeMs = untilMs - fromMs;
	return lifetimeMs > 0 ? Math.min(lifetimeMs, LIFETIME_MAX_MS) : LIFETIME_UNKNOWN_MS;
}

/** The authority's sentence, such as that the holder is not a delegate, with the holder's number hidden. */
function tellRefusal({ reading }: Reply & { reached: "answer" }): string {
	if (reading.form === "unreadable") return reading.detail;
	const value =
		reading.form === "text" ? reading.text : reading.form === "list" ? reading.items : [...reading.members.values()];
	const texts = toMessages(value).map((message) => message.text);
	return texts
		.join(" ")
		.slice(0, 300)
		.replace(/\d{9,11}/g, maskDocument);
}

/* HEAD probe.ts: The sign of life of the authority's main host: it hands out a seed, which needs neither a token nor a certificate. */

/** Asks once; tells whether there was a seed. Never throws. */
export type Probe = (segment: Segment) => Promise<boolean>;

/** `onCall` hears of each question: one that is answered by anything but a seed has failed. */
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
