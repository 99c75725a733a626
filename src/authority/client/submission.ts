/**
 * What came of sending a document, in the terms on which the caller may send again.
 *
 *     received   the authority has it; ask for its verdict
 *     decided    the authority has decided it (summaries)
 *     refused    the authority answered that it did not take it
 *     not-sent   certain that it was not taken: nothing was sent, or we were not let in
 *     unknown    anything else: query before sending again
 *
 * `unknown` is never wrong, only slower. So `refused` wants a well-formed refusal, and an HTTP 400 without one is unknown.
 */
import type { Failure } from "./fault";
import type { Reading } from "./read-answer";
import { type Refused, readRefusal } from "./refusal";
import { isSuccess, judgeStatus, type Reply, soleMembers, unexpected } from "./reply";
import { type Asked, findMismatch, readTrackId } from "./same-document";
import { type Accepted, type Rejected, readVerdict } from "./verdict";

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
