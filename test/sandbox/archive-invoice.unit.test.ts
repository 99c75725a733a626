/** A crash on a document's way into the archive, at each step of it, and what the next life finds; and one that was stopped for too long. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createArchiveEraser, openArchive, verifyArchive } from "../../src/archive";
import { createArchiveInvoice } from "../../src/invoicing/invoices";
import { writeStep } from "../../src/invoicing/invoices/model/steps";
import { LeaseLostError, type Message } from "../../src/platform/outbox";
import { createLog } from "../../src/platform/telemetry";
import { newId, systemClock } from "../../src/platform/values";
import { wipeOld } from "../../src/sandbox/wipe";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { rewrite } from "../support/documents";
import { holdMessage, letGo } from "../support/held-messages";
import { addCompany, addInvoice, decide } from "../support/submission";
import { until } from "../support/until";

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
	database = await openTestDatabase();
	folder = mkdtempSync(join(tmpdir(), "sello-archive-crash-"));
}, 120_000);
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

/** A decided document whose message waits. */
async function addDecided(): Promise<string> {
	const { sql } = database;
	const document = await addInvoice(sql, await addCompany(sql));
	await decide(sql, [document]);
	await sql`update outbox set kind = 'invoice.archive' where subject = ${document.docId}`;
	return document.docId;
}

/** The document's message, taken by a new lane whatever became of the last one. */
const take = (docId: string): Promise<Message> => holdMessage(database.sql, docId);

/** A life of the service that carries the message out, with what it does once the object is written. */
function live(message: Message, settings: Record<string, string>, onceWritten = "") {
	const script = `
		import { createArchiveInvoice } from "${import.meta.dir}/../../src/invoicing/invoices";
		import { openArchive } from "${import.meta.dir}/../../src/archive";
		import { connect } from "${import.meta.dir}/../../src/platform/database";
		const sql = connect({ url: process.env.URL, name: "life", connectionsMax: 2 });
		const store = await openArchive(process.env.FOLDER);
		const putOnce = async (...object) => {
			const put = await store.putOnce(...object);
			${onceWritten}
			return put;
		};
		const archive = { ...store, putOnce };
		const message = { ...JSON.parse(process.env.MESSAGE), leaseLeftMs: () => 60_000 };
		const handler = createArchiveInvoice({ sql, archive, environment: "sandbox" });
		process.exit(await handler(message).then(() => 0, (error) => error.name === "LeaseLostError" ? 7 : 1));`;
	const given = { NODE_ENV: "test", URL: database.url, FOLDER: folder, MESSAGE: JSON.stringify(message) };
	return Bun.spawn([process.execPath, "-e", script], {
		env: { ...process.env, ...given, ...settings },
		stderr: "inherit",
	});
}

/** A life that dies at the point. */
async function die(docId: string, point: string): Promise<unknown> {
	const child = live(await take(docId), { FAULT_POINT: `${point}:1` });
	await child.exited;
	return child.signalCode;
}

const isStopped = (pid: number) => /^State:\tT/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

test("a crash while archiving leaves nothing partial; the next process completes it", async () => {
	const { sql } = database;
	const documents: string[] = [];
	for (const point of ["archive-written", "archive-linked", "archive-synced"]) {
		const docId = await addDecided();
		documents.push(docId);
		expect([point, await die(docId, point)]).toEqual([point, "SIGKILL"]);
		// An object without a row is none that is strange, as long as its message waits.
		const archive = await openArchive(folder);
		const between = await verifyArchive({ sql, archive });
		expect(between).toMatchObject({ objects: documents.length - 1, verified: documents.length - 1, faults: [] });
		await createArchiveInvoice({ sql, archive, environment: "sandbox" })(await take(docId));
		await sql`delete from outbox where subject = ${docId}`;
		const after = await verifyArchive({ sql, archive });
		expect(after).toMatchObject({ objects: documents.length, verified: documents.length, faults: [] });
		expect(readdirSync(join(folder, ".temporary"))).toEqual([]);
	}
	const rows = await sql`select doc_id as "docId" from seals`;
	expect(rows.map(({ docId }) => docId).sort()).toEqual(documents.sort());
}, 120_000);

test("the next process records what a crashed one has written", async () => {
	const { sql } = database;
	const docId = await addDecided();
	expect(await die(docId, "archive-synced")).toBe("SIGKILL");
	const late = writeStep({
		answers: [
			{ at: new Date().toISOString(), operation: "result", httpStatus: 200, mediaType: "application/json", body: "{}" },
		],
	});
	await sql`insert into steps (tenant_id, doc_id, n, body) select tenant_id, doc_id, 2, ${Buffer.from(late)} from documents where doc_id = ${docId}`;
	const archive = await openArchive(folder);
	await createArchiveInvoice({ sql, archive, environment: "sandbox" })(await take(docId));
	await sql`delete from outbox where subject = ${docId}`;
	expect(await verifyArchive({ sql, archive })).toMatchObject({ faults: [] });
}, 120_000);

test("a paused process records nothing of a document wiped meanwhile", async () => {
	const { sql } = database;
	const docId = await addDecided();
	const message = await take(docId);
	const { tenantId } = message;
	await rewrite(
		database.owner,
		(tx) => tx`
			update companies set environment = 'public-sandbox', created_at = now() - interval '2 days' where tenant_id = ${tenantId}`,
	);
	const child = live(message, {}, "process.kill(process.pid, 'SIGSTOP');");
	await until(() => isStopped(child.pid));
	await letGo(sql, message);
	const wiped = await wipeOld({
		...{
			sql,
			archive: createArchiveEraser(folder),
			closeTenant: async () => undefined,
			demoTenantId: newId(),
			pauseMs: 0,
		},
		...{ clock: systemClock, log: createLog("silent", "test") },
	});
	expect(wiped).toMatchObject({ tenants: 1 });
	child.kill("SIGCONT");
	expect(await child.exited).toBe(7);
	expect([...(await sql`select 1 from seals where tenant_id = ${tenantId}`)]).toEqual([]);
	expect(existsSync(join(folder, tenantId))).toBe(false);
}, 120_000);

test("a life whose lease is over writes no object", async () => {
	const docId = await addDecided();
	const message = { ...(await take(docId)), leaseLeftMs: () => -1 };
	const archive = await openArchive(folder);
	const handler = createArchiveInvoice({ sql: database.sql, archive, environment: "sandbox" });
	await expect(handler(message)).rejects.toThrow(LeaseLostError);
	expect(existsSync(join(folder, message.tenantId))).toBe(false);
	await database.sql`delete from outbox where subject = ${docId}`;
});
