/**
 * What a receiver's answer means for the delivery.
 *
 *   acknowledgement: received                                  delivered
 *   acknowledgement: duplicate, and an attempt was in doubt    delivered
 *   acknowledgement: not received                              refused
 *   certain that nothing was written, or read: 401 and such    not-sent
 *   all else: rubbish, forged, too large, too late, any status unknown
 */
import type { Acknowledgement } from "./acknowledgement";
import { DUPLICATE, explainMotive } from "./parcel";
import type { PeerAnswer } from "./peer-client";
import type { AttemptEnd } from "./store";

/** Before a document is looked at: no token, no such service, not in this form, too often. */
const UNREAD = [401, 403, 404, 405, 411, 413, 415, 429];

export type Judged = {
	readonly end: AttemptEnd;
	/** Present when one came that holds. */
	readonly acknowledgement?: Acknowledgement & { readonly bytes: Uint8Array };
	/** False for a receiver that is down, so that it gets less. */
	readonly isAnswered: boolean;
};

/** `read` gives the acknowledgement, or says why the bytes are none; `mayHaveArrived`: so an earlier attempt may have. */
export function judgeAnswer(
	answer: PeerAnswer,
	read: (bytes: Uint8Array) => Acknowledgement | string,
	mayHaveArrived: boolean,
): Judged {
	if (answer.kind !== "answered") {
		const detail = `${answer.reason}: ${answer.detail}`;
		return { end: { result: answer.kind, httpStatus: null, detail }, isAnswered: answers(answer) };
	}
	const { httpStatus, bytes } = answer;
	const told = read(bytes);
	if (typeof told === "string") {
		const detail = `HTTP ${httpStatus}: ${told}`;
		const result = UNREAD.includes(httpStatus) ? "not-sent" : "unknown";
		return { end: { result, httpStatus, detail }, isAnswered: answers(answer) };
	}
	const acknowledgement = { ...told, bytes };
	const isEcho = told.motive === DUPLICATE && mayHaveArrived;
	const end: AttemptEnd =
		told.isReceived || isEcho
			? { result: "delivered", httpStatus, detail: isEcho ? "an earlier attempt had arrived" : null }
			: { result: "refused", httpStatus, detail: explainMotive(told.motive ?? 0) };
	return { end, acknowledgement, isAnswered: true };
}

/** False for a receiver that is down. Without a token, or an address, it has not failed under what was sent. */
export function answers(answer: PeerAnswer): boolean {
	if (answer.kind === "answered") return answer.httpStatus < 500;
	return answer.reason === "receiver-auth-failed" || answer.reason === "receiver-address-refused";
}
