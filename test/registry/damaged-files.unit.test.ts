/** Registry files damaged by a disk: each affects only itself, and the log says what was wrong. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import {
	closeSync,
	existsSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	truncateSync,
	utimesSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Registry, RollbackError } from "../../src/registry";
import { openSnapshot } from "../../src/registry/index/open";
import { verifySnapshot } from "../../src/registry/index/verify";
import { runIngest } from "../../src/registry/ingest/run-once";
import { captureLog } from "../api/support/log";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { until } from "../support/until";
import { bodyOf, directoryOf, entries, entry, openOn, PEPPER, send, silentLog, temporaryFolder, toText } from "./build";

const folder = temporaryFolder();
let database: TestDatabase;
let open: Registry[] = [];

beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(async () => {
	await Promise.all(open.map((registry) => registry.close()));
	open = [];
	await database.close();
});
afterAll(() => folder.remove());

async function openHere(source: string, deps: Parameters<typeof openOn>[2] = {}) {
	const registry = await openOn(database.sql, source, deps);
	open.push(registry);
	return registry;
}

const pathOf = (runId: string) => {
	const name = readdirSync(directoryOf(database.sql)).find(
		(one) => one.startsWith(`${runId}.`) && one.endsWith(".snapshot"),
	);
	if (name === undefined) throw new Error(`run ${runId} has no file`);
	return join(directoryOf(database.sql), name);
};

/** Replaces the file under the same name; processes that map the old one keep reading it. */
function replaceFile(path: string, bytes: Uint8Array): void {
	writeFileSync(`${path}.x`, bytes);
	renameSync(`${path}.x`, path);
}

const cut = (runId: string) => replaceFile(pathOf(runId), readFileSync(pathOf(runId)).subarray(0, 100));

/** One bit of the last entry's text; the file still opens. */
function flip(runId: string): void {
	const path = pathOf(runId);
	const section = openSnapshot(path).manifest.sections.find(({ name }) => name === "entries");
	if (!section) throw new Error("a snapshot without entries");
	const bytes = readFileSync(path);
	const at = section.offset + section.bytes - 16;
	bytes[at] = (bytes[at] ?? 0) ^ 1;
	replaceFile(path, bytes);
	openSnapshot(path);
}

/** Runs, oldest first, the last one in use; all have a person named PURGANDA. */
async function openRuns(count: 2 | 3, deps: Parameters<typeof openOn>[2] = {}) {
	const person = entry({ rnc: "990000999", name: "PURGANDA SRL" });
	const source = (size: number) => folder.write("runs.txt", toText([...entries(size), person]));
	const path = source(203 - count);
	const registry = await openHere(path, deps);
	const runs = [registry.runId() ?? ""];
	for (let size = 204 - count; size <= 202; size++) {
		source(size);
		runs.push((await registry.ingest()).runId);
	}
	const [last = "", second = "", first = ""] = runs.toReversed();
	return { registry, path, first, second, last };
}

const purge = (registry: Registry, document: string) =>
	bodyOf<{ _links: { self: string } }>(
		send(registry, "POST", `/v1/authority/document/${document}:purge`, {
			body: { legal_basis: "court-order", request_reference: "R-1", requested_by: "x@example.do", reason: "Order" },
		}),
	);

test.each([
	["cut off", cut],
	["damaged in its bytes", flip],
])("clearing removes and logs an old file that is %s, and clears the others", async (_, damage) => {
	const { log, lines } = captureLog();
	const { registry, first } = await openRuns(3, { log });
	const damaged = pathOf(first);
	damage(first);
	const answer = await purge(registry, "990000999");
	await until(async () => {
		const record = await bodyOf<{ effects: { snapshots: string } }>(send(registry, "GET", answer._links.self));
		return record.effects.snapshots === "cleared";
	});
	const kept = readdirSync(directoryOf(database.sql)).filter((name) => name.endsWith(".snapshot"));
	expect(kept.length).toBe(2);
	expect(existsSync(damaged)).toBe(false);
	for (const name of kept) {
		expect(readFileSync(join(directoryOf(database.sql), name)).includes("PURGANDA")).toBe(false);
	}
	expect(lines).toContainEqual(
		expect.objectContaining({
			msg: "removing a damaged registry snapshot",
			path: damaged,
			fault: expect.any(String),
		}),
	);
	expect(registry.lookup({ digits: "990000202", kind: "rnc" })).toBeDefined();
});

test.each([
	["is gone", (runId: string) => renameSync(pathOf(runId), `${pathOf(runId)}.gone`)],
	["is cut off", cut],
	["is damaged in its bytes", flip],
])("the operator can go back from a run whose file %s; the feed of changes is broken there", async (_, damage) => {
	const { registry, path, second, last } = await openRuns(2);
	// Otherwise the verification of the file in use may find the damage first and build the file again from its source.
	rmSync(path);
	damage(last);
	await registry.rollback(second);
	expect(registry.runId()).toBe(second);
	expect(registry.lookup({ digits: "990000202", kind: "rnc" })).toBeUndefined();
	const sets = await database.sql`select run_id as "runId" from registry_change_sets`;
	expect(sets.map(({ runId }) => runId)).toEqual([second]);
});

test.each([
	["cut off", cut],
	["damaged in its bytes", flip],
])("a rollback to a run whose file is %s fails and changes nothing", async (_, damage) => {
	const { registry, second, last } = await openRuns(2);
	damage(second);
	const refusal = await registry.rollback(second).catch((error: unknown) => error);
	expect(refusal).toBeInstanceOf(RollbackError);
	expect(String(refusal)).toContain(`cannot roll back to registry run ${second}: its file is damaged: `);
	expect(registry.runId()).toBe(last);
	const [row] = await database.sql`select result from registry_runs where id = ${last}`;
	expect(row?.result).toBe("ok");
});

test("a start without a usable last file serves the newest usable run, with its age", async () => {
	const { registry, path, first, second, last } = await openRuns(3);
	await registry.close();
	cut(second);
	cut(last);
	// The source has changed since both runs.
	folder.write("runs.txt", Buffer.from("<html>maintenance</html>\n"));
	const { log, lines } = captureLog();
	const again = await openHere(path, { log });
	expect(again.runId()).toBe(first);
	expect(again.lookup({ digits: "990000200", kind: "rnc" })).toBeDefined();
	const [row] = await database.sql<{ at: Date }[]>`select confirmed_at as at from registry_runs where id = ${first}`;
	expect(again.status()).toMatchObject({ run_id: first, last_ingest: row?.at.toISOString() ?? "" });
	expect(lines).toContainEqual(
		expect.objectContaining({
			...{ level: "error", runId: first, lastGood: last },
			msg: "last good run has no usable file; serving an older run",
		}),
	);
	await until(() => again.status().last_attempt?.result === "refused");
	expect(again.runId()).toBe(first);
});

test("a start that serves an older run rebuilds the last one from its source", async () => {
	const { registry, path, last } = await openRuns(2);
	await registry.close();
	cut(last);
	const again = await openHere(path);
	await until(() => again.runId() === last);
	expect(again.lookup({ digits: "990000202", kind: "rnc" })).toBeDefined();
});

test("an ingest after a damaged file is accepted without a comparison", async () => {
	const { registry, last } = await openRuns(2);
	flip(last);
	folder.write("runs.txt", toText(entries(203)));
	expect(await registry.ingest()).toMatchObject({ result: "ok" });
	expect(registry.status()).toMatchObject({ changed: null });
});

test("the log has the reason of an unusable file and of an aborted ingest", async () => {
	const { registry, path, last } = await openRuns(2);
	await registry.close();
	cut(last);
	const { log, lines } = captureLog();
	await openHere(path, { log, schedule: "* * * * * *" });
	const reasonOf = (msg: string) => {
		const line = lines.find((one) => one.msg === msg) as { err?: { message?: string } } | undefined;
		return line?.err?.message ?? "";
	};
	expect(reasonOf("registry snapshot cannot be used")).toMatch(/ cannot be used: expected \d+ bytes, got 100$/);
	rmSync(directoryOf(database.sql), { recursive: true });
	await until(() => reasonOf("registry ingest broke off") !== "");
	expect(reasonOf("registry ingest broke off")).toContain("ENOENT");
});

/** Changes the bytes of a section; the file still opens. */
function damageSection(path: string, name: string, change: (bytes: Buffer) => void): Buffer {
	const section = openSnapshot(path).manifest.sections.find((one) => one.name === name);
	if (!section) throw new Error(`a snapshot without ${name}`);
	const whole = readFileSync(path);
	change(whole.subarray(section.offset, section.offset + section.bytes));
	return whole;
}

const damages: [string, string, (bytes: Buffer) => void][] = [
	["a hash table without an empty slot", "slots", (bytes) => bytes.fill(0x5a)],
	["entries that say nothing", "entries", (bytes) => bytes.fill(0xff)],
	["words that belong to nothing", "name/words", (bytes) => bytes.fill(0x5a)],
	["a letter changed in a name", "entries", (bytes) => void bytes.write("K", bytes.indexOf("COMERCIAL"))],
];

const digits = (document: string) => ({ digits: document, kind: "rnc" as const });
const isDamageLogged = (lines: readonly object[]) =>
	lines.some((line) => "msg" in line && line.msg === "removing a damaged registry snapshot");

/** One run of 200 entries; the registry is closed again. */
async function closeAfterOne(name: string) {
	const path = folder.write(name, toText(entries(200)));
	const registry = await openHere(path);
	const runId = registry.runId() ?? "";
	await registry.close();
	return { path, runId };
}

function expectWhole(registry: Registry, runId: string): void {
	expect(registry.runId()).toBe(runId);
	verifySnapshot(openSnapshot(pathOf(runId)));
	for (let number = 1; number <= 200; number++) {
		const found = registry.lookup(digits(String(990_000_000 + number)));
		expect(found?.name).toBe(`COMERCIAL NUMERO ${number} SRL`);
	}
}

test.each(damages)(
	"a start from a file with %s answers, detects it and rebuilds the file",
	async (_, section, change) => {
		const { path, runId } = await closeAfterOne("start.txt");
		replaceFile(pathOf(runId), damageSection(pathOf(runId), section, change));
		const { log, lines } = captureLog();
		const again = await openHere(path, { log });
		try {
			again.lookup(digits("990000200"));
		} catch (error) {
			expect(error).toBeInstanceOf(RangeError);
		}
		await until(() => isDamageLogged(lines) && again.isLoaded());
		expectWhole(again, runId);
		const page = await send(again, "GET", "/v1/authority/document:search?q=comercial+numero+200&field=name");
		expect(await bodyOf<{ items: unknown[] }>(page)).toMatchObject({ items: [{ rnc: "990000200" }] });
		expect(lines).toContainEqual(
			expect.objectContaining({ level: "error", fault: `its section ${section} is damaged`, wasInUse: true }),
		);
	},
);

test("an intact file is read once after a start, without a log line", async () => {
	const { path, runId } = await closeAfterOne("sound.txt");
	const before = openSnapshot(pathOf(runId)).fileId;
	const { log, lines } = captureLog();
	const again = await openHere(path, { log });
	// An ingest waits for the task that verifies the file.
	expect(await again.ingest()).toMatchObject({ result: "unchanged", runId });
	expect(openSnapshot(pathOf(runId)).fileId).toBe(before);
	expect(isDamageLogged(lines)).toBe(false);
});

test("a damaged file without a source is not served, and the source is tried again", async () => {
	const { path, runId } = await closeAfterOne("gone.txt");
	replaceFile(
		pathOf(runId),
		damageSection(pathOf(runId), "entries", (bytes) => bytes.fill(0xff)),
	);
	folder.write("gone.txt", Buffer.from("<html>maintenance</html>\n"));
	const again = await openHere(path, { retryMs: 5 });
	await until(() => !again.isLoaded());
	const refusal = await send(again, "GET", "/v1/authority/document/990000200").catch((error: unknown) => error);
	expect(refusal).toMatchObject({ slug: "registry-unavailable" });
	folder.write("gone.txt", toText(entries(200)));
	await until(() => again.isLoaded());
	expect(again.lookup(digits("990000200"))?.name).toBe("COMERCIAL NUMERO 200 SRL");
});

test("the newest intact older run is served if the damaged run has no source", async () => {
	const { registry, path, first, second, last } = await openRuns(3);
	await registry.close();
	for (const runId of [second, last]) {
		replaceFile(
			pathOf(runId),
			damageSection(pathOf(runId), "slots", (bytes) => bytes.fill(0x5a)),
		);
	}
	folder.write("runs.txt", Buffer.from("<html>maintenance</html>\n"));
	const { log, lines } = captureLog();
	const again = await openHere(path, { log });
	await until(() => again.runId() === first);
	expect(again.lookup(digits("990000200"))?.name).toBe("COMERCIAL NUMERO 200 SRL");
	expect(lines).toContainEqual(
		expect.objectContaining({ msg: "last good run has no usable file; serving an older run", runId: first }),
	);
});

/** Changes the mapped file itself, without a trace in its times. */
function rot(runId: string): void {
	const path = pathOf(runId);
	const bytes = damageSection(path, "entries", (section) => void section.write("K", section.indexOf("COMERCIAL")));
	const file = openSync(path, "r+");
	writeSync(file, bytes);
	closeSync(file);
	utimesSync(path, DATED, DATED);
}

const DATED = 1_700_000_000;

/** Serves a file that was verified and then damaged. */
async function openRotten(name: string, deps: Parameters<typeof openOn>[2] = {}) {
	const { path, runId } = await closeAfterOne(name);
	utimesSync(pathOf(runId), DATED, DATED);
	const registry = await openHere(path, deps);
	expect(await registry.ingest()).toMatchObject({ result: "unchanged" });
	rot(runId);
	expect(registry.lookup(digits("990000001"))?.name).toBe("KOMERCIAL NUMERO 1 SRL");
	return { path, runId, registry };
}

test("a file that is cut off while in use does not end the process and is rebuilt", async () => {
	const { path, runId } = await closeAfterOne("cut-off.txt");
	const { log, lines } = captureLog();
	const again = await openHere(path, { log });
	await again.ingest();
	truncateSync(pathOf(runId), 100);
	expect(again.lookup(digits("990000001"))).toBeUndefined();
	const refusal = await send(again, "GET", "/v1/authority/document/990000001").catch((error: unknown) => error);
	expect(refusal).toMatchObject({ slug: "registry-unavailable" });
	await until(() => again.isLoaded());
	expectWhole(again, runId);
	const reports = lines.filter((line) => line.msg === "registry snapshot was cut off while in use");
	expect(reports).toHaveLength(1);
});

test("an older run is served for a file that is cut off without a source", async () => {
	const { registry, second, last } = await openRuns(2);
	folder.write("runs.txt", Buffer.from("<html>maintenance</html>\n"));
	truncateSync(pathOf(last), 0);
	expect(registry.isLoaded()).toBe(false);
	await until(() => registry.runId() === second);
	expect(registry.lookup(digits("990000201"))).toBeDefined();
});

/** As the operator's command does. */
const ingestElsewhere = (source: string) =>
	runIngest(
		{
			...{ sql: database.sql, directory: directoryOf(database.sql), pepper: PEPPER },
			...{ clock: { now: () => new Date() }, log: silentLog },
		},
		{ source },
	);

test("an unchanged source does not confirm a damaged file, which is rebuilt", async () => {
	const { log, lines } = captureLog();
	const { runId, registry } = await openRotten("rot.txt", { log });
	expect(await registry.ingest()).toMatchObject({ result: "unchanged", runId });
	expectWhole(registry, runId);
	expect(isDamageLogged(lines)).toBe(true);
});

test("a process switches to a file that another one has rebuilt for the same run", async () => {
	const { path, runId, registry } = await openRotten("elsewhere.txt");
	expect(await ingestElsewhere(path)).toMatchObject({ result: "unchanged", runId });
	await until(() => registry.lookup(digits("990000001"))?.name === "COMERCIAL NUMERO 1 SRL");
	expectWhole(registry, runId);
});

test("a process stops serving a file that another one has removed as damaged", async () => {
	const { path, registry } = await openRotten("removed.txt");
	folder.write("removed.txt", Buffer.from("<html>maintenance</html>\n"));
	expect((await ingestElsewhere(path)).result).not.toBe("unchanged");
	await until(() => !registry.isLoaded());
});

test("an ingest that finds damage and cannot rebuild falls back to an older run", async () => {
	const { registry, second, last } = await openRuns(2);
	await registry.close();
	utimesSync(pathOf(last), DATED, DATED);
	const again = await openHere(join(folder.path, "runs.txt"));
	await again.ingest();
	rot(last);
	folder.write("runs.txt", Buffer.from("<html>maintenance</html>\n"));
	expect((await again.ingest()).result).toBe("refused");
	expect(again.runId()).toBe(second);
});
