import { expect, test } from "bun:test";
import fc from "fast-check";
import { ECF_TYPES } from "../../../src/ecf/mapping";
import { composeSet } from "../../../src/invoicing/certification/composition";
import {
	type CaseState,
	type CaseStatus,
	isFinal,
	move,
	nextStep,
	type SetEvent,
	STATUSES,
	type TestSetStatus,
} from "../../../src/invoicing/certification/machine";

const NOW = new Date("2026-11-21T12:00:00Z");
const LATER = new Date("2026-11-28T12:00:00Z");
const RUNS_MAX = 5;
const HAPPENINGS: readonly SetEvent[] = [
	...(["picked-up", "all-signed", "all-sent", "all-accepted", "refused", "expired", "cancelled", "retried"] as const),
];

const types = fc.subarray([...ECF_TYPES], { minLength: 1 });
const verdict = fc.constantFrom<CaseStatus>("accepted", "accepted", "accepted", "accepted", "rejected", "failed");

/** Plays one run of a set at an authority that gives these verdicts in turn, and returns what was sent. */
function playRun(cases: CaseState[], verdicts: readonly CaseStatus[]) {
	const set = { status: "pending" as TestSetStatus, run: 1, mode: "authority" as const, expiresAt: LATER };
	const sent: string[] = [];
	const happen = (event: SetEvent) => {
		const to = move(set, event, RUNS_MAX);
		if (!to) throw new Error(`${event} cannot happen to a set that is ${set.status}`);
		Object.assign(set, to);
	};
	const change = (name: string, status: CaseStatus) => {
		const at = cases.findIndex((one) => one.name === name);
		const found = cases[at];
		if (found) cases[at] = { ...found, status };
	};
	for (let looks = 0; looks < 200 && !isFinal(set.status); looks++) {
		const step = nextStep(set, set.status === "pending" || set.status === "generating" ? [] : cases, NOW);
		if (step.kind === "begin") happen("picked-up");
		else if (step.kind === "generate") happen("all-signed");
		else if (step.kind === "close") happen("all-sent");
		else if (step.kind === "pass") happen("all-accepted");
		else if (step.kind === "fail") happen("refused");
		else if (step.kind === "send") {
			sent.push(step.name);
			change(step.name, "pending");
		} else if (step.kind === "wait") {
			const waiting = cases.filter(({ status }) => status === "pending");
			expect(waiting).toHaveLength(1);
			for (const { name } of waiting) change(name, verdicts[sent.length - 1] ?? "accepted");
		} else throw new Error(`no step ${step.kind} was to be expected`);
	}
	return { status: set.status, sent, cases };
}

test("documents are sent one by one, and none after one that was not accepted", () => {
	fc.assert(
		fc.property(types, fc.array(verdict, { minLength: 17, maxLength: 17 }), (asked, verdicts) => {
			const composed = composeSet(asked);
			const cases = composed.map(({ name, reference }): CaseState => {
				return { name, status: "generated", dependsOn: reference?.to ?? null };
			});
			const played = playRun(cases, verdicts);
			const bad = verdicts.slice(0, composed.length).findIndex((one) => one !== "accepted");
			expect(played.status).toBe(bad < 0 ? "passed" : "failed");
			expect(played.sent).toEqual(composed.slice(0, bad < 0 ? composed.length : bad + 1).map(({ name }) => name));
			for (const { name, dependsOn } of played.cases) {
				if (dependsOn === null || !played.sent.includes(name)) continue;
				expect(played.sent.indexOf(dependsOn)).toBeLessThan(played.sent.indexOf(name));
			}
		}),
	);
});

test("a final set changes only by a retry after a failure", () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...HAPPENINGS), { maxLength: 60 }), (happenings) => {
			let place: { status: TestSetStatus; run: number } = { status: "pending", run: 1 };
			for (const event of happenings) {
				const to = move(place, event, RUNS_MAX);
				if (!to) continue;
				if (isFinal(place.status)) expect({ from: place.status, event }).toEqual({ from: "failed", event: "retried" });
				expect(to.run).toBe(event === "retried" ? place.run + 1 : place.run);
				expect(to.run).toBeLessThanOrEqual(RUNS_MAX);
				if (to.status === "passed") expect(place.status).toBe("validating");
				place = to;
			}
		}),
	);
});

test("an open set expires at its time, and a final one has no next step", () => {
	for (const status of STATUSES) {
		const set = { status, mode: "authority", expiresAt: NOW } as const;
		expect(nextStep(set, [], NOW).kind).toBe(isFinal(status) ? "nothing" : "expire");
	}
});

test("a rehearsal sends nothing by itself: it is played as a whole", () => {
	const cases: CaseState[] = [{ name: "E31-01", status: "generated", dependsOn: null }];
	expect(nextStep({ status: "submitting", mode: "simulate", expiresAt: LATER }, cases, NOW).kind).toBe("rehearse");
});
