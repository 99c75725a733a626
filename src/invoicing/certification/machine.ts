/**
 * The states of a test set, and what it needs next: pure, decided from what is stored and nothing else.
 *
 *   pending ──picked up──▶ generating ──all signed──▶ submitting ──all sent──▶ validating ──all accepted──▶ passed
 *                          ▲    │                        │                        │
 *                     retry│    └─refused by our checks─▶│◀──rejected, or failed──┘
 *                          │                             ▼
 *                          └────────────────────────── failed
 *
 *   any that is not final ──seven days──▶ expired          any that is not final ──cancel──▶ cancelled
 *
 * Gap: how many are on their way at a time. The authority counts a set anew after any rejection, and no number can be used again. So documents go one
 * after another, each behind the verdict on the one before: whatever is rejected, nothing else is on its way, and no further number is spent.
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

export type Happening =
	| "picked-up"
	| "all-signed"
	| "all-sent"
	| "all-accepted"
	| "refused"
	| "expired"
	| "cancelled"
	| "retried";

type Place = { readonly status: TestSetStatus; readonly run: number };

const MOVES: Readonly<Record<Happening, { readonly from: readonly TestSetStatus[]; readonly to: TestSetStatus }>> = {
	"picked-up": { from: ["pending"], to: "generating" },
	"all-signed": { from: ["generating"], to: "submitting" },
	"all-sent": { from: ["submitting"], to: "validating" },
	"all-accepted": { from: ["validating"], to: "passed" },
	refused: { from: ["generating", "submitting", "validating"], to: "failed" },
	expired: { from: ACTIVE, to: "expired" },
	cancelled: { from: ACTIVE, to: "cancelled" },
	retried: { from: ["failed"], to: "generating" },
};

/** Where a set is after something happened to it; undefined when that cannot happen to it there. */
export function move({ status, run }: Place, happening: Happening, runsMax: number): Place | undefined {
	const { from, to } = MOVES[happening];
	if (!from.includes(status)) return undefined;
	if (happening !== "retried") return { status: to, run };
	return run < runsMax ? { status: to, run: run + 1 } : undefined;
}

export type CaseState = { readonly name: string; readonly status: CaseStatus; readonly dependsOn: string | null };

export type Step =
	| { readonly kind: "nothing" | "expire" | "begin" | "generate" | "rehearse" | "wait" | "close" | "pass" }
	| { readonly kind: "send" | "fail"; readonly name: string };

/** What a set needs next. `cases`: those of its run, in the order in which they are sent. */
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
