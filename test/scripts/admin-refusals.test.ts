/** A command that cannot do its work prints one sentence and no stack trace. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { archiveSealed, withArchive } from "../support/sealed-documents";

const ROOT = join(import.meta.dir, "../..");
const TIMEOUT_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), "sello-test-refusals-"));
const file = join(folder, "file");
let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
	writeFileSync(file, "");
	for (const name of ["kek", "other"]) writeFileSync(join(folder, name), randomBytes(32).toString("base64"));
	expect(await admin({}, "keys", "create", "--plan", "free", "--label", "first")).toMatchObject({ exitCode: 0 });
}, TIMEOUT_MS);
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true });
});

const admin = (settings: Record<string, string>, ...words: string[]) => adminIn(ROOT, settings, ...words);

async function adminIn(cwd: string, settings: Record<string, string>, ...words: string[]) {
	const child = Bun.spawn([process.execPath, join(ROOT, "scripts/admin.ts"), ...words, "--json"], {
		cwd,
		env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: folder, ...settings },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	const [first] = stderr.split("\n");
	return { exitCode: await child.exited, stdout, first, hasStack: / {4}at |\.ts:\d/.test(stderr) };
}

const create = ["keys", "create", "--plan", "free", "--label", "x"];
const unknownId = newId();

test.each<[string, Record<string, string>, string[], number, string]>([
	["settings that are wrong", { PORT: "x" }, ["keys", "list"], 1, "the configuration has 1 error(s):"],
	[
		"a database that does not answer",
		{ DATABASE_URL: "postgres://sello:x@127.0.0.1:1/sello" },
		["keys", "list"],
		1,
		"cannot connect to the database of DATABASE_URL: connect ECONNREFUSED 127.0.0.1:1",
	],
	[
		"a KEK_FILE of another deployment",
		{ KEK_FILE: join(folder, "other") },
		["keys-signing", "rotate"],
		1,
		"a sealed secret does not open for token-key|",
	],
	[
		"a database without the KEK_FILE that goes with it",
		{ DATA_DIR: join(folder, "none") },
		["keys", "list"],
		1,
		`expected ${join(folder, "none", "kek")} to hold 32 bytes in base64, got ENOENT`,
	],
	[
		"a word that is no command, but a name that every object has",
		{},
		["constructor"],
		2,
		"unknown command: constructor",
	],
	["an owner that is none", {}, [...create, "--owner", unknownId], 2, `no owner has the id ${unknownId}`],
	[
		"a label of spaces",
		{},
		["keys", "create", "--plan", "free", "--label", "  "],
		2,
		"expected --label to have 1 to 100",
	],
	["a label of 101 characters", {}, [...create.slice(0, -1), "x".repeat(101)], 2, "expected --label to have 1 to 100"],
	["no scope at all", {}, [...create, "--scopes", ","], 2, "expected --scopes to name one at least"],
	["a day that has passed", {}, [...create, "--expires", "2020-01-01"], 2, "expected --expires to be in the future"],
	["an end without a zone", {}, [...create, "--expires", "2040-01-01T00:00"], 2, "expected --expires to be a day"],
	["an address that is none", {}, [...create, "--addresses", "10.0.0.0/8,x"], 2, "expected addresses or CIDR ranges"],
	["a key's id that is none", {}, ["keys", "revoke", "abc"], 2, "expected a key's id, got abc; see keys list"],
	[
		"a new key in a file that holds none",
		{},
		["keys-encryption", "rotate", "--to", file],
		2,
		`--to ${file} cannot be used: expected ${file} to hold 32 bytes in base64, got 0`,
	],
	[
		"one delivery and all of them",
		{},
		["webhooks", "redispatch", newId(), "--all"],
		2,
		"a delivery's id or --all is needed",
	],
])("%s", async (_, settings, words, exitCode, sentence) => {
	const result = await admin(settings, ...words);
	expect(result).toMatchObject({ exitCode, stdout: "", first: expect.stringContaining(sentence), hasStack: false });
});

test("a key can end and be bound to addresses", async () => {
	const made = await admin({}, ...create, "--expires", "2040-12-31", "--addresses", "192.0.2.0/24,2001:db8::1");
	expect(JSON.parse(made.stdout)).toMatchObject({
		expiresAt: "2041-01-01T04:00:00.000Z",
		ipAllowList: ["192.0.2.0/24", "2001:db8::1"],
	});
	const { id } = JSON.parse(made.stdout) as { id: string };
	expect(await admin({}, "keys", "revoke", id)).toMatchObject({ exitCode: 0 });
	expect(await admin({}, "keys", "revoke", id)).toMatchObject({ exitCode: 1 });
});

test("registry files are only written to the folder of a host", async () => {
	const typed = mkdtempSync(join(folder, "typed-"));
	const settings = { KEK_FILE: join(folder, "kek"), DATA_DIR: "" };
	const ask = (...words: string[]) => adminIn(typed, settings, "registry", ...words);
	const first = expect.stringContaining("DATA_DIR is needed beside DATABASE_URL");
	for (const words of [
		["ingest", "--force"],
		["rollback", unknownId],
	]) {
		expect(await ask(...words)).toMatchObject({ exitCode: 2, stdout: "", first, hasStack: false });
	}
	expect(readdirSync(typed)).toEqual([]);
	mkdirSync(join(typed, ".data/registry"), { recursive: true });
	expect(await ask("rollback", unknownId)).toMatchObject({
		exitCode: 2,
		first: expect.stringContaining("no good run"),
	});
	expect(await ask("ingest", "--source", join(typed, "none.zip"))).toMatchObject({
		...{ exitCode: 1, stdout: expect.stringContaining("there is no such file") },
	});
}, 60_000);

test("a database of another version is not touched", async () => {
	const sql = database.owner;
	const [{ at } = { at: 0 }] = await sql<{ at: number }[]>`select max(number)::int as at from schema_migrations`;
	const refused = async (sentence: string) => {
		const first = expect.stringContaining(sentence);
		expect(await admin({}, ...create)).toMatchObject({ exitCode: 1, stdout: "", first, hasStack: false });
	};
	await sql`insert into schema_migrations (number, name, fingerprint) values (${at + 1}, 'of the next version', '')`;
	await refused(`the database is at migration ${at + 1}, this code knows ${at}`);
	await sql`delete from schema_migrations where number = ${at + 1}`;
	await sql`update schema_migrations set fingerprint = reverse(fingerprint) where number = 1`;
	await refused("the database was made from other schema files");
	await sql`update schema_migrations set fingerprint = reverse(fingerprint) where number = 1`;
	await sql`alter table schema_migrations rename to elsewhere`;
	await refused(`the database is at migration 0, this code needs ${at}`);
	await sql`alter table elsewhere rename to schema_migrations`;
	expect(await admin({}, ...create)).toMatchObject({ exitCode: 0 });
});

test.skipIf(!existsSync("/dev/full"))("a result that cannot be written is no success", async () => {
	const child = Bun.spawn(["sh", "-c", `"$0" scripts/admin.ts keys list --json >/dev/full`, process.execPath], {
		cwd: ROOT,
		env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: folder },
		stderr: "pipe",
	});
	expect(await new Response(child.stderr).text()).toStartWith(
		"the command was carried out, but its result could not be written",
	);
	expect(await child.exited).toBe(1);
});

test("redispatching a delivery that is no dead letter exits with 1", async () => {
	const result = await admin({}, "webhooks", "redispatch", newId());
	expect(result).toMatchObject({ exitCode: 1, stdout: '{"redispatched":0}\n' });
	expect(await admin({}, "webhooks", "redispatch", "--all")).toMatchObject({ exitCode: 0 });
});

test("an address left by a killed service counts as no service", async () => {
	writeFileSync(join(folder, "postgres.url"), "postgres://sello:x@127.0.0.1:1/postgres");
	const result = await admin({ DATABASE_URL: "" }, "keys", "list");
	expect(result).toMatchObject({
		exitCode: 2,
		first: `no service runs on ${folder}: start it, or set DATA_DIR or DATABASE_URL as your service has them`,
	});
});

test("a key is not rotated in a store with another archive's proof", async () => {
	const store = join(folder, "store");
	mkdirSync(join(store, "proof/checkpoints"), { recursive: true });
	writeFileSync(join(store, "proof/checkpoints/000000000001.txt"), "another's");
	const result = await admin({ ARCHIVE_URL: store }, "archive", "rotate-key");
	const first = expect.stringContaining("and the database has no log: run admin archive restore");
	expect(result).toMatchObject({ exitCode: 1, stdout: "", first, hasStack: false });
});

test(
	"an object is not exported to a path below a file",
	() =>
		withArchive(async (scene) => {
			const [object] = await archiveSealed(scene, 1);
			const settings = { DATABASE_URL: scene.url, ARCHIVE_URL: scene.folder };
			const result = await admin(settings, "archive", "export", object?.docId ?? "", "--out", join(file, "below"));
			const first = expect.stringContaining(`--out ${join(file, "below")} cannot be used: ENOTDIR`);
			expect(result).toMatchObject({ exitCode: 2, stdout: "", first, hasStack: false });
		}),
	TIMEOUT_MS,
);
