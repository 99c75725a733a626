/**
 * Handler of `certification.advance`: advances a test set by one step, which `machine.ts` decides.
 *
 *   read set and cases ─▶ record new verdicts ─▶ next step ─▶ one transaction: lease kept? set unchanged? then write
 *
 * After a crash it resumes from stored state. Generating stores all documents of a run or none. Sending stores the invoice, its message and the case in
 * one transaction; from there the invoice is submitted like any other. If a set was cancelled meanwhile, the step is dropped. While the company is
 * suspended or closed, verdicts are recorded, but nothing is generated or sent.
 */

import { type Segment, toCaller, toSegment } from "../../authority/client";
import { findCompany, findIssuers, isActive } from "../../companies";
import type { Tx } from "../../platform/database";
import { done, type Handler, type Outcome, snooze } from "../../platform/outbox";
import { Problem } from "../../platform/problem";
import { findTestDocuments, storeTestDocument, type TestIssuer } from "../invoices";
import { composeSet } from "./composition";
import { chooseStart, generateCases, toLocalFailure } from "./generate";
import { move, nextStep, type Step } from "./machine";
import { rehearse } from "./rehearse";
import { concludeSet, end, goOn, type StepTools, toFailure, type Work, write, writeWhere } from "./step-work";
import { changeCase, findCaseFile, findCaseFiles, findCases, findSet, insertCases, noteProgress } from "./store";
import { type CaseRow, inSendOrder } from "./test-set";

/** Time between polls of a submitted document. A safety net: the verdict wakes the set. */
const POLL_MIN_SECONDS = 0.2;
const POLL_MAX_SECONDS = 5;

/** Steps that need an active company. */
const WORKING: ReadonlySet<Step["kind"]> = new Set(["begin", "generate", "send", "rehearse"]);

export function createAdvance(deps: StepTools): Handler {
	return async (message) => {
		const set = await findSet(deps.sql, message.tenantId, message.subject);
		if (!set) return done;
		const work = { deps, message, set };
		const cases = inSendOrder(await noteVerdicts(work, await findCases(deps.sql, set)));
		const step = nextStep(set, cases, deps.clock.now());
		if (WORKING.has(step.kind)) {
			const company = await findCompany(deps.sql, set.tenantId);
			if (company?.status !== "active") return snooze(POLL_MAX_SECONDS);
		}
		switch (step.kind) {
			case "nothing":
				// A document that was submitted when the set ended is decided all the same, and the record shows it.
				return cases.some(isOnItsWay) ? snooze(secondsToNextPoll(cases, deps.clock.now())) : done;
			case "wait":
				return snooze(secondsToNextPoll(cases, deps.clock.now()));
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

/** Records verdicts since the last poll. Returns the cases with them. */
async function noteVerdicts(work: Work, cases: readonly CaseRow[]): Promise<CaseRow[]> {
	const { deps, set } = work;
	const waiting = cases.filter(isOnItsWay);
	if (waiting.length === 0) return [...cases];
	const states = await findTestDocuments(
		deps.sql,
		set.tenantId,
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
		await noteProgress(tx, set);
	});
	return cases.map((one) => changed.find(({ ordinal }) => ordinal === one.ordinal) ?? one);
}

function isOnItsWay({ status }: CaseRow): boolean {
	return status === "pending";
}

function secondsToNextPoll(cases: readonly CaseRow[], now: Date): number {
	const sentAt = cases.find(({ status }) => status === "pending")?.sentAt ?? now;
	const ageSeconds = Math.max(0, now.getTime() - sentAt.getTime()) / 1_000;
	return Math.min(POLL_MAX_SECONDS, Math.max(POLL_MIN_SECONDS, ageSeconds / 4));
}

/** Gap: a set always goes to the authority's certification environment. There it counts and has no fiscal effect, whatever the company's environment. */
const SEGMENT: Segment = toSegment("certification");

/** Time until the first poll of a sent document. */
const FIRST_POLL_SECONDS = 0.2;

export async function generate(work: Work): Promise<Outcome> {
	const { deps, set } = work;
	const now = deps.clock.now();
	const [issuer] = await findIssuers(deps.sql, [set.tenantId], now);
	if (!issuer) return end(work, "refused", toLocalFailure(null, new Problem("tenant-config-missing")));
	const { environment } = deps;
	const start = await chooseStart(deps.sql, set, composeSet(set.types));
	const generated = await generateCases(deps, set, { ...issuer, environment, now } satisfies TestIssuer, start);
	if ("failure" in generated) return end(work, "refused", generated.failure);
	return goOn(work, "all-signed", (tx) => insertCases(tx, set, generated.cases));
}

/** Stores the case's document as an invoice, whose submission begins. */
export async function send(work: Work, name: string): Promise<Outcome> {
	const { deps, set } = work;
	let isFree = true;
	// A suspension waits for this transaction, or this transaction finds the company suspended.
	const isAllowed = (tx: Tx) => isActive(tx, set.tenantId);
	await writeWhere(work, isAllowed, async (tx) => {
		const file = await findCaseFile(tx, set, name);
		if (file?.status !== "generated") return;
		const { ordinal, document } = file;
		isFree = await storeTestDocument(tx, document, { testSetId: set.id, receivedAt: deps.clock.now() });
		if (!isFree) return;
		await changeCase(tx, set, { ordinal, status: "pending", authority: null });
		await noteProgress(tx, set);
	});
	if (!isFree) return end(work, "refused", toLocalFailure(name, new Problem("encf-already-used")));
	deps.wake();
	return snooze(FIRST_POLL_SECONDS);
}

export async function play(work: Work): Promise<Outcome> {
	const { deps, set } = work;
	const [issuer] = await findIssuers(deps.sql, [set.tenantId], deps.clock.now());
	if (!issuer?.identity) return end(work, "refused", toLocalFailure(null, new Problem("tenant-config-missing")));
	const { company, identity } = issuer;
	const who = toCaller(SEGMENT, identity, company.settings.signatureProfile);
	const files = inSendOrder(await findCaseFiles(deps.sql, set));
	const stage = await deps.openStage();
	const changes = await rehearse(stage, who, company.rnc, files).finally(stage.stop);
	const bad = changes.find(({ status }) => status !== "accepted");
	const badName = files.find(({ ordinal }) => ordinal === bad?.ordinal)?.name;
	const now = deps.clock.now();
	await write(work, async (tx) => {
		for (const change of changes) await changeCase(tx, set, change);
		if (bad && badName !== undefined) {
			await concludeSet(tx, set, "refused", now, toFailure(badName, { ...bad, failure: null }));
			return;
		}
		const sent = move(set, "all-sent", set.runsMax);
		if (sent) await concludeSet(tx, { ...set, ...sent }, "all-accepted", now);
	});
	deps.wake();
	return snooze(0);
}

export async function fail(work: Work, cases: readonly CaseRow[], name: string): Promise<Outcome> {
	const docId = cases.find((one) => one.name === name)?.docId ?? "";
	const [state] = await findTestDocuments(work.deps.sql, work.set.tenantId, [docId]);
	return end(work, "refused", toFailure(name, state ?? { authority: null, failure: null }));
}
