/**
 * Named places at which a test may kill the process, as a power failure would, or end or hang a thread. They do nothing unless `NODE_ENV` is
 * `test` and `FAULT_POINT` or `THREAD_FAULT` names one; the crash harness and the scenarios set these for their services.
 */
export const INVOICE_FAILPOINTS = [
	// A request, up to its answer.
	"before-key",
	"before-commit",
	"after-commit",
	"before-sign",
	"in-sign-thread",
	/** Signed but not stored: the bytes are lost with the process, and no one has seen them. */
	"after-sign",
	/** A number is reserved for a document that is not signed yet. */
	"after-hold",
	// A submission. Every call to the authority passes the socket's failpoints, including seeds and status queries.
	"after-claim",
	"before-intent",
	"after-intent",
	"after-request",
	"after-head",
	"after-answer",
	"after-received",
	"after-status",
	"after-question",
	/** The verdict is written and its event is not. Both are one transaction, so neither exists without the other. */
	"verdict-written",
	"before-verdict",
	"note-held",
	// A void.
	"void-signed",
	"void-intent",
	"void-answer",
	// What follows a verdict.
	"buyer-intent",
	/** The buyer has answered and the answer is not stored: the same bytes are sent again, as a duplicate. */
	"buyer-answer",
	/** The verdict is written and its webhook is not sent: the next owner finds it by its event. */
	"before-webhook",
	"after-webhook",
	"before-dead-letter",
	"after-dead-letter",
	"archive-written",
	"archive-linked",
	"archive-synced",
	/** The object and its row exist and the message is not settled: it runs again and finds both. */
	"archive-indexed",
	// Shutdown: while requests finish, and before leases are released.
	"draining",
	"drain-messages",
] as const;
/** In the order of an ingest. The main thread passes the first seven while another thread does the work. */
export const REGISTRY_FAILPOINTS = [
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
/** In the order of an archive checkpoint. */
export const CHECKPOINT_FAILPOINTS = [
	/** The leaf lines are in the store, the note is not. */
	"checkpoint-leaves",
	"checkpoint-listed",
	/** The note is in the store, its row is not. */
	"checkpoint-written",
] as const;
/** An approval is sent to the issuer and to the authority; both pass them. */
export const APPROVAL_FAILPOINTS = ["approval-signed", "approval-answer"] as const;
/** In the order of an e-mail to one recipient. */
const MAIL_FAILPOINTS = [
	"mail-begun",
	/** The server has the mail and that is not recorded: it is sent again with the same Message-ID. */
	"mail-taken",
	"mail-recorded",
] as const;
export type Failpoint =
	| (typeof INVOICE_FAILPOINTS)[number]
	| (typeof REGISTRY_FAILPOINTS)[number]
	| (typeof CHECKPOINT_FAILPOINTS)[number]
	| (typeof APPROVAL_FAILPOINTS)[number]
	| (typeof MAIL_FAILPOINTS)[number];

type ThreadFailpoint = "sign-job" | "signed";

/** Reads an order such as `NAME:3:exit` and returns a function that is true at the passing which the order names. */
function createTrigger(text: string | undefined): (name: string) => boolean {
	const order =
		process.env.NODE_ENV === "test" ? /^([a-z-]+):([1-9]\d{0,3})(?::(?:exit|hang))?$/.exec(text ?? "") : null;
	let passesLeft = Number(order?.[2] ?? 0);
	return (name) => name === order?.[1] && --passesLeft === 0;
}

const isProcessTrigger = createTrigger(process.env.FAULT_POINT);
const isThreadTrigger = createTrigger(process.env.THREAD_FAULT);

/** Kills the process with SIGKILL when `FAULT_POINT` is `NAME:NTH` and this is the nth passing. */
export function failpoint(name: Failpoint): void {
	if (isProcessTrigger(name)) process.kill(process.pid, "SIGKILL");
}

/** Ends or hangs the thread when `THREAD_FAULT` is `NAME:NTH:exit` or `NAME:NTH:hang`. Each thread counts for itself. */
export function threadFailpoint(name: ThreadFailpoint): void {
	if (!isThreadTrigger(name)) return;
	if (process.env.THREAD_FAULT?.endsWith(":exit")) process.exit(3);
	for (;;) Math.random();
}
