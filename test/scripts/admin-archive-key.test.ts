/** The operator gives the archive a new key, as an operator types it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../support/database";

const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "sello-test-archive-key-"));
let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
	writeFileSync(join(folder, "kek"), randomBytes(32).toString("base64"));
}, 120_000);
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true });
});

async function admin(...words: string[]) {
	const child = Bun.spawn([process.execPath, "scripts/admin.ts", ...words, "--json"], {
		cwd: ROOT,
		env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: folder },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [text, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	if (text === "") throw new Error(errors);
	return { exitCode: await child.exited, data: JSON.parse(text) };
}

test("a new key signs at once, is in the audit log, and the archive verifies", async () => {
	const first = await admin("archive", "rotate-key");
	expect(first).toMatchObject({ exitCode: 0, data: { checkpoint: 1, size: 0 } });
	const second = await admin("archive", "rotate-key");
	expect(second.data).toMatchObject({ checkpoint: 2, size: 0 });
	expect(second.data.key).toStartWith(`${second.data.name}+`);
	const audited = await database.sql`select subject from audit where action = 'archive-key.rotate' order by at`;
	expect(audited.map(({ subject }) => subject)).toEqual([first.data.name, second.data.name]);
	expect(readdirSync(join(folder, "archive/proof/keys"))).toHaveLength(2);
	expect(await admin("archive", "verify")).toMatchObject({ exitCode: 0, data: { faults: [] } });
	await database.owner`alter table archive_checkpoints disable trigger user`;
	await database.owner`update archive_checkpoints set size = 1 where number = 2`;
	const spoilt = await admin("archive", "verify");
	expect(spoilt.exitCode).toBe(1);
	expect(spoilt.data.faults[0]).toMatchObject({ fault: "checkpoint", key: "proof/checkpoints/000000000002.txt" });
}, 120_000);
