/** Received documents whose papers have left the database. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type SealParts, sealDocument } from "../../../src/archive";
import { openSealed, readManifest } from "../../../src/archive/documents/seal";
import { findReceivedParts, readReceivedFile } from "../../../src/exchange/reception";
import { addArchived } from "../../support/archived";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { rewrite } from "../../support/documents";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

/** As the archive reads a document back. */
function readBack(parts: Omit<SealParts, "retainUntil">) {
	const bytes = sealDocument({ ...parts, retainUntil: new Date("2036-11-20T00:00:00Z") });
	const entries = openSealed(bytes);
	const texts = Object.fromEntries(
		Object.entries(entries).map(([name, entry]) => [name, Buffer.from(entry).toString()]),
	);
	return { manifest: readManifest(bytes), texts, ecf: entries["ecf.xml"] ?? new Uint8Array() };
}

test("a document and its answer are read from the archive, byte for byte", async () => {
	const { sql, owner } = database;
	const { tenantId } = await addArchived(sql, "staging");
	const [row] = await sql<{ id: string }[]>`select id from received_papers where tenant_id = ${tenantId}`;
	const id = row?.id ?? "";
	const xml = Buffer.from("<ECF>\u00e9</ECF>", "latin1");
	await rewrite(owner, (tx) => tx`update received_papers set xml = ${xml} where id = ${id}`);
	const parts = await findReceivedParts({ sql, environment: "staging" }, { tenantId, docId: id });
	if (!parts) throw new Error("expected a received document");
	const unread = () => Promise.reject(new Error("the papers are in the database"));
	const before = await readReceivedFile({ sql, readSealed: unread }, tenantId, id);
	await rewrite(owner, (tx) => tx`delete from received_papers where id = ${id}`);
	const after = await readReceivedFile({ sql, readSealed: async () => readBack(parts) }, tenantId, id);
	expect([Buffer.from(after.xml), Buffer.from(after.arecf ?? "")]).toEqual([xml, Buffer.from("<ARECF/>")]);
	expect(before).toEqual({ xml, arecf: Buffer.from("<ARECF/>") });
	expect(await findReceivedParts({ sql, environment: "staging" }, { tenantId, docId: id })).toBeUndefined();
});
