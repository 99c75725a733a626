/**
 * Named places at which a test may have the process killed, as if the power had failed there. Nothing happens at them unless
 * `NODE_ENV` is `test` and `FAULT_POINT` names one, as `NAME:NTH`; the crash harness and the drills set both for services of theirs.
 */
export const INVOICE_FAULT_POINTS = [
	// A request, up to its answer.
	"before-key",
	"before-commit",
	"after-commit",
	"before-sign",
	"in-sign-thread",
	/** Signed, and nothing of it stored: the bytes are lost with the process, and nobody has seen them. */
	"after-sign",
	/** A number is held for a document that is not signed yet. */
	"after-hold",
	// A submission. What happens at a socket is passed by every call of the authority, seeds and questions included.
	"after-claim",
	"before-intent",
	"after-intent",
	"after-request",
	"after-head",
	"after-answer",
	"after-received",
	"after-status",
	"after-question",
	/** The verdict is written, its event not: they are one transaction, so there is no verdict without its event. */
	"verdict-written",
	"before-verdict",
	"note-held",
	// A void.
	"void-signed",
	"void-intent",
	"void-answer",
	// What follows a verdict.
	"buyer-intent",
	/** The buyer has answered, and nothing of it is stored: the same bytes go again, and are its duplicate. */
	"buyer-answer",
	"after-webhook",
	"before-dead-letter",
	"after-dead-letter",
	"archive-written",
	"archive-linked",
	"archive-synced",
	/** The object and its row are there, and the message is not settled: it comes again and finds both. */
	"archive-indexed",
	// The end of a process that was asked to stop: while requests finish, and before what is held is given back.
	"draining",
	"drain-messages",
] as const;
/** In the order in which an ingest passes them; the first seven are passed in the main thread while its work is done in another. */
export const REGISTRY_FAULT_POINTS = [
	"registry-fetch",
	"registry-unpack",
	"registry-parse",
	"registry-build",
	"registry-verify",
	"registry-compare",
	"registry-publish",
	"registry-published",
	"registry-recorded",
	"registry-committed",
	"registry-swapped",
] as const;
/** In the order in which a checkpoint of the archive passes them. */
export const CHECKPOINT_FAULT_POINTS = [
	/** The lines of the leaves are in the store, the note is not. */
	"checkpoint-leaves",
	/** The note is in the store, its row is not. */
	"checkpoint-written",
] as const;
/** Of a buyer's word on a document, which goes to the issuer and to the authority: each passes them. */
export const APPROVAL_FAULT_POINTS = ["approval-signed", "approval-answer"] as const;
/** In the order in which a mail to a recipient passes them. */
const MAIL_FAULT_POINTS = [
	"mail-begun",
	/** The server has it, and that is not written: it is sent again, under the same Message-ID. */
	"mail-taken",
	"mail-recorded",
] as const;
export type FaultPoint =
	| (typeof INVOICE_FAULT_POINTS)[number]
	| (typeof REGISTRY_FAULT_POINTS)[number]
	| (typeof CHECKPOINT_FAULT_POINTS)[number]
	| (typeof APPROVAL_FAULT_POINTS)[number]
	| (typeof MAIL_FAULT_POINTS)[number];

const order = process.env.NODE_ENV === "test" ? /^([a-z-]+):([1-9]\d{0,3})$/.exec(process.env.FAULT_POINT ?? "") : null;
const armed = order?.[1];
let passesLeft = Number(order?.[2] ?? 0);

/** Passes a fault point; the armed one ends the process at its nth passing, without a goodbye. */
export function faultPoint(name: FaultPoint): void {
	if (name !== armed) return;
	passesLeft--;
	if (passesLeft === 0) process.kill(process.pid, "SIGKILL");
}
