/** A rehearsal at a simulator that finds something wrong: it ends like the real thing, and leaves nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, type Signatory } from "../../src/authority/client";
import { signReceivedXml } from "../../src/ecf/signing";
import { operatorActor } from "../../src/identity/audit-log";
import { hasPassedTestSet, type Stage } from "../../src/invoicing/certification";
import { retrySet } from "../../src/invoicing/certification/ask-for-set";
import { findCaseFiles, findCases } from "../../src/invoicing/certification/store";
import { createLog } from "../../src/platform/telemetry";
import { systemClock } from "../../src/platform/values";
import { type SandboxAuthority, startRehearsalAuthority, startSandboxAuthority } from "../../src/sandbox/simulator";
import { anIdentity } from "../ecf/signing/samples";
import { addSet, listInvoices, openHandler, readSet, takeStepsUntil } from "../invoicing/certification/support/steps";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { addCompany } from "../support/submission";

const folder = mkdtempSync(join(tmpdir(), "sello-rehearse-"));
let database: TestDatabase;
let simulator: SandboxAuthority;
beforeAll(async () => {
	[database, simulator] = await Promise.all([openTestDatabase(), startSandboxAuthority(folder, 0, true)]);
}, 120_000);
afterAll(async () => {
	await Promise.all([database.close(), simulator.stop()]);
	rmSync(folder, { recursive: true });
});

/** A client for a simulator. */
async function stageAt({ url, stop }: Pick<SandboxAuthority, "url" | "stop">): Promise<Stage> {
	const identity = await anIdentity();
	const urls = { main: url, fc: url, status: url };
	const authority = createAuthority<Signatory>({
		...{ urls, log: createLog("silent", "test"), connectTimeoutMs: 30_000, answerTimeoutMs: 30_000 },
		signSeed: async (seed, { profile }) => signReceivedXml(seed, identity, { profile, signedAt: new Date() }),
	});
	return { authority, stop };
}

test("a rejection ends the rehearsal, and the next run passes with the same numbers", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const [company] = await sql<{ rnc: string }[]>`select rnc from companies where tenant_id = ${tenantId}`;
	const stand = (standing: string) =>
		fetch(`${simulator.url}/_simulator/taxpayers`, {
			method: "POST",
			body: JSON.stringify({ rnc: company?.rnc, standing }),
		});
	expect((await stand("not-in-certification")).ok).toBe(true);
	const id = await addSet(sql, tenantId, ["34"], "simulate");
	const handler = await openHandler(sql, {
		openStage: () => stageAt({ url: simulator.url, stop: async () => undefined }),
	});
	await takeStepsUntil(sql, handler, id, "failed");
	expect(await readSet(sql, id)).toMatchObject({ failure: { case: "E31-04", code: "1209" } });
	expect((await findCases(sql, { tenantId, id, run: 1 })).map(({ name, status }) => `${name} ${status}`)).toEqual([
		...["E31-04 rejected", "E34-12 withdrawn", "E34-13 withdrawn", "E41-14 withdrawn"],
	]);

	await sql.begin((tx) => retrySet(tx, tenantId, id, { actor: operatorActor(), at: systemClock.now() }));
	const fresh = await openHandler(sql, { openStage: async () => stageAt(await startRehearsalAuthority()) });
	await takeStepsUntil(sql, fresh, id, "passed");
	const files = await findCaseFiles(sql, { tenantId, id, run: 2 });
	expect(files.every(({ status, answers }) => status === "accepted" && answers.length > 1)).toBe(true);
	const first = await findCases(sql, { tenantId, id, run: 1 });
	expect(files.map(({ encf }) => encf)).toEqual(first.map(({ encf }) => encf));
	expect(await listInvoices(sql, id)).toEqual([]);
	expect(await hasPassedTestSet(sql, tenantId, "staging")).toBe(false);
}, 120_000);
