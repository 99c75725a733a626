/**
 * Handler of `certification.advance`: brings a test set on, a step at a time; which one is decided in machine.ts.
 *
 *   read set and cases ─▶ note the verdicts that have come ─▶ next step ─▶ one transaction: message held? set where it was? then write
 *
 * Killed anywhere, it begins again at what is stored. Generating stores all documents of a run or none. Sending stores the invoice, its message and
 * the case in one transaction, and from there the invoice goes the road of every invoice. A set that was cancelled meanwhile is
 * somewhere else when the step wants to write, and the step is dropped. A company that is suspended or closed stands still: verdicts are noted and
 * what they decide is decided, but nothing is made or sent until it is resumed.
 */
import { findCompany } from "../../companies";
import { done, type Handler, snooze } from "../../platform/outbox";
import { findTestDocuments } from "../invoices";
import { nextStep, type Step } from "./machine";
import { type AdvanceDeps, end, goOn, type Work, write } from "./step-work";
import { changeCase, findCases, findSet, noteProgress } from "./store";
import { fail, generate, play, send } from "./take-step";
import { type CaseRow, inSendOrder } from "./test-set-row";

/** Between two looks at a document that is on its way; its verdict wakes the set, and this is the safety net. Units: seconds. */
const LOOK_AGAIN_MIN_SECONDS = 0.2;
const LOOK_AGAIN_MAX_SECONDS = 5;

/** What a company has to be active for. */
const WORKING: ReadonlySet<Step["kind"]> = new Set(["begin", "generate", "send", "rehearse"]);

export function createAdvance(deps: AdvanceDeps): Handler {
	return async (message) => {
		const set = await findSet(deps.sql, message.subject);
		if (!set) return done;
		const work = { deps, message, set };
		const cases = inSendOrder(await noteVerdicts(work, await findCases(deps.sql, set.id, set.run)));
		const step = nextStep(set, cases, deps.clock.now());
		if (WORKING.has(step.kind)) {
			const company = await findCompany(deps.sql, set.tenantId);
			if (company?.status !== "active") return snooze(LOOK_AGAIN_MAX_SECONDS);
		}
		switch (step.kind) {
			case "nothing":
				// What was on its way when the set ended is decided all the same, and the record tells it.
				return cases.some(isOnItsWay) ? snooze(lookAgainSeconds(cases, deps.clock.now())) : done;
			case "wait":
				return snooze(lookAgainSeconds(cases, deps.clock.now()));
			case "begin":
				return goOn(work, "picked-up");
			case "close":
				return goOn(work, "all-sent");
			case "generate":
				return generate(work);
			case "send":
				return send(work, step.name);
			case "rehearse":
				return play(work);
			case "expire":
				return end(work, "expired");
			case "pass":
				return end(work, "all-accepted");
			case "fail":
				return fail(work, cases, step.name);
		}
	};
}

/** The cases with the verdicts that have come since the last look; they are written down too. */
async function noteVerdicts(work: Work, cases: readonly CaseRow[]): Promise<CaseRow[]> {
	const { deps, set } = work;
	const waiting = cases.filter(isOnItsWay);
	if (waiting.length === 0) return [...cases];
	const states = await findTestDocuments(
		deps.sql,
		waiting.map(({ docId }) => docId),
	);
	const changed = waiting.flatMap((one) => {
		const state = states.find(({ docId }) => docId === one.docId);
		const isNews = state && (state.status !== one.status || state.authority?.trackId !== one.authority?.trackId);
		return isNews ? [{ ...one, status: state.status, authority: state.authority }] : [];
	});
	if (changed.length === 0) return [...cases];
	await write(work, async (tx) => {
		for (const one of changed) await changeCase(tx, set, one);
		await noteProgress(tx, set.id);
	});
	return cases.map((one) => changed.find(({ ordinal }) => ordinal === one.ordinal) ?? one);
}

function isOnItsWay({ status }: CaseRow): boolean {
	return status === "pending";
}

function lookAgainSeconds(cases: readonly CaseRow[], now: Date): number {
	const sentAt = cases.find(({ status }) => status === "pending")?.sentAt ?? now;
	const ageSeconds = Math.max(0, now.getTime() - sentAt.getTime()) / 1_000;
	return Math.min(LOOK_AGAIN_MAX_SECONDS, Math.max(LOOK_AGAIN_MIN_SECONDS, ageSeconds / 4));
}
