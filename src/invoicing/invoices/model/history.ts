/** A document's history as its owner sees it: what happened, in our words; the inside's reasons stay in the log. */
import { type Static, Type } from "@sinclair/typebox";
import type { HistoryRow } from "./file-store";

export const HistoryEvent = Type.Object({
	version: Type.Integer({ description: "The document's version from then on; some steps are too small for an entry." }),
	at: Type.String({ description: "RFC 3339, UTC." }),
	status: Type.String({ description: "pending, accepted, rejected or failed." }),
	phase: Type.String({ description: "queued, held, sending, unconfirmed, tracking or decided." }),
	summary: Type.String({ description: "What happened." }),
	event: Type.Union([Type.String(), Type.Null()], { description: "The webhook event that told of it." }),
});
export type HistoryEvent = Static<typeof HistoryEvent>;

/** Why a document stays where it is, as its history and its message keep it. */
export const AWAITING_CERTIFICATE = "awaiting-certificate";

const ofPhase = {
	queued: "Waits to be sent to the authority.",
	held: "Waits for the document that it refers to.",
	sending: "Is being sent to the authority.",
	unconfirmed: "Was sent; the authority is asked whether it has arrived.",
	tracking: "The authority has received it and is at work.",
} as const;

const ofStatus = {
	pending: "Pending.",
	accepted: "The authority has accepted it.",
	rejected: "The authority has rejected it.",
	failed: "It could not be submitted; its failure tells whether it can be tried again.",
} as const;

export function toHistoryEvent({ version, at, status, phase, detail }: HistoryRow): HistoryEvent {
	const isDecided = phase === "decided";
	const isWaiting = detail === AWAITING_CERTIFICATE;
	const ofState = isDecided
		? ofStatus[status]
		: isWaiting
			? "Waits for its company's next certificate."
			: ofPhase[phase];
	const summary = version === 1 ? "Signed and stored." : ofState;
	return { version, at: at.toISOString(), status, phase, summary, event: isDecided ? `invoice.${status}` : null };
}
