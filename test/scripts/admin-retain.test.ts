/** The operator's command that keeps documents longer, as an operator types it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openArchive } from "../../src/archive";
import { newId } from "../../src/platform/values";
import { fillArchive } from "../archive/support/fill-archive";
import { openTestDatabase, type TestDatabase } from "../support/database";

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
	database = await openTestDatabase();
	folder = mkdtempSync(join(tmpdir(), "sello-test-admin-"));
});
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true });
});

async function retain(...words: string[]) {
	const child = Bun.spawn([process.execPath, "scripts/admin.ts", "archive", "retain", ...words, "--json"], {
		cwd: join(import.meta.dir, "../.."),
		env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: folder },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, stdout, stderr };
}

test("documents are kept to the end of the named day, and never shorter", async () => {
	const archive = await openArchive(join(folder, "archive"));
	const tenantId = newId();
	const objects = await fillArchive(
		{ sql: database.sql, archive },
		{ tenantId, count: 3, from: new Date("2026-11-01T12:00:00Z") },
	);
	const until = "2045-01-01T04:00:00.000Z";
	const longer = await retain("--tenant", tenantId, "--until", "2044-12-31");
	expect(longer.exitCode).toBe(0);
	expect(JSON.parse(longer.stdout)).toEqual({ id: tenantId, until, objects: 3, extended: 3 });
	const docId = objects[0]?.docId ?? "";
	const shorter = await retain("--document", docId, "--until", "2027-01-01");
	expect(JSON.parse(shorter.stdout)).toMatchObject({ objects: 1, extended: 0 });
	expect([shorter.exitCode, JSON.parse(shorter.stdout).remark]).toEqual([
		1,
		"nothing was shortened: everything of it is kept to that day or longer",
	]);
	expect((await retain("--tenant", tenantId, "--until", "2044-12-31")).exitCode).toBe(1);
	const rows = await database.sql`select retain_until from seals where tenant_id = ${tenantId}`;
	expect(rows.map((row) => row.retain_until.toISOString())).toEqual([until, until, until]);
	const [entry] =
		await database.sql`select details from audit where action = 'archive.retain' and subject = ${tenantId}`;
	expect(entry?.details).toEqual({ until, objects: 3 });
});

const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";

test.each([
	[["--until", "2044-12-31"], "--tenant or --document is needed"],
	[["--tenant", UNKNOWN_ID, "--until", "2044-02-30"], "expected --until to be a day"],
	[["--document", UNKNOWN_ID, "--until", "2044-12-31"], "the archive has nothing of"],
])("%j is refused with a sentence", async (words, sentence) => {
	const { exitCode, stderr } = await retain(...words);
	expect(exitCode).toBe(2);
	expect(stderr).toContain(sentence);
});
