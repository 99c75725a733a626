import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sweepExports } from "../../../src/archive";
import { checkFolder } from "../../../src/archive/exports/sweep";
import { createLog } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { captureLog } from "../../api/support/log";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
	database = await openTestDatabase();
	folder = mkdtempSync(join(tmpdir(), "sello-exports-"));
});
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

const NOW = new Date("2026-11-21T12:00:00Z");
const LATER = new Date("2026-11-21T12:00:01Z");

async function insert(status: string, expiresAt: Date | null): Promise<string> {
	const id = newId();
	await database.sql`
		insert into archive_exports (id, tenant_id, from_day, to_day, format, leaf_bound, documents, status, bytes, sha256, created_at, expires_at)
		values (${id}, ${newId()}, '2026-01-01', '2026-01-01', 'zip', 0, 0, ${status}, 1, ${Buffer.alloc(32)}, ${NOW}, ${expiresAt})`;
	writeFileSync(join(folder, `${id}.zip`), "x");
	return id;
}

test("the sweep removes files of ended exports and old drafts, and nothing else", async () => {
	const kept = [await insert("ready", LATER), await insert("running", null)].map((id) => `${id}.zip`);
	const over = [await insert("ready", NOW), await insert("failed", null), await insert("expired", NOW)];
	writeFileSync(join(folder, `${newId()}.tar.zst`), "x");
	writeFileSync(join(folder, "notes.txt"), "x");
	const ages = { old: -3_601_000, young: -1_800_000 };
	for (const [name, ageMs] of Object.entries(ages)) {
		const path = join(folder, ".making", name);
		mkdirSync(path, { recursive: true });
		writeFileSync(join(path, "whole"), "x");
		const at = new Date(NOW.getTime() + ageMs);
		for (const one of [join(path, "whole"), path]) utimesSync(one, at, at);
	}
	// Not a draft. It must not stop the sweep.
	for (const [name, ageMs] of Object.entries(ages)) {
		const path = join(folder, ".making", `${name}.txt`);
		writeFileSync(path, "x");
		const at = new Date(NOW.getTime() + ageMs);
		utimesSync(path, at, at);
	}
	const deps = { sql: database.sql, folder, clock: { now: () => NOW }, log: createLog("silent", "test") };
	expect(await sweepExports(deps)).toEqual({ expired: 1, files: 6 });
	expect(readdirSync(folder).toSorted()).toEqual([".making", "notes.txt", ...kept].toSorted());
	expect(readdirSync(join(folder, ".making")).toSorted()).toEqual(["young", "young.txt"]);
	const [row] = await database.sql`select status from archive_exports where id = ${over[0] ?? ""}`;
	expect(row?.status).toBe("expired");
	expect(await sweepExports(deps)).toEqual({ expired: 0, files: 0 });
});

const root = mkdtempSync(join(tmpdir(), "sello-exports-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a missing folder is created without a log line or a leftover", async () => {
	const { log, lines } = captureLog();
	await checkFolder(join(root, "exports"), log);
	expect(readdirSync(join(root, "exports"), { recursive: true })).toEqual([".making"]);
	expect(lines).toEqual([]);
});

test.each([
	["that cannot be made", join(root, "file", "exports"), "ENOTDIR"],
	["in which nothing may be written", "/proc/exports", "ENOENT"],
])("a folder %s is logged with its setting and the reason", async (_, folder, code) => {
	writeFileSync(join(root, "file"), "");
	const { log, lines } = captureLog();
	await checkFolder(folder, log);
	expect(lines).toMatchObject([{ level: "error", folder, err: { code } }]);
	expect(String(lines[0]?.msg)).toContain("EXPORTS_DIR");
});
