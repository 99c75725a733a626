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
import type { Clock } from "../../platform/values";
import type { Failure } from "./fault";
import { wrapFile } from "./multipart";
import type { Reply } from "./reply";
import { isSuccess, judgeStatus } from "./reply";
import { isSeed } from "./seed";
import type { Segment } from "./segment";
import { readToken } from "./token";
import type { Wire, WireReply } from "./wire";

/** On whose behalf a call is made. */
export type Who<I> = {
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
	readonly authorised: (who: Who<I>, call: (token: string) => Promise<Reply>) => Promise<Reply>;
};

type Held = { readonly text: string; readonly renewAtMs: number; readonly expiresAtMs: number };

const RENEW_EARLY_MS = 60_000;

export function createSession<I>({ wire, clock, signSeed }: SessionOptions<I>): Session<I> {
	const held = new Map<string, Held>();
	const fetching = createSingleFlight<Held | Failure>();
	const nowMs = () => clock.now().getTime();

	async function tokenFor(who: Who<I>): Promise<Held | Failure> {
		const key = keyOf(who);
		const current = held.get(key);
		if (current && current.renewAtMs > nowMs()) return current;
		const fetched = await fetching.run(key, () => signIn(who));
		// A renewal that fails does not end a token that still has seconds to live.
		return "fault" in fetched && current && current.expiresAtMs > nowMs() ? current : fetched;
	}

	async function signIn(who: Who<I>): Promise<Held | Failure> {
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

function keyOf(who: Who<unknown>): string {
	return `${who.segment} ${who.certificateId}`;
}
