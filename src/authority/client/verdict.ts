/**
 * Reads verdicts and the outcomes of submissions: tolerant in form (`src/authority/client/read-answer.ts`), strict in content.
 *
 * A verdict stands only if number and word agree, the HTTP status allows it, and everything that the answer says about issuer, e-NCF, trackId
 * and security code matches the query. Anything else is `unavailable`: nothing is known, so query again.
 */

import type { Failure } from "./call-report";
import { type AuthorityMessage, firstCode, type Refused, readRefusal, saysDuplicate, toMessages } from "./messages";
import { type Members, type Reading, truthOf } from "./read-answer";
import {
	type ExpectedDocument,
	findMismatch,
	isSuccess,
	judgeStatus,
	namesDocument,
	type Reply,
	readStanding,
	readTrackId,
	type Standing,
	soleMembers,
	type Unavailable,
	unavailable,
	unexpected,
} from "./reply";

export type Accepted = {
	readonly kind: "accepted";
	/** Valid, with irregularities to avoid in future documents; `messages` lists them. */
	readonly conditional: boolean;
	readonly code: "1" | "4";
	readonly messages: readonly AuthorityMessage[];
	readonly sequenceConsumed: true;
	/** The authority's own; the verdict on a summary has none. */
	readonly trackId?: string;
};

export type Rejected = {
	readonly kind: "rejected";
	/** The code of the first remark that has one; "2" if none has. */
	readonly code: string;
	readonly messages: readonly AuthorityMessage[];
	/** False only when the authority says that the number may be used again. */
	readonly sequenceConsumed: boolean;
	/** The authority could not validate the document, so the same bytes may be sent again. */
	readonly retryable: boolean;
	/** The number was used before. After an ambiguous outcome it may have been this document, so query. */
	readonly duplicate: boolean;
	readonly trackId?: string;
};

export type Verdict =
	| Accepted
	| Rejected
	| { readonly kind: "in-process" }
	| { readonly kind: "not-found" }
	| Unavailable;

export function readVerdict(reply: Reply, document: ExpectedDocument): Verdict {
	if (reply.reached !== "answer") return unavailable(reply);
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	if (failure) return unavailable(failure);
	const members = soleMembers(reading);
	const standing = members && readStanding(members);
	if (!members || !standing) return unavailable(unexpected(status, reading));
	const mismatch = findMismatch(members, document);
	if (mismatch) return unavailable({ fault: "authority-answer-mismatch", detail: mismatch });
	if (!isSuccess(status) && standing !== "rejected" && standing !== "not-found") {
		return unavailable({ fault: "authority-http-error", detail: `HTTP ${status} with the words of a success` });
	}
	return toVerdict(standing, members, document);
}

function toVerdict(standing: Standing, members: Members, document: ExpectedDocument): Verdict {
	if (standing === "not-found" || standing === "in-process") return { kind: standing };
	if (!namesDocument(members)) {
		return unavailable({ fault: "authority-answer-mismatch", detail: "the verdict does not name its e-NCF" });
	}
	const messages = toMessages([members.get("mensajes"), members.get("mensaje")]);
	const trackId = readTrackId(members) ?? document.trackId;
	const tracked = trackId === undefined ? {} : { trackId };
	if (standing !== "rejected") {
		const conditional = standing === "conditional";
		const code = conditional ? "4" : "1";
		return { kind: "accepted", conditional, code, messages, sequenceConsumed: true, ...tracked };
	}
	const code = firstCode(messages) ?? "2";
	const duplicate = saysDuplicate(messages);
	// Without the flag the number counts as used. It also counts as used when a remark says so, since the flag may refer to this submission only.
	// Losing a number is better than using one twice.
	const sequenceConsumed = duplicate || (truthOf(members, "secuenciautilizada") ?? true);
	return {
		kind: "rejected",
		code,
		messages,
		sequenceConsumed,
		retryable: code === "004" && !sequenceConsumed,
		duplicate,
		...tracked,
	};
}

/*
 * The outcome of sending a document. The kind decides whether the caller may send again.
 *
 *     received   the authority has it; query the verdict
 *     decided    the authority has decided it (summaries)
 *     refused    the authority answered that it did not take it
 *     not-sent   certainly not taken: nothing was sent, or the token was refused
 *     unknown    anything else: query before sending again
 *
 * `unknown` is always correct, only slower. So `refused` requires a well-formed refusal; an HTTP 400 without one is `unknown`.
 */

export type Submission =
	| { readonly kind: "received"; readonly trackId: string }
	| { readonly kind: "decided"; readonly verdict: Accepted | Rejected }
	| Refused
	| ({ readonly kind: "not-sent" } & Uncertain)
	| ({ readonly kind: "unknown" } & Uncertain);

type Uncertain = {
	readonly reason: Failure["fault"];
	readonly detail: string;
	/** When sending can succeed, if that is known. */
	readonly afterMs?: number;
};

/** The outcome of sending an e-CF. */
export function readReception(reply: Reply, document: ExpectedDocument): Submission {
	return readSubmission(reply, document, (status, reading) => {
		const members = soleMembers(reading);
		const trackId = members && readTrackId(members);
		if (trackId === undefined) return undefined;
		return isSuccess(status) ? { kind: "received", trackId } : unknown(unexpected(status, reading));
	});
}

/** The outcome of sending a summary. The same answer holds its verdict; a rejection has HTTP 400. */
export function readSummaryReception(reply: Reply, document: ExpectedDocument): Submission {
	return readSubmission(reply, document, () => {
		const verdict = readVerdict(reply, document);
		return verdict.kind === "accepted" || verdict.kind === "rejected" ? { kind: "decided", verdict } : undefined;
	});
}

function readSubmission(
	reply: Reply,
	document: ExpectedDocument,
	readSuccess: (status: number, reading: Reading) => Submission | undefined,
): Submission {
	if (reply.reached === "nothing") {
		const { fault, detail, afterMs } = reply;
		return { kind: "not-sent", reason: fault, detail, ...(afterMs === undefined ? {} : { afterMs }) };
	}
	if (reply.reached === "unknown") return unknown(reply);
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	// A request that is answered with 401 "has not been applied" (RFC 9110, 15.5.2).
	if (failure?.fault === "authority-auth-failed")
		return { kind: "not-sent", reason: failure.fault, detail: failure.detail };
	if (failure) return unknown(failure);
	const members = soleMembers(reading);
	const mismatch = members && findMismatch(members, document);
	if (mismatch) return unknown({ fault: "authority-answer-mismatch", detail: mismatch });
	return readSuccess(status, reading) ?? readRefusal(status, reading) ?? unknown(unexpected(status, reading));
}

function unknown({ fault, detail }: Failure): Submission {
	return { kind: "unknown", reason: fault, detail };
}
