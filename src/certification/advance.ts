/**
 * Handler of `certification.advance`: brings a test set on, a step at a time; which one is decided in machine.ts.
 *
 *   read set and cases ─▶ note the verdicts that have come ─▶ next step ─▶ one transaction: message held? set where it was? then write
 *
 * Killed anywhere, it begins again at what is stored. Generating stores all documents of a run or none. Sending stores the invoice, its message and
 * the case in one transaction, and from there the invoice goes the road of every invoice. A set that was cancelled meanwhile is
 * somewhere else when the step wants to write, and the step is dropped.
 */
import { type Segment, toSegment } from "../authority";
import { findIssuers } from "../companies";
import type { Sql, Tx } from "../database";
import { findTestDocuments, type Signatory, storeTestDocument, type TestIssuer } from "../invoices";
import { done, type Handler, lockHeldMessage, type Message, type Outcome, snooze } from "../outbox";
import { Problem } from "../problem";
import type { Clock, Environment } from "../values";
import { chooseStart, sharesNumbers } from "./choose-numbers";
import { composeSet } from "./composition";
import { concludeSet, type Ending, toFailure } from "./conclude";
import { type GenerateDeps, generateCases, toLocalFailure } from "./generate";
import { type Happening, move, nextStep } from "./machine";
import { rehearse, type Stage } from "./rehearse";
import {
	changeCase,
	findCaseFile,
	findCaseFiles,
	findCases,
	findSet,
	insertCases,
	lockSet,
	moveSet,
	noteProgress,
} from "./store";
import { type CaseRow, type Failure, inSendOrder, type TestSetRow } from "./test-set-row";

export type AdvanceDeps = GenerateDeps & {
	readonly sql: Sql;
	readonly environment: Environment;
	readonly clock: Clock;
	/** Starts a simulator of its own for a rehearsal, and a client for it. */
	readonly openStage: () => Promise<Stage>;
	/** Tells dispatchers that messages wait. */
	readonly wake: () => void;
};

type Work = { readonly deps: AdvanceDeps; readonly message: Message; readonly set: TestSetRow };

/** Where test sets go in every environment: there the authority counts them, and they have no fiscal effect. */
const SEGMENT: Segment = toSegment("certification");

/** Between two looks at a document that is on its way; its verdict wakes the set, and this is the safety net. Units: seconds. */
const LOOK_AGAIN_MIN_SECONDS = 0.2;
const LOOK_AGAIN_MAX_SECONDS = 5;

export function createAdvance(deps: AdvanceDeps): Handler {
	return async (message) => {
		const set = await findSet(deps.sql, message.subject);
		if (!set) return done;
		const work = { deps, message, set };
		const cases = inSendOrder(await noteVerdicts(work, await findCases(deps.sql, set.id, set.run)));
		const step = nextStep(set, cases, deps.clock.now());
		switch (step.kind) {
			case "nothing":
				return done;
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
	const waiting = cases.filter((one) => one.status === "pending" && !one.isRehearsed);
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

async function generate(work: Work): Promise<Outcome> {
	const { deps, set } = work;
	const now = deps.clock.now();
	const [issuer] = await findIssuers(deps.sql, [set.tenantId], now);
	if (!issuer) return end(work, "refused", toLocalFailure(null, new Problem("tenant-config-missing")));
	const { environment } = deps;
	const start = await chooseStart(deps.sql, set, issuer.company, composeSet(set.types));
	const generated = await generateCases(deps, set, { ...issuer, environment, now } satisfies TestIssuer, start);
	if ("failure" in generated) return end(work, "refused", generated.failure);
	return goOn(work, "all-signed", (tx) => insertCases(tx, set, generated.cases));
}

/** The case's document becomes an invoice, and its submission begins. */
async function send(work: Work, name: string): Promise<Outcome> {
	const { deps, set } = work;
	const [issuer] = await findIssuers(deps.sql, [set.tenantId], deps.clock.now());
	if (!issuer) throw new Error(`test set ${set.id} has no company`);
	const holdsNumber = sharesNumbers(issuer.company);
	let isFree = true;
	await write(work, async (tx) => {
		const file = await findCaseFile(tx, set, name);
		if (file?.status !== "generated") return;
		const { ordinal, document } = file;
		isFree = await storeTestDocument(tx, document, {
			...{ testSetId: set.id, holdsNumber, receivedAt: deps.clock.now() },
		});
		if (!isFree) return;
		await changeCase(tx, set, { ordinal, status: "pending", authority: null });
		await noteProgress(tx, set.id);
	});
	if (!isFree) return end(work, "refused", toLocalFailure(name, new Problem("encf-already-used")));
	deps.wake();
	return snooze(LOOK_AGAIN_MIN_SECONDS);
}

async function play(work: Work): Promise<Outcome> {
	const { deps, set } = work;
	const [issuer] = await findIssuers(deps.sql, [set.tenantId], deps.clock.now());
	if (!issuer?.identity) return end(work, "refused", toLocalFailure(null, new Problem("tenant-config-missing")));
	const { company, identity } = issuer;
	const signatory: Signatory = { identity, profile: company.settings.signatureProfile };
	const who = { segment: SEGMENT, certificateId: identity.thumbprint, identity: signatory };
	const files = inSendOrder(await findCaseFiles(deps.sql, set.id, set.run));
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

async function fail(work: Work, cases: readonly CaseRow[], name: string): Promise<Outcome> {
	const docId = cases.find((one) => one.name === name)?.docId ?? "";
	const [state] = await findTestDocuments(work.deps.sql, [docId]);
	return end(work, "refused", toFailure(name, state ?? { authority: null, failure: null }));
}

/** Another state, with what belongs to it, in one transaction. */
async function goOn(work: Work, happening: Happening, also?: (tx: Tx) => Promise<void>): Promise<Outcome> {
	const { set } = work;
	const to = move(set, happening, set.runsMax);
	if (!to) throw new Error(`test set ${set.id} is ${set.status}: ${happening} cannot happen to it`);
	await write(work, async (tx) => {
		await also?.(tx);
		await moveSet(tx, set.id, to);
	});
	return snooze(0);
}

async function end(work: Work, ending: Ending, failure: Failure | null = null): Promise<Outcome> {
	const { deps, set } = work;
	await write(work, async (tx) => {
		await concludeSet(tx, set, ending, deps.clock.now(), failure);
	});
	deps.wake();
	return snooze(0);
}

/** Writes on behalf of the message, if it is held and the set is where the step has found it; otherwise nothing. */
async function write({ deps, message, set }: Work, statements: (tx: Tx) => Promise<void>): Promise<void> {
	await deps.sql.begin(async (tx) => {
		if (!(await lockHeldMessage(tx, message))) {
			throw new Error(`message ${message.id} is no longer held by attempt ${message.attempt}`);
		}
		const now = await lockSet(tx, set.id);
		if (now?.status === set.status && now.run === set.run) await statements(tx);
	});
}

function lookAgainSeconds(cases: readonly CaseRow[], now: Date): number {
	const sentAt = cases.find(({ status }) => status === "pending")?.sentAt ?? now;
	const ageSeconds = Math.max(0, now.getTime() - sentAt.getTime()) / 1_000;
	return Math.min(LOOK_AGAIN_MAX_SECONDS, Math.max(LOOK_AGAIN_MIN_SECONDS, ageSeconds / 4));
}
