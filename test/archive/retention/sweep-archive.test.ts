import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Archive,
	type ArchiveObject,
	createArchiveEraser,
	openArchive,
	readRoot,
	readTreeSize,
	sweepArchive,
} from "../../../src/archive";
import { createLog } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { fillArchive } from "../support/fill-archive";

const DAY = 86_400_000;

let database: TestDatabase;
let folder: string;
let archive: Archive;
beforeAll(async () => {
	database = await openTestDatabase();
	folder = mkdtempSync(join(tmpdir(), "sello-retention-"));
	archive = await openArchive(folder);
});
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

let over: ArchiveObject[];
let kept: ArchiveObject[];
/** Three past their retention, and three of today, which confirm the time. */
beforeEach(async () => {
	const fill = (from: number, keptMs: number) =>
		fillArchive(
			{ sql: database.sql, archive },
			{ tenantId: newId(), count: 3, from: new Date(Date.now() + from), keptMs },
		);
	over = await fill(-3_653 * DAY, 3_650 * DAY);
	kept = await fill(-3_600_000, 3_650 * DAY);
	await setSteady(30);
});

async function setSteady(days: number): Promise<void> {
	await database.sql`
		insert into archive_clock (steady_since, seen_at) values (now() - make_interval(days => ${days}), now())
		on conflict (single) do update set steady_since = excluded.steady_since, seen_at = excluded.seen_at`;
}

const sweep = (clock = systemClock) =>
	sweepArchive({
		...{ sql: database.sql, archive: createArchiveEraser(folder), clock },
		log: createLog("silent", "test"),
	});
const isThere = ({ objectKey }: ArchiveObject) => existsSync(join(folder, objectKey));
const isListed = async ({ objectKey }: ArchiveObject) =>
	(await database.sql`select 1 from archive_objects where object_key = ${objectKey}`).length === 1;

async function expectAll(objects: readonly ArchiveObject[], there: boolean): Promise<void> {
	for (const one of objects) expect([isThere(one), await isListed(one)]).toEqual([there, there]);
}

test("objects past retention are removed and audited; leaf, link and root stay", async () => {
	const size = await readTreeSize(database.sql);
	const root = await readRoot(database.sql, size);
	expect(await sweep()).toMatchObject({ failed: 0, doubt: undefined });
	await expectAll(over, false);
	await expectAll(kept, true);
	expect(await readRoot(database.sql, size)).toEqual(root);
	for (const { docId, objectKey, sha256, retainUntil, tenantId } of over) {
		const [entry] = await database.sql`select action, tenant_id, details from audit where subject = ${docId}`;
		expect(entry).toEqual({
			...{ action: "archive.remove", tenant_id: tenantId },
			details: { objectKey, sha256, retainUntil: retainUntil.toISOString() },
		});
		expect(await database.sql`select 1 from archive_leaves where object_key = ${objectKey}`).toHaveLength(1);
		expect(await database.sql`select retain_until from archive_removals where object_key = ${objectKey}`).toEqual([
			{ retain_until: retainUntil },
		] as never);
	}
	expect(await sweep()).toEqual({ removed: 0, failed: 0, doubt: undefined });
});

test("a machine with a wrong clock removes nothing", async () => {
	for (const days of [3_653, 2, -2, -365]) {
		const clock = { now: () => new Date(Date.now() + days * DAY) };
		expect(await sweep(clock)).toEqual({ removed: 0, failed: 0, doubt: "clocks-disagree" });
	}
	await expectAll([...over, ...kept], true);
});

test("nothing is removed before a week of steady time, which the first reading begins", async () => {
	await setSteady(6);
	expect((await sweep()).doubt).toBe("not-steady");
	await database.sql`delete from archive_clock`;
	expect((await sweep()).doubt).toBe("not-steady");
	const [row] = await database.sql`select now() - steady_since < interval '1 hour' as fresh from archive_clock`;
	expect(row?.fresh).toBe(true);
	await database.sql`update archive_clock set steady_since = now() - interval '40 days', seen_at = now() - interval '2 days'`;
	expect((await sweep()).doubt).toBe("not-steady");
	await expectAll(over, true);
});

test("an object that the store refuses to remove stays in the index; others go", async () => {
	const stubborn = over[1]?.objectKey ?? "";
	const eraser = createArchiveEraser(folder);
	const erase = (key: string) => (key === stubborn ? Promise.reject(new Error("a bad disk")) : eraser.erase(key));
	const deps = { sql: database.sql, clock: systemClock, log: createLog("silent", "test") };
	expect(await sweepArchive({ ...deps, archive: { erase } })).toMatchObject({ failed: 1, doubt: undefined });
	expect(await Promise.all(over.map(isListed))).toEqual([false, true, false]);
	expect(await sweep()).toMatchObject({ removed: 1, failed: 0 });
});

test("the database itself refuses a removal before the date", async () => {
	const { sql, owner } = database;
	const [one] = kept;
	const [past] = over;
	const [key, pastKey] = [one?.objectKey ?? "", past?.objectKey ?? ""];
	expect(await sql`select sweep_archive_object(${key}) as removed`).toEqual([{ removed: false }] as never);
	/** As its owner would, who has all rights, with the word that lets an object go. */
	const by = (name: string, statement: string) =>
		owner
			.begin(async (tx) => {
				await tx`select set_config('sello.swept_object', ${name}, true)`;
				await tx.unsafe(statement);
			})
			.then(
				() => "done",
				(error: Error) => error.message,
			);
	expect(await by(key, `delete from archive_objects where object_key = '${key}'`)).toMatch(/is not allowed/);
	expect(await by(key, `delete from archive_objects where object_key = '${pastKey}'`)).toMatch(/is not allowed/);
	expect(await by("", `delete from archive_objects where object_key = '${pastKey}'`)).toMatch(/is not allowed/);
	const toEntry = (of: string, changed = "") => `
		insert into archive_removals (object_key, tenant_id, doc_id, sha256, retain_until)
		select object_key, tenant_id, doc_id, sha256, retain_until ${changed} from archive_objects where object_key = '${of}'`;
	expect(await by(key, toEntry(key))).toMatch(/is kept/);
	expect(await by(key, toEntry(key, "- interval '20 years'"))).toMatch(/is kept/);
	expect(await sql`select sweep_archive_object(${pastKey}) as removed`).toEqual([{ removed: true }] as never);
	expect(await by(key, "delete from archive_removals")).toMatch(/written once/);
	expect(await by(key, "update archive_removals set removed_at = now()")).toMatch(/written once/);
	await expectAll(kept, true);
});
