/**
 * The states of a test set and its next step. Pure: decided from stored state alone.
 *
 *   pending ──picked up──▶ generating ──all signed──▶ submitting ──all sent──▶ validating ──all accepted──▶ passed
 *                          ▲    │                        │                        │
 *                     retry│    └─refused by our checks─▶│◀──rejected, or failed──┘
 *                          │                             ▼
 *                          └────────────────────────── failed
 *
 *   any that is not final ──seven days──▶ expired          any that is not final ──cancel──▶ cancelled
 *
 * Gap: how many documents are submitted at a time. The authority restarts the set after any rejection, and no number can be used again. So documents go
 * one by one, each after the verdict on the previous one, and a rejection costs no further number.
 */

export const STATUSES = [
	...(["pending", "generating", "submitting", "validating"] as const),
	...(["passed", "failed", "expired", "cancelled"] as const),
] as const;
export type TestSetStatus = (typeof STATUSES)[number];

export const ACTIVE: readonly TestSetStatus[] = ["pending", "generating", "submitting", "validating"];

export function isFinal(status: TestSetStatus): boolean {
	return !ACTIVE.includes(status);
}

export type CaseStatus = "generated" | "pending" | "accepted" | "rejected" | "failed" | "withdrawn";

export type SetEvent =
	| "picked-up"
	| "all-signed"
	| "all-sent"
	| "all-accepted"
	| "refused"
	| "expired"
	| "cancelled"
	| "retried";

type SetState = { readonly status: TestSetStatus; readonly run: number };

const MOVES: Readonly<Record<SetEvent, { readonly from: readonly TestSetStatus[]; readonly to: TestSetStatus }>> = {
	"picked-up": { from: ["pending"], to: "generating" },
	"all-signed": { from: ["generating"], to: "submitting" },
	"all-sent": { from: ["submitting"], to: "validating" },
	"all-accepted": { from: ["validating"], to: "passed" },
	refused: { from: ["generating", "submitting", "validating"], to: "failed" },
	expired: { from: ACTIVE, to: "expired" },
	cancelled: { from: ACTIVE, to: "cancelled" },
	retried: { from: ["failed"], to: "generating" },
};

/** The state of a set after an event; undefined if the event cannot happen in its state. */
export function move({ status, run }: SetState, event: SetEvent, runsMax: number): SetState | undefined {
	const { from, to } = MOVES[event];
	if (!from.includes(status)) return undefined;
	if (event !== "retried") return { status: to, run };
	return run < runsMax ? { status: to, run: run + 1 } : undefined;
}

export type CaseState = { readonly name: string; readonly status: CaseStatus; readonly dependsOn: string | null };

export type Step =
	| { readonly kind: "nothing" | "expire" | "begin" | "generate" | "rehearse" | "wait" | "close" | "pass" }
	| { readonly kind: "send" | "fail"; readonly name: string };

/** The next step of a set. `cases`: those of its run, in the order of sending. */
export function nextStep(
	set: { readonly status: TestSetStatus; readonly mode: "simulate" | "authority"; readonly expiresAt: Date },
	cases: readonly CaseState[],
	now: Date,
): Step {
	if (isFinal(set.status)) return { kind: "nothing" };
	if (now >= set.expiresAt) return { kind: "expire" };
	if (set.status === "pending") return { kind: "begin" };
	if (set.status === "generating") return { kind: "generate" };
	if (set.mode === "simulate") return { kind: "rehearse" };
	const bad = cases.find(({ status }) => status === "rejected" || status === "failed");
	if (bad) return { kind: "fail", name: bad.name };
	if (set.status === "validating") return { kind: cases.every(isAccepted) ? "pass" : "wait" };
	const next = cases.find(({ status }) => status === "generated");
	if (!next) return { kind: "close" };
	const isQuiet = cases.every(({ status }) => status !== "pending");
	const original = cases.find(({ name }) => name === next.dependsOn);
	return isQuiet && (!original || isAccepted(original)) ? { kind: "send", name: next.name } : { kind: "wait" };
}

function isAccepted({ status }: CaseState): boolean {
	return status === "accepted";
}
