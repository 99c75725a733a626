/** Reads the answer that carries a token: JSON, or XML with root `RespuestaAutenticacion`. */
import { maskDocument } from "../../platform/values";
import type { Failure } from "./fault";
import { toMessages } from "./messages";
import { type Members, textOf } from "./read-answer";
import { isSuccess, judgeStatus, type Reply, soleMembers, unexpected } from "./reply";

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
