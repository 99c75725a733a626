/** A crash on a document's way into the archive, at each step of it, and what the next life finds. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openArchive, verifyArchive } from "../../src/archive";
import { createArchiveInvoice } from "../../src/invoices";
import { newId } from "../../src/values";
import { openTestDatabase, type TestDatabase } from "../support/database";

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

/** A decided document whose message waits, by SQL alone. */
async function decide(): Promise<string> {
	const [docId, tenantId] = [newId(), newId()];
	await database.owner.begin(async (tx) => {
		await tx`set local session_replication_role = replica`;
		await tx`
			insert into invoices (doc_id, track_id, tenant_id, type, encf, client_request_id, request, acknowledgement, print, warnings, registry,
				signed_at, status, phase, version, received_at, updated_at, decided_at)
			values (${docId}, ${newId()}, ${tenantId}, '31', 'E310000000001', 'order', '{"type":"31"}', '{}', '{}', '[]', '{}',
				now(), 'accepted', 'decided', 2, now(), now(), date_trunc('milliseconds', now()))`;
		await tx`
			insert into signed_documents (doc_id, kind, bytes, sha256)
			values (${docId}, 'ecf', ${Buffer.from("<ECF/>")}, ${Buffer.alloc(32)})`;
		await tx`
			insert into outbox (id, kind, tenant_id, subject) values (${newId()}, 'invoice.archive', ${tenantId}, ${docId})`;
	});
	return docId;
}

/** A life of the service that carries the message out and dies at the point. */
async function die(docId: string, point: string): Promise<unknown> {
	const script = `
		import { createArchiveInvoice } from "${import.meta.dir}/../../src/invoices";
		import { openArchive } from "${import.meta.dir}/../../src/archive";
		import { connect } from "${import.meta.dir}/../../src/database";
		const sql = connect({ url: process.env.URL, name: "life", connectionsMax: 2 });
		const archive = await openArchive(process.env.FOLDER);
		await createArchiveInvoice({ sql, archive, environment: "sandbox" })({ subject: process.env.DOC });
		process.exit(0);`;
	const child = Bun.spawn([process.execPath, "-e", script], {
		env: { ...process.env, NODE_ENV: "test", FAULT_POINT: `${point}:1`, URL: database.url, FOLDER: folder, DOC: docId },
		stderr: "inherit",
	});
	await child.exited;
	return child.signalCode;
}

test("a life that ends on the way into the archive leaves no half object and no row without one, and the next one ends the way", async () => {
	const { sql } = database;
	const documents: string[] = [];
	for (const point of ["archive-written", "archive-linked", "archive-synced"]) {
		const docId = await decide();
		documents.push(docId);
		expect([point, await die(docId, point)]).toEqual([point, "SIGKILL"]);
		// An object without a row is none that is strange, as long as its message waits.
		const archive = await openArchive(folder);
		const between = await verifyArchive({ sql, archive, environment: "sandbox" });
		expect(between).toMatchObject({ objects: documents.length - 1, verified: documents.length - 1, faults: [] });
		const message = { subject: docId } as Parameters<ReturnType<typeof createArchiveInvoice>>[0];
		await createArchiveInvoice({ sql, archive, environment: "sandbox" })(message);
		await sql`update outbox set state = 'done' where subject = ${docId}`;
		const after = await verifyArchive({ sql, archive, environment: "sandbox" });
		expect(after).toMatchObject({ objects: documents.length, verified: documents.length, faults: [] });
		expect(readdirSync(join(folder, ".temporary"))).toEqual([]);
	}
	const rows = await sql`select doc_id as "docId" from archive_objects`;
	expect(rows.map(({ docId }) => docId).sort()).toEqual(documents.sort());
}, 120_000);

test("what a life has written and not noted is what the next one notes, though the authority has answered again meanwhile", async () => {
	const { sql } = database;
	const docId = await decide();
	expect(await die(docId, "archive-synced")).toBe("SIGKILL");
	await database.owner.begin(async (tx) => {
		await tx`set local session_replication_role = replica`;
		await tx`
			insert into authority_answers (doc_id, at, operation, http_status, media_type, body)
			values (${docId}, now(), 'result', 200, 'application/json', '{}')`;
	});
	const archive = await openArchive(folder);
	const message = { subject: docId, attempt: 2 } as Parameters<ReturnType<typeof createArchiveInvoice>>[0];
	await createArchiveInvoice({ sql, archive, environment: "sandbox" })(message);
	await sql`update outbox set state = 'done' where subject = ${docId}`;
	expect(await verifyArchive({ sql, archive, environment: "sandbox" })).toMatchObject({ faults: [] });
}, 120_000);
