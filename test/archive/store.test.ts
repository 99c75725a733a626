import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Archive,
	ArchiveConflictError,
	type ArchiveObject,
	getArchiveObject,
	insertArchiveObjects,
	listArchiveObjects,
	openArchive,
	verifyArchive,
} from "../../src/archive";
import { newId } from "../../src/values";
import { openTestDatabase, type TestDatabase } from "../support/database";

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

test("an object is found by its document, and the same object again changes nothing", async () => {
	const object = await put("one");
	await insert(object);
	expect(await getArchiveObject(database.sql, object.docId)).toMatchObject(object);
	expect(await getArchiveObject(database.sql, newId())).toBeUndefined();
	await expect(insert({ ...object, sha256: "00".repeat(32) })).rejects.toBeInstanceOf(ArchiveConflictError);
	await expect(insert({ ...object, docId: newId() })).rejects.toBeInstanceOf(ArchiveConflictError);
});

test("a document decided again has an object for each decision, and the latest is the one found", async () => {
	const failed = await put("failed");
	const accepted = await put("accepted", { docId: failed.docId, decidedAt: new Date("2026-11-21T09:00:00Z") });
	expect(await getArchiveObject(database.sql, failed.docId)).toMatchObject(accepted);
	const all = await listArchiveObjects(database.sql, { limit: 100 });
	expect(all.filter((object) => object.docId === failed.docId)).toHaveLength(2);
});

test("the index takes nothing but new rows and a later end of retention", async () => {
	const { objectKey } = await put("kept");
	const { sql } = database;
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

test("an archive as it was written verifies whole, and every change behind our back is named", async () => {
	const objects = await Promise.all(Array.from({ length: 60 }, (_, i) => put(`document number ${i}`)));
	const whole = await verifyArchive(database.sql, archive);
	expect(whole.faults).toEqual([]);
	expect(whole.verified).toBe(whole.objects);
	expect(whole.objects).toBeGreaterThanOrEqual(60);

	const expected = new Map<string, string>();
	const pathOf = (object: ArchiveObject) => join(folder, object.objectKey);
	const spoil = (object: ArchiveObject, content: Uint8Array) => {
		chmodSync(pathOf(object), 0o640);
		writeFileSync(pathOf(object), content);
		expected.set(object.objectKey, "changed");
	};
	for (const [i, object] of objects.entries()) {
		const bytes = readFileSync(pathOf(object));
		const neighbour = objects[i + 1];
		if (i % 6 === 0)
			spoil(
				object,
				bytes.map((byte, at) => (at === i % bytes.length ? byte ^ (1 << (i % 8)) : byte)),
			);
		if (i % 6 === 1) spoil(object, bytes.subarray(0, -1));
		if (i % 6 === 2) {
			rmSync(pathOf(object));
			expected.set(object.objectKey, "missing");
		}
		if (i % 6 === 3 && neighbour) {
			const other = readFileSync(pathOf(neighbour));
			spoil(object, other);
			spoil(neighbour, bytes);
		}
	}
	const spoilt = await verifyArchive(database.sql, archive);
	expect(new Map(spoilt.faults.map(({ key, fault }) => [key, fault as string]))).toEqual(expected);
	expect(spoilt.verified).toBe(spoilt.objects - expected.size);
	for (const { docId, key } of spoilt.faults) {
		expect(objects.find((object) => object.objectKey === key)?.docId).toBe(docId);
	}
});
