/** Files of the registry that a disk has damaged: each harms nothing but itself, and the log says what it was. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import {
	closeSync,
	existsSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
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
	const name = readdirSync(directoryOf(database.sql)).find((one) => one.startsWith(`${runId}.`));
	if (name === undefined) throw new Error(`run ${runId} has no file`);
	return join(directoryOf(database.sql), name);
};

/** Another file under the same name: whoever maps the old one goes on reading it. */
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

/** Three runs, oldest first, the last one in use; all hold a person who is called PURGANDA. */
async function openThree(deps: Parameters<typeof openOn>[2] = {}) {
	const person = entry({ rnc: "990000999", name: "PURGANDA SRL" });
	const path = folder.write("three.txt", toText([...entries(200), person]));
	const registry = await openHere(path, deps);
	const runs = [registry.runId() ?? ""];
	for (let count = 201; count <= 202; count++) {
		folder.write("three.txt", toText([...entries(count), person]));
		runs.push((await registry.ingest()).runId);
	}
	const [first = "", second = "", third = ""] = runs;
	return { registry, path, first, second, third };
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
])("an old file that is %s is removed and told, and the others are cleared of what was erased", async (_, damage) => {
	const { log, lines } = captureLog();
	const { registry, first } = await openThree({ log });
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
	const { registry, second, third } = await openThree();
	damage(third);
	await registry.rollback(second);
	expect(registry.runId()).toBe(second);
	expect(registry.lookup({ digits: "990000202", kind: "rnc" })).toBeUndefined();
	const told = await database.sql`select run_id as "runId" from registry_change_sets`;
	expect(told.map(({ runId }) => runId)).toEqual([second]);
});

test.each([
	["cut off", cut],
	["damaged in its bytes", flip],
])("a run whose file is %s is not gone back to, and nothing is changed by asking", async (_, damage) => {
	const { registry, second, third } = await openThree();
	damage(second);
	const refusal = await registry.rollback(second).catch((error: unknown) => error);
	expect(refusal).toBeInstanceOf(RollbackError);
	expect(String(refusal)).toContain(`cannot roll back to registry run ${second}: its file is damaged: `);
	expect(registry.runId()).toBe(third);
	const [row] = await database.sql`select result from registry_runs where id = ${third}`;
	expect(row?.result).toBe("ok");
});

test("a start whose last file cannot be used serves the newest run that can be, and says so; its age is told as it is", async () => {
	const { registry, path, first, second, third } = await openThree();
	await registry.close();
	cut(second);
	cut(third);
	// What the source holds by now is neither run.
	folder.write("three.txt", Buffer.from("<html>maintenance</html>\n"));
	const { log, lines } = captureLog();
	const again = await openHere(path, { log });
	expect(again.runId()).toBe(first);
	expect(again.lookup({ digits: "990000200", kind: "rnc" })).toBeDefined();
	const [row] = await database.sql<{ at: Date }[]>`select confirmed_at as at from registry_runs where id = ${first}`;
	expect(again.status()).toMatchObject({ run_id: first, last_ingest: row?.at.toISOString() ?? "" });
	expect(lines).toContainEqual(
		expect.objectContaining({
			...{ level: "error", runId: first, lastGood: third },
			msg: "last good run has no usable file; serving an older run",
		}),
	);
	await until(() => again.status().last_attempt?.result === "refused");
	expect(again.runId()).toBe(first);
});

test("a start that serves an older run builds the last one anew from its source", async () => {
	const { registry, path, third } = await openThree();
	await registry.close();
	cut(third);
	const again = await openHere(path);
	await until(() => again.runId() === third);
	expect(again.lookup({ digits: "990000202", kind: "rnc" })).toBeDefined();
});

test("an ingest after a file that opens and is damaged is taken in, without a comparison", async () => {
	const { registry, third } = await openThree();
	flip(third);
	folder.write("three.txt", toText(entries(203)));
	expect(await registry.ingest()).toMatchObject({ result: "ok" });
	expect(registry.status()).toMatchObject({ changed: null });
});

test("the log has the reason for which a file cannot be used, and that for which an ingest broke off", async () => {
	const { registry, path, third } = await openThree();
	await registry.close();
	cut(third);
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

/** Changes the bytes of a section, as a disk would: the file opens as before. */
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
const isDamageTold = (lines: readonly object[]) =>
	lines.some((line) => "msg" in line && line.msg === "removing a damaged registry snapshot");

/** One run of 200, and the registry closed again. */
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
	"a start from a file with %s answers, finds it and builds the file anew",
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
		await until(() => isDamageTold(lines) && again.isLoaded());
		expectWhole(again, runId);
		const page = await send(again, "GET", "/v1/authority/document:search?q=comercial+numero+200&field=name");
		expect(await bodyOf<{ items: unknown[] }>(page)).toMatchObject({ items: [{ rnc: "990000200" }] });
		expect(lines).toContainEqual(
			expect.objectContaining({ level: "error", fault: `its section ${section} is damaged`, wasInUse: true }),
		);
	},
);

test("a sound file is read once after a start, and nothing is said of it", async () => {
	const { path, runId } = await closeAfterOne("sound.txt");
	const before = openSnapshot(pathOf(runId)).fileId;
	const { log, lines } = captureLog();
	const again = await openHere(path, { log });
	// An ingest waits for the turn in which the file is verified.
	expect(await again.ingest()).toMatchObject({ result: "unchanged", runId });
	expect(openSnapshot(pathOf(runId)).fileId).toBe(before);
	expect(isDamageTold(lines)).toBe(false);
});

test("a damaged file whose source is gone is served no more, and the source is tried until it is there", async () => {
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

test("the newest older run with a whole file is served while the last one's damaged file has no source", async () => {
	const { registry, path, first, second, third } = await openThree();
	await registry.close();
	for (const runId of [second, third]) {
		replaceFile(
			pathOf(runId),
			damageSection(pathOf(runId), "slots", (bytes) => bytes.fill(0x5a)),
		);
	}
	folder.write("three.txt", Buffer.from("<html>maintenance</html>\n"));
	const { log, lines } = captureLog();
	const again = await openHere(path, { log });
	await until(() => again.runId() === first);
	expect(again.lookup(digits("990000200"))?.name).toBe("COMERCIAL NUMERO 200 SRL");
	expect(lines).toContainEqual(
		expect.objectContaining({ msg: "last good run has no usable file; serving an older run", runId: first }),
	);
});

/** In the very file that is mapped, without a trace in its times. */
function rot(runId: string): void {
	const path = pathOf(runId);
	const bytes = damageSection(path, "entries", (section) => void section.write("K", section.indexOf("COMERCIAL")));
	const file = openSync(path, "r+");
	writeSync(file, bytes);
	closeSync(file);
	utimesSync(path, DATED, DATED);
}

const DATED = 1_700_000_000;

/** Serves a file that was verified and is damaged since. */
async function openRotten(name: string, deps: Parameters<typeof openOn>[2] = {}) {
	const { path, runId } = await closeAfterOne(name);
	utimesSync(pathOf(runId), DATED, DATED);
	const registry = await openHere(path, deps);
	expect(await registry.ingest()).toMatchObject({ result: "unchanged" });
	rot(runId);
	expect(registry.lookup(digits("990000001"))?.name).toBe("KOMERCIAL NUMERO 1 SRL");
	return { path, runId, registry };
}

/** As the operator's command does. */
const ingestElsewhere = (source: string) =>
	runIngest(
		{
			...{ sql: database.sql, directory: directoryOf(database.sql), pepper: PEPPER },
			...{ clock: { now: () => new Date() }, log: silentLog },
		},
		{ source },
	);

test("an ingest of the same source does not confirm a file that is damaged since, and builds it anew", async () => {
	const { log, lines } = captureLog();
	const { runId, registry } = await openRotten("rot.txt", { log });
	expect(await registry.ingest()).toMatchObject({ result: "unchanged", runId });
	expectWhole(registry, runId);
	expect(isDamageTold(lines)).toBe(true);
});

test("a process goes over to the file that another one has built anew for the same run", async () => {
	const { path, runId, registry } = await openRotten("elsewhere.txt");
	expect(await ingestElsewhere(path)).toMatchObject({ result: "unchanged", runId });
	await until(() => registry.lookup(digits("990000001"))?.name === "COMERCIAL NUMERO 1 SRL");
	expectWhole(registry, runId);
});

test("a process whose file another one has removed as damaged serves it no more", async () => {
	const { path, registry } = await openRotten("removed.txt");
	folder.write("removed.txt", Buffer.from("<html>maintenance</html>\n"));
	expect((await ingestElsewhere(path)).result).not.toBe("unchanged");
	await until(() => !registry.isLoaded());
});

test("an ingest that finds the file in use damaged and cannot build it goes back to an older run", async () => {
	const { registry, second, third } = await openThree();
	await registry.close();
	utimesSync(pathOf(third), DATED, DATED);
	const again = await openHere(join(folder.path, "three.txt"));
	await again.ingest();
	rot(third);
	folder.write("three.txt", Buffer.from("<html>maintenance</html>\n"));
	expect((await again.ingest()).result).toBe("refused");
	expect(again.runId()).toBe(second);
});
