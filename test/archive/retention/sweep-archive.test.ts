import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Archive,
	type ArchiveObject,
	createArchiveEraser,
	getArchiveObject,
	isArchiveObjectRemoved,
	openArchive,
	readLogSizes,
	sweepArchive,
} from "../../../src/archive";
import { readRoots } from "../../../src/archive/merkle";
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
	await database.sql`insert into deployment (environment) values ('sandbox')`;
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
	await database.sql`select note_clock(now(), now() - make_interval(days => ${days}))`;
}

const sweep = (clock = systemClock) =>
	sweepArchive({
		...{ sql: database.sql, archive: createArchiveEraser(folder), clock },
		log: createLog("silent", "test"),
	});
const isThere = ({ objectKey }: ArchiveObject) => existsSync(join(folder, objectKey));
const isListed = async ({ tenantId, docId }: ArchiveObject) =>
	(await getArchiveObject(database.sql, tenantId, docId)) !== undefined;

async function expectAll(objects: readonly ArchiveObject[], there: boolean): Promise<void> {
	for (const one of objects) expect([isThere(one), await isListed(one)]).toEqual([there, there]);
}

test("objects past retention are removed and audited; leaf, link and root stay", async () => {
	const sizes = await readLogSizes(database.sql);
	const roots = await readRoots(database.sql, sizes);
	expect(await sweep()).toMatchObject({ failed: 0, doubt: undefined });
	await expectAll(over, false);
	await expectAll(kept, true);
	expect(await readRoots(database.sql, sizes)).toEqual(roots);
	for (const { docId, objectKey, sha256, retainUntil, tenantId } of over) {
		const [entry] = await database.sql`select action, tenant_id, details from audit where subject = ${docId}`;
		expect(entry).toEqual({
			...{ action: "archive.remove", tenant_id: tenantId },
			details: { objectKey, sha256, retainUntil: retainUntil.toISOString() },
		});
		expect(await isArchiveObjectRemoved(database.sql, tenantId, docId)).toBe(true);
		expect(
			await database.sql`select retain_until from seals where tenant_id = ${tenantId} and doc_id = ${docId}`,
		).toEqual([{ retain_until: retainUntil }] as never);
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
	await database.sql`select note_clock(null, null)`;
	expect((await sweep()).doubt).toBe("not-steady");
	const [row] = await database.sql`select now() - clock_steady_since < interval '1 hour' as fresh from deployment`;
	expect(row?.fresh).toBe(true);
	await database.sql`select note_clock(now() - interval '2 days', now() - interval '40 days')`;
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
	const remove = ({ tenantId, docId }: ArchiveObject) => sql`select remove_seal(${tenantId}, ${docId}, 1) as removed`;
	if (!one || !past) throw new Error("nothing was archived");
	expect(await remove(one)).toEqual([{ removed: false }] as never);
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
	const markAs = ({ docId }: ArchiveObject) => `update seals set removed_at = now() where doc_id = '${docId}'`;
	const wordFor = ({ docId }: ArchiveObject) => `${docId}/1`;
	expect(await by(wordFor(one), markAs(one))).toMatch(/is written once/);
	expect(await by(wordFor(one), markAs(past))).toMatch(/is written once/);
	expect(await by("", markAs(past))).toMatch(/is written once/);
	expect(await by(wordFor(past), `delete from seals where doc_id = '${past.docId}'`)).toMatch(/is not allowed/);
	expect(await by(wordFor(past), markAs(past).replace("set", "set leaf = 99,"))).toMatch(/is written once/);
	expect(await remove(past)).toEqual([{ removed: true }] as never);
	expect(await by(wordFor(past), "update seals set removed_at = null")).toMatch(/written once/);
	await expectAll(kept, true);
});
