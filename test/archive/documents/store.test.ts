import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Archive,
	type ArchiveObject,
	getArchiveObject,
	insertArchiveObjects,
	openArchive,
	sealedObjectKey,
} from "../../../src/archive";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
let folder: string;
let archive: Archive;
beforeAll(async () => {
	database = await openTestDatabase();
	folder = mkdtempSync(join(tmpdir(), "sello-archive-"));
	archive = await openArchive(folder);
});
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

const tenantId = newId();

async function put(content: string, change: Partial<ArchiveObject> = {}): Promise<ArchiveObject> {
	const docId = change.docId ?? newId();
	const decidedAt = change.decidedAt ?? new Date("2026-11-20T14:20:00.902Z");
	const retainUntil = new Date("2036-11-20T14:20:00.902Z");
	const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
	const objectKey = sealedObjectKey({ tenantId, docId, decidedAt, sha256: digest });
	const { sha256, bytes } = await archive.putOnce(objectKey, Buffer.from(content), { retainUntil });
	const versionId = null;
	const object = { docId, tenantId, objectKey, sha256, bytes, decidedAt, retainUntil, versionId, ...change };
	await insert(object);
	return object;
}

const insert = (object: ArchiveObject) => database.sql.begin((tx) => insertArchiveObjects(tx, [object]));

test("an object is found by its document; the same object again changes nothing", async () => {
	const object = await put("one");
	await insert(object);
	expect(await getArchiveObject(database.sql, tenantId, object.docId)).toMatchObject(object);
	expect(await getArchiveObject(database.sql, tenantId, newId())).toBeUndefined();
	expect(
		await database.sql`select n from seals where tenant_id = ${tenantId} and doc_id = ${object.docId}`,
	).toHaveLength(1);
});

test("a document decided again has an object per decision; the latest is found", async () => {
	const failed = await put("failed");
	const accepted = await put("accepted", { docId: failed.docId, decidedAt: new Date("2026-11-21T09:00:00Z") });
	expect(await getArchiveObject(database.sql, tenantId, failed.docId)).toMatchObject(accepted);
	const all =
		await database.sql`select n from seals where tenant_id = ${tenantId} and doc_id = ${failed.docId} order by leaf`;
	expect(all.map(({ n }) => n)).toEqual([1, 2]);
});

test("the index accepts only new rows and longer retention, even from its owner", async () => {
	const { docId } = await put("kept");
	const { owner: sql } = database;
	const attempts = [
		sql`update seals set retain_until = retain_until - interval '1 second' where doc_id = ${docId}`,
		sql`update seals set retain_until = retain_until where doc_id = ${docId}`,
		sql`update seals set retain_until = null where doc_id = ${docId}`,
		sql`update seals set retain_until = retain_until + interval '1 day', bytes = 1 where doc_id = ${docId}`,
		sql`update seals set sha256 = ${Buffer.alloc(32)} where doc_id = ${docId}`,
		sql`update seals set doc_id = ${newId()} where doc_id = ${docId}`,
		sql`update seals set leaf = 9 where doc_id = ${docId}`,
		sql`update seals set removed_at = now() where doc_id = ${docId}`,
		sql`update seals set decided_at = '2026-11-20', retain_until = now() + interval '90 years' where doc_id = ${docId}`,
		sql`delete from seals where doc_id = ${docId}`,
		sql`delete from seals`,
		sql`truncate seals`,
		sql`truncate seals cascade`,
		sql`insert into seals select * from seals where doc_id = ${docId}
			on conflict (tenant_id, doc_id, n) do update set bytes = 1`,
		sql`update tree_blocks set hashes = ${Buffer.alloc(32)}`,
		sql`update tree_blocks set hashes = substring(hashes for 32)`,
		sql`delete from tree_blocks`,
	];
	for (const attempt of attempts) {
		const error = await attempt.then(
			() => undefined,
			(e: Error) => e,
		);
		expect(error?.message).toMatch(/is written once|is not allowed/);
	}
	await sql`update seals set retain_until = retain_until + interval '1 year' where doc_id = ${docId}`;
	const [row] = await sql`select retain_until from seals where doc_id = ${docId}`;
	expect(row?.retain_until).toEqual(new Date("2037-11-20T14:20:00.902Z"));
});
