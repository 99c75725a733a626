/**
 * Judges an answer about one document: tolerant in form (`read-answer.ts`), strict in content.
 *
 * A verdict stands only when number and word agree, the HTTP status allows it, and whatever the answer says of issuer, e-NCF,
 * trackId and security code is what was asked for. Everything else is `unavailable`: nothing is known, ask again.
 */
import { type AuthorityMessage, firstCode, tellsDuplicate, toMessages } from "./messages";
import { type Members, truthOf } from "./read-answer";
import { isSuccess, judgeStatus, type Reply, soleMembers, type Unavailable, unavailable, unexpected } from "./reply";
import { type Asked, findMismatch, namesDocument, readTrackId } from "./same-document";
import { readStanding, type Standing } from "./standing";

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
