/**
 * Named places at which a test may have the process killed, as if the power had failed there. Nothing happens at them unless
 * `NODE_ENV` is `test` and `FAULT_POINT` names one, as `NAME:NTH`; the crash harness and the drills set both for services of theirs.
 */
export const INVOICE_FAULT_POINTS = [
	"before-key",
	"before-commit",
	"after-commit",
	"after-claim",
	"before-intent",
	"after-intent",
	"after-answer",
	"after-received",
	"before-verdict",
	"after-webhook",
	"archive-written",
	"archive-linked",
	"archive-synced",
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
export type FaultPoint = (typeof INVOICE_FAULT_POINTS)[number] | (typeof REGISTRY_FAULT_POINTS)[number];

const order = process.env.NODE_ENV === "test" ? /^([a-z-]+):([1-9]\d{0,3})$/.exec(process.env.FAULT_POINT ?? "") : null;
const armed = order?.[1];
let passesLeft = Number(order?.[2] ?? 0);

/** Passes a fault point; the armed one ends the process at its nth passing, without a goodbye. */
export function faultPoint(name: FaultPoint): void {
	if (name !== armed) return;
	passesLeft--;
	if (passesLeft === 0) process.kill(process.pid, "SIGKILL");
}
