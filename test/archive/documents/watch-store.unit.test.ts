import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Archive, checkStoreAtStart, ForeignStoreError, openArchive, startStoreWatch } from "../../../src/archive";
import { createStoreCheck } from "../../../src/archive/documents/watch-store";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import { fillArchive } from "../support/fill-archive";

const FROM = new Date("2026-11-20T14:20:00Z");
const folder = mkdtempSync(join(tmpdir(), "sello-test-stores-"));

let database: TestDatabase;
let here: Archive;
let elsewhere: Archive;
beforeAll(async () => {
	database = await openTestDatabase();
	here = await openArchive(join(folder, "here"));
	elsewhere = await openArchive(join(folder, "elsewhere"));
}, 60_000);
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true });
});

const archiveIn = async (archive: Archive) => {
	const [object] = await fillArchive({ sql: database.sql, archive }, { tenantId: newId(), count: 1, from: FROM });
	return object?.objectKey;
};

const missing = (object: string | undefined) => ({ event: "archive.object_missing", object });

function createErrorLog() {
	const errors: unknown[] = [];
	return { errors, log: { error: (about: unknown) => void errors.push(about) } };
}

test("a store that lacks another process's object is logged once for each object", async () => {
	const { sql } = database;
	const { errors, log } = createErrorLog();
	const check = createStoreCheck({ sql, archive: here, log });
	await check();
	await archiveIn(here);
	await check();
	expect(errors).toEqual([]);
	const first = await archiveIn(elsewhere);
	for (let n = 0; n < 3; n++) await check();
	expect(errors).toEqual([missing(first)]);
	await archiveIn(here);
	await check();
	const second = await archiveIn(elsewhere);
	await check();
	expect(errors).toEqual([missing(first), missing(second)]);
});

test("a process that starts with another store logs it", async () => {
	const object = await archiveIn(elsewhere);
	const { errors, log } = createErrorLog();
	const stop = startStoreWatch({ sql: database.sql, archive: here, log });
	await until(() => errors.length > 0);
	stop();
	expect(errors).toEqual([missing(object)]);
});

test("a silent store and a removed object are not taken for another store", async () => {
	const { sql, owner } = database;
	const { errors, log } = createErrorLog();
	await createStoreCheck({ sql, archive: { get: () => Promise.reject(new Error("no answer")) }, log })();
	const removed = await archiveIn(elsewhere);
	const get = async (key: string) => {
		if (key === removed)
			await owner`update seals set removed_at = now() where sealed_object_key(tenant_id, doc_id, decided_at, sha256) = ${key}`;
		return here.get(key);
	};
	await owner.unsafe("alter table seals disable trigger user");
	await createStoreCheck({ sql, archive: { get }, log })();
	expect(errors).toEqual([]);
});

test("a store that fails or holds a key of the archive does not stop a start", async () => {
	const { sql } = database;
	const object = await archiveIn(elsewhere);
	const start = (get: Archive["get"]) => checkStoreAtStart({ sql, archive: { get } });
	await start(() => Promise.reject(new Error("no answer")));
	await expect(start(here.get)).rejects.toThrow(object ?? "no object");
	await sql`insert into archive_keys (number, name, public_key, note, made_at) values (1, 'sello/archive/a', ${Buffer.alloc(32)}, 'note', now())`;
	await expect(start(here.get)).rejects.toThrow(ForeignStoreError);
	await here.putOnce("proof/keys/sello-archive-a.txt", Buffer.from("note"), { retainUntil: FROM });
	await start(here.get);
});
