/** What came of a call to the authority, before anybody judges what the answer says. */
import type { Failure } from "./fault";
import { type Members, type Reading, toMembers } from "./read-answer";

export type Reply =
	| { readonly reached: "answer"; readonly status: number; readonly reading: Reading }
	/** Certain that the service was not reached. */
	| ({ readonly reached: "nothing" } & Failure)
	/** Bytes may have been written, and no whole answer came. */
	| ({ readonly reached: "unknown" } & Failure);

/** A query's way to say that nothing is known: the same question may be asked again later. */
export type Unavailable = { readonly kind: "unavailable"; readonly reason: Failure["fault"]; readonly detail: string };

export function unavailable(failure: Failure): Unavailable {
	return { kind: "unavailable", reason: failure.fault, detail: failure.detail };
}

/** Errors whose body may still be the service's own word; a rejected summary comes with one. */
const TELLING_ERRORS: readonly number[] = [400, 404, 409, 422];

/** The failure that a status alone means, whatever the body; undefined when the body is to be read. */
export function judgeStatus(status: number): Failure | undefined {
	if (isSuccess(status) || TELLING_ERRORS.includes(status)) return undefined;
	if (status === 401) return { fault: "authority-auth-failed", detail: "HTTP 401 to a fresh token" };
	return { fault: status >= 500 ? "authority-http-5xx" : "authority-http-error", detail: `HTTP ${status}` };
}

export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

/** The members of an answer about one thing, alone in a list or not. */
export function soleMembers(reading: Reading): Members | undefined {
	if (reading.form === "members") return reading.members;
	return reading.form === "list" && reading.items.length === 1 ? toMembers(reading.items[0]) : undefined;
}

/** The failure of an answer that is not what the service gives. */
export function unexpected(status: number, reading: Reading): Failure {
	if (!isSuccess(status)) return { fault: "authority-http-error", detail: `HTTP ${status}: ${describe(reading)}` };
	return { fault: "authority-answer-unreadable", detail: describe(reading) };
}

function describe(reading: Reading): string {
	if (reading.form === "unreadable") return reading.detail;
	if (reading.form === "text") return `the answer is a bare text: ${reading.text.slice(0, 200)}`;
	return `the answer is ${reading.form === "list" ? "a list" : "an object"} of another kind`;
}
