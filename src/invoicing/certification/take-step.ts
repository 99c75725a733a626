/** The steps that do something: sign a run, send a case, play a rehearsal, and end a run of which a document was not accepted. */
import { type Segment, toSegment, toWho } from "../../authority/client";
import { findIssuers, isActive } from "../../companies";
import type { Tx } from "../../platform/database";
import { type Outcome, snooze } from "../../platform/outbox";
import { Problem } from "../../platform/problem";
import { findTestDocuments, storeTestDocument, type TestIssuer } from "../invoices";
import { chooseStart, sharesNumbers } from "./choose-numbers";
import { composeSet } from "./composition";
import { concludeSet, toFailure } from "./conclude";
import { generateCases, toLocalFailure } from "./generate";
import { move } from "./machine";
import { rehearse } from "./rehearse";
import { end, goOn, type Work, write, writeWhere } from "./step-work";
import { changeCase, findCaseFile, findCaseFiles, insertCases, noteProgress } from "./store";
import { type CaseRow, inSendOrder } from "./test-set-row";

/**
 * Gap: where a set goes. In every environment to the authority's certification environment: there it is counted, and nothing has fiscal effect,
 * whatever the company has got to.
 */
const SEGMENT: Segment = toSegment("certification");

/** How soon a document that has just been sent is looked at; its verdict wakes the set. */
const FIRST_LOOK_SECONDS = 0.2;

export async function generate(work: Work): Promise<Outcome> {
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
export async function send(work: Work, name: string): Promise<Outcome> {
	const { deps, set } = work;
	const [issuer] = await findIssuers(deps.sql, [set.tenantId], deps.clock.now());
	if (!issuer) throw new Error(`test set ${set.id} has no company`);
	const holdsNumber = sharesNumbers(issuer.company);
	let isFree = true;
	// Whoever suspends the company waits for this, or this finds it suspended and the next look holds the set.
	const isAllowed = (tx: Tx) => isActive(tx, set.tenantId);
	await writeWhere(work, isAllowed, async (tx) => {
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
	return snooze(FIRST_LOOK_SECONDS);
}

export async function play(work: Work): Promise<Outcome> {
	const { deps, set } = work;
	const [issuer] = await findIssuers(deps.sql, [set.tenantId], deps.clock.now());
	if (!issuer?.identity) return end(work, "refused", toLocalFailure(null, new Problem("tenant-config-missing")));
	const { company, identity } = issuer;
	const who = toWho(SEGMENT, identity, company.settings.signatureProfile);
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

export async function fail(work: Work, cases: readonly CaseRow[], name: string): Promise<Outcome> {
	const docId = cases.find((one) => one.name === name)?.docId ?? "";
	const [state] = await findTestDocuments(work.deps.sql, [docId]);
	return end(work, "refused", toFailure(name, state ?? { authority: null, failure: null }));
}
