/**
 * Judges an answer about one document: tolerant in form (`read-answer.ts`), strict in content.
 *
 * A verdict stands only when number and word agree, the HTTP status allows it, and whatever the answer says of issuer, e-NCF,
 * trackId and security code is what was asked for. Everything else is `unavailable`: nothing is known, ask again.
 */

import type { Failure } from "./call-report";
import { type AuthorityMessage, firstCode, type Refused, readRefusal, tellsDuplicate, toMessages } from "./messages";
import { type Members, type Reading, truthOf } from "./read-answer";
import {
	type Asked,
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
	/** Code of the first remark that has one; "2" when none has. */
	readonly code: string;
	readonly messages: readonly AuthorityMessage[];
	/** False only when the authority says that the number may be used again. */
	readonly sequenceConsumed: boolean;
	/** The authority could not validate the document: the same bytes may be sent again. */
	readonly retryable: boolean;
	/** The number was used before: after a sending with unknown outcome perhaps by this very document, so query. */
	readonly duplicate: boolean;
	readonly trackId?: string;
};

export type Verdict =
	| Accepted
	| Rejected
	| { readonly kind: "in-process" }
	| { readonly kind: "not-found" }
	| Unavailable;

/** The verdict in a reply about a document. */
export function readVerdict(reply: Reply, asked: Asked): Verdict {
	if (reply.reached !== "answer") return unavailable(reply);
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	if (failure) return unavailable(failure);
	const members = soleMembers(reading);
	const standing = members && readStanding(members);
	if (!members || !standing) return unavailable(unexpected(status, reading));
	const mismatch = findMismatch(members, asked);
	if (mismatch) return unavailable({ fault: "authority-answer-mismatch", detail: mismatch });
	if (!isSuccess(status) && standing !== "rejected" && standing !== "not-found") {
		return unavailable({ fault: "authority-http-error", detail: `HTTP ${status} with the words of a success` });
	}
	return toVerdict(standing, members, asked);
}

function toVerdict(standing: Standing, members: Members, asked: Asked): Verdict {
	if (standing === "not-found" || standing === "in-process") return { kind: standing };
	if (!namesDocument(members)) {
		return unavailable({ fault: "authority-answer-mismatch", detail: "the verdict does not name its e-NCF" });
	}
	const messages = toMessages([members.get("mensajes"), members.get("mensaje")]);
	const trackId = readTrackId(members) ?? asked.trackId;
	const tracked = trackId === undefined ? {} : { trackId };
	if (standing !== "rejected") {
		const conditional = standing === "conditional";
		const code = conditional ? "4" : "1";
		return { kind: "accepted", conditional, code, messages, sequenceConsumed: true, ...tracked };
	}
	const code = firstCode(messages) ?? "2";
	const duplicate = tellsDuplicate(messages);
	// Without the flag the number counts as used, and so it does when a remark says it, since the flag may be about this sending alone: a number
	// used twice is worse than one lost.
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

/* HEAD submission.ts:  * What came of sending a document, in the terms on which the caller may send again.
 *
 *     received   the authority has it; ask for its verdict
 *     decided    the authority has decided it (summaries)
 *     refused    the authority answered that it did not take it
 *     not-sent   certain that it was not taken: nothing was sent, or we were not let in
 *     unknown    anything else: query before sending again
 *
 * `unknown` is never wrong, only slower. So `refused` wants a well-formed refusal, and an HTTP 400 without one is unknown. */

export type Submission =
	| { readonly kind: "received"; readonly trackId: string }
	| { readonly kind: "decided"; readonly verdict: Accepted | Rejected }
	| Refused
	| ({ readonly kind: "not-sent" } & Uncertain)
	| ({ readonly kind: "unknown" } & Uncertain);

type Uncertain = { readonly reason: Failure["fault"]; readonly detail: string };

/** What became of an e-CF that was sent. */
export function readReception(reply: Reply, asked: Asked): Submission {
	return readSubmission(reply, asked, (status, reading) => {
		const members = soleMembers(reading);
		const trackId = members && readTrackId(members);
		if (trackId === undefined) return undefined;
		return isSuccess(status) ? { kind: "received", trackId } : unknown(unexpected(status, reading));
	});
}

/** What became of a summary that was sent: its verdict comes in the same answer, a rejection with HTTP 400. */
export function readSummaryReception(reply: Reply, asked: Asked): Submission {
	return readSubmission(reply, asked, () => {
		const verdict = readVerdict(reply, asked);
		return verdict.kind === "accepted" || verdict.kind === "rejected" ? { kind: "decided", verdict } : undefined;
	});
}

function readSubmission(
	reply: Reply,
	asked: Asked,
	readSuccess: (status: number, reading: Reading) => Submission | undefined,
): Submission {
	if (reply.reached === "nothing") return { kind: "not-sent", reason: reply.fault, detail: reply.detail };
	if (reply.reached === "unknown") return unknown(reply);
	const { status, reading } = reply;
	const failure = judgeStatus(status);
	// A request that is answered with 401 "has not been applied" (RFC 9110, 15.5.2).
	if (failure?.fault === "authority-auth-failed")
		return { kind: "not-sent", reason: failure.fault, detail: failure.detail };
	if (failure) return unknown(failure);
	const members = soleMembers(reading);
	const mismatch = members && findMismatch(members, asked);
	if (mismatch) return unknown({ fault: "authority-answer-mismatch", detail: mismatch });
	return readSuccess(status, reading) ?? readRefusal(status, reading) ?? unknown(unexpected(status, reading));
}

function unknown({ fault, detail }: Failure): Submission {
	return { kind: "unknown", reason: fault, detail };
}
