import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Archive, openArchive, startStoreWatch } from "../../../src/archive";
import { createLook } from "../../../src/archive/documents/watch-store";
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

function keepTold() {
	const told: unknown[] = [];
	return { told, log: { error: (about: unknown) => void told.push(about) } };
}

test("a store that lacks what another process has archived is told of once, and again when it has happened again", async () => {
	const { sql } = database;
	const { told, log } = keepTold();
	const look = createLook({ sql, archive: here, log });
	await look();
	await archiveIn(here);
	await look();
	expect(told).toEqual([]);
	const first = await archiveIn(elsewhere);
	for (let n = 0; n < 3; n++) await look();
	expect(told).toEqual([{ object: first }]);
	await archiveIn(here);
	await look();
	const second = await archiveIn(elsewhere);
	await look();
	expect(told).toEqual([{ object: first }, { object: second }]);
});

test("a process that starts with another store says so by itself", async () => {
	const object = await archiveIn(elsewhere);
	const { told, log } = keepTold();
	const stop = startStoreWatch({ sql: database.sql, archive: here, log });
	await until(() => told.length > 0);
	stop();
	expect(told).toEqual([{ object }]);
});

test("a store that does not answer, and an object that was removed meanwhile, are not taken for another store", async () => {
	const { sql, owner } = database;
	const { told, log } = keepTold();
	await createLook({ sql, archive: { get: () => Promise.reject(new Error("no answer")) }, log })();
	const removed = await archiveIn(elsewhere);
	const get = async (key: string) => {
		if (key === removed) await owner`delete from archive_objects where object_key = ${key}`;
		return here.get(key);
	};
	await owner.unsafe("alter table archive_objects disable trigger user");
	await createLook({ sql, archive: { get }, log })();
	expect(told).toEqual([]);
});
