import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Archive,
	ArchiveConflictError,
	type ArchiveObject,
	getArchiveObject,
	insertArchiveObjects,
	openArchive,
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
	const objectKey = `${tenantId}/2026/${newId()}.zip`;
	const decidedAt = new Date("2026-11-20T14:20:00.902Z");
	const retainUntil = new Date("2036-11-20T14:20:00.902Z");
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
	expect(await getArchiveObject(database.sql, object.docId)).toMatchObject(object);
	expect(await getArchiveObject(database.sql, newId())).toBeUndefined();
	await expect(insert({ ...object, sha256: "00".repeat(32) })).rejects.toBeInstanceOf(ArchiveConflictError);
	await expect(insert({ ...object, docId: newId() })).rejects.toBeInstanceOf(ArchiveConflictError);
});

test("a document decided again has an object per decision; the latest is found", async () => {
	const failed = await put("failed");
	const accepted = await put("accepted", { docId: failed.docId, decidedAt: new Date("2026-11-21T09:00:00Z") });
	expect(await getArchiveObject(database.sql, failed.docId)).toMatchObject(accepted);
	const all = await database.sql`select object_key from archive_leaves where doc_id = ${failed.docId}`;
	expect(all).toHaveLength(2);
});

test("the index accepts only new rows and longer retention, even from its owner", async () => {
	const { objectKey } = await put("kept");
	const { owner: sql } = database;
	const attempts = [
		sql`update archive_objects set retain_until = retain_until - interval '1 second' where object_key = ${objectKey}`,
		sql`update archive_objects set retain_until = retain_until where object_key = ${objectKey}`,
		sql`update archive_objects set retain_until = null where object_key = ${objectKey}`,
		sql`update archive_objects set retain_until = retain_until + interval '1 day', bytes = 1 where object_key = ${objectKey}`,
		sql`update archive_objects set sha256 = ${Buffer.alloc(32)} where object_key = ${objectKey}`,
		sql`update archive_objects set object_key = 'x' where object_key = ${objectKey}`,
		sql`update archive_objects set doc_id = ${newId()} where object_key = ${objectKey}`,
		sql`update archive_objects set decided_at = now(), retain_until = now() + interval '90 years' where object_key = ${objectKey}`,
		sql`delete from archive_objects where object_key = ${objectKey}`,
		sql`delete from archive_objects`,
		sql`truncate archive_objects`,
		sql`truncate archive_objects cascade`,
		sql`insert into archive_objects select * from archive_objects where object_key = ${objectKey}
			on conflict (object_key) do update set bytes = 1`,
	];
	for (const attempt of attempts) {
		const error = await attempt.then(
			() => undefined,
			(e: Error) => e,
		);
		expect(error?.message).toMatch(/is written once|is not allowed/);
	}
	await sql`update archive_objects set retain_until = retain_until + interval '1 year' where object_key = ${objectKey}`;
	const [row] = await sql`select retain_until from archive_objects where object_key = ${objectKey}`;
	expect(row?.retain_until).toEqual(new Date("2037-11-20T14:20:00.902Z"));
});
