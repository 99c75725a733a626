/** The operator's commands on the registry, as an operator types them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RegistryService, startRegistryService } from "../support/registry-service";
import { until } from "../support/until";

const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "sello-test-admin-"));
let service: RegistryService;
let key: string;
beforeAll(async () => {
	writeSource("first.txt", 20);
	service = await startRegistryService(join(folder, "first.txt"));
	key = await service.createKey(["registry:read"]);
}, 180_000);
afterAll(async () => {
	await service.stop();
	rmSync(folder, { recursive: true });
});

/** A source in the authority's older form. */
function writeSource(name: string, count: number, trade = "COMERCIO"): string {
	const line = (n: number) =>
		`${990_000_000 + n}|EMPRESA ${n} SRL|${trade}|VENTA AL POR MENOR| | | | |03/02/2014|ACTIVO|NORMAL`;
	writeFileSync(join(folder, name), `${Array.from({ length: count }, (_, n) => line(n)).join("\r\n")}\r\n`);
	return join(folder, name);
}

async function admin(...words: string[]) {
	const process_ = Bun.spawn([process.execPath, "scripts/admin.ts", ...words], {
		cwd: ROOT,
		env: { ...process.env, DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stderr] = await Promise.all([
		new Response(process_.stdout).text(),
		new Response(process_.stderr).text(),
	]);
	return { exitCode: await process_.exited, stdout, stderr };
}

async function adminJson(...words: string[]): Promise<{ exitCode: number; data: unknown; stderr: string }> {
	const { exitCode, stdout, stderr } = await admin(...words, "--json");
	return { exitCode, data: JSON.parse(stdout), stderr };
}

const lookUp = async (document: string) => {
	const answer = await fetch(`${service.url}/v1/authority/document/${document}`, { headers: { "x-api-key": key } });
	return { status: answer.status, runId: answer.headers.get("x-registry-run-id") };
};

test("the database is as the schema files have it, which its owner may check", async () => {
	const refused = await admin("database", "check");
	expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("DATABASE_MIGRATION_URL") });
	process.env.DATABASE_MIGRATION_URL = service.ownerUrl;
	const { exitCode, data } = await adminJson("database", "check");
	delete process.env.DATABASE_MIGRATION_URL;
	expect({ exitCode, data }).toEqual({ exitCode: 0, data: { differences: [] } });
});

test("an ingest prints its run, needs --force for large changes and can be rolled back", async () => {
	const { runId: first } = await lookUp("990000003");
	const larger = writeSource("larger.txt", 100);
	const refused = await adminJson("registry", "ingest", "--source", larger);
	expect(refused).toMatchObject({ exitCode: 1, data: { result: "refused", recordCount: 100 } });
	expect(refused.data).toMatchObject({ reason: expect.stringContaining("force the ingest") });
	expect(await lookUp("990000099")).toMatchObject({ status: 404 });

	const forced = await adminJson("registry", "ingest", "--source", larger, "--force");
	expect(forced).toMatchObject({ exitCode: 0, data: { result: "ok", recordCount: 100 } });
	const { runId } = forced.data as { runId: string };
	expect(forced.data).toEqual({
		runId,
		result: "ok",
		recordCount: 100,
		sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
		durationMs: expect.any(Number),
		reason: null,
	});
	// The database notifies the service a moment later.
	await until(async () => (await lookUp("990000099")).runId === runId, 120_000);
	expect(await lookUp("990000099")).toEqual({ status: 200, runId });
	// Not a terminal: each line of progress is a JSON document.
	const steps = forced.stderr
		.trim()
		.split("\n")
		.map((line) => (JSON.parse(line) as { step: string }).step);
	expect(steps).toContain("parse");
	expect(steps.at(-1)).toBe("publish");

	expect(await adminJson("registry", "ingest", "--source", larger)).toMatchObject({
		exitCode: 0,
		data: { runId, result: "unchanged" },
	});
	const subject = await adminJson("registry", "subject", "990-00009-9");
	expect(subject.data).toMatchObject({
		document: "990000099",
		entries: [{ run_id: runId, entry: { rnc: "990000099" } }],
		changes: [{ run_id: runId, kind: "added" }],
		refused_lines: [],
		erasure: null,
	});
	const rolledBack = await adminJson("registry", "rollback", String(first));
	expect(rolledBack.exitCode).toBe(0);
	await until(async () => (await lookUp("990000099")).status === 404, 120_000);
	const runs = await adminJson("registry", "runs");
	const listed = (runs.data as { runId: string }[]).find((run) => run.runId === runId);
	expect(listed).toMatchObject({ result: "refused", added: 80, changed: 0, removed: 0 });
	expect(listed).toMatchObject({ reason: expect.stringContaining("the operator went back") });
}, 300_000);

test("an ingest without a source does not replace the data by the sample", async () => {
	const { exitCode, stderr } = await admin("registry", "ingest");
	expect(exitCode).toBe(2);
	expect(stderr).toStartWith("no source is named: set REGISTRY_SOURCE as the service has it, or use --source PATH");
});

test("a rollback that waits for an ingest says so", async () => {
	const { runId } = await lookUp("990000003");
	const free = Promise.withResolvers<void>();
	const held = Promise.withResolvers<void>();
	const turn = service.sql.begin(async (tx) => {
		await tx`select pg_advisory_xact_lock(7301004)`;
		held.resolve();
		await free.promise;
	});
	await held.promise;
	const command = Bun.spawn([process.execPath, "scripts/admin.ts", "registry", "rollback", String(runId)], {
		cwd: ROOT,
		env: { ...process.env, DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir },
		stdout: "ignore",
		stderr: "pipe",
	});
	const { value } = await command.stderr.getReader().read();
	expect(new TextDecoder().decode(value)).toBe("waiting for an ingest to end\n");
	free.resolve();
	await turn;
	expect(await command.exited).toBe(0);
}, 180_000);

test("announcements can be rehearsed, and reach each contact once", async () => {
	const contact = "operator-test@client.example";
	const { sql } = service;
	const created = await admin("keys", "create", "--plan", "free", "--label", "contacts", "--contacts", contact);
	expect(created.exitCode).toBe(0);
	const announce = async (...words: string[]) => (await adminJson("announcements", "send", ...words)).data;
	const rehearsed = (await announce("--dry-run")) as { dryRun: boolean; announcements: { audience: string }[] };
	expect(rehearsed.dryRun).toBe(true);
	const mails = () => sql`select 1 from announcement_mails where address = ${contact}`;
	expect(await mails()).toHaveLength(0);
	await announce();
	await announce();
	expect(await mails()).toHaveLength(rehearsed.announcements.filter(({ audience }) => audience === "all").length);
}, 180_000);

describe("an invalid command is refused with the usage and changes nothing:", () => {
	test.each<[string, string[]]>([
		["unknown option of registry ingest: --frce", ["registry", "ingest", "--frce"]],
		["registry ingest does not know what to do with /x.zip", ["registry", "ingest", "/x.zip"]],
		[
			"expected --contacts to be mail addresses, got ana",
			["keys", "create", "--plan", "free", "--label", "x", "--contacts", "ana"],
		],
		["--source is given twice", ["registry", "ingest", "--source", "a.zip", "--source", "b.zip"]],
		["expected a run's id, got nope; see registry runs", ["registry", "rollback", "nope"]],
		["expected a run's id, got nope", ["registry", "refused", "nope"]],
		["expected a number of 9 or 11 digits, got 12", ["registry", "subject", "12"]],
		[
			"expected the registry's source to be a path or an https address",
			["registry", "ingest", "--source", "ftp://registry.example/rnc.zip"],
		],
		[
			"expected the registry's source to be a path or an https address",
			["registry", "ingest", "--source", "http://registry.example/rnc.zip"],
		],
		[
			"expected the registry's source to be a path or an https address, got an invalid address",
			["registry", "ingest", "--source", "https://"],
		],
	])("%s", async (sentence, words) => {
		expect(await admin(...words)).toEqual({ exitCode: 2, stdout: "", stderr: `${sentence}\n` });
	});
});

test("an unreadable source fails with its reason and keeps the current run", async () => {
	const before = await lookUp("990000003");
	const missing = await adminJson("registry", "ingest", "--source", join(folder, "missing.zip"));
	expect(missing).toMatchObject({ exitCode: 1, data: { result: "failed" } });
	const reason = `the source file ${join(folder, "missing.zip")} cannot be read: there is no such file`;
	expect(missing.data).toMatchObject({ reason });
	writeFileSync(join(folder, "odd.zip"), "odd");
	const odd = await adminJson("registry", "ingest", "--source", join(folder, "odd.zip"));
	expect(odd).toMatchObject({ exitCode: 1, data: { result: "refused" } });
	expect(await lookUp("990000003")).toEqual(before);
}, 180_000);

test("runs are printed as rows only", async () => {
	const { exitCode, stdout } = await admin("registry", "runs");
	expect(exitCode).toBe(0);
	const { data } = await adminJson("registry", "runs");
	const members = (data as object[]).flatMap((row) => Object.keys(row));
	// One line for each member, two around each row, two around the list.
	expect(stdout.trim().split("\n").length).toBeLessThanOrEqual(members.length + (data as object[]).length * 2 + 2);
	for (const word of ["select", "secret", "statement", "command"]) expect(stdout).not.toContain(word);
}, 60_000);
