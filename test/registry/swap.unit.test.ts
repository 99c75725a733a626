import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "../../src/platform/database";
import { type Registry, type RegistryEntry, RollbackError } from "../../src/registry";
import { findAddress } from "../../src/registry/index/entries";
import { openSnapshot } from "../../src/registry/index/open";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { until } from "../support/until";
import {
	bodyOf,
	connectAgain,
	directoryOf,
	entries,
	entry,
	filesIn,
	openOn,
	send,
	temporaryFolder,
	toText,
} from "./build";

const folder = temporaryFolder();
let database: TestDatabase;
let open: Registry[] = [];
let pools: Sql[] = [];

beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(async () => {
	await Promise.all(open.map((registry) => registry.close()));
	await Promise.all(pools.map((sql) => sql.end()));
	open = [];
	pools = [];
	await database.close();
});
afterAll(() => folder.remove());

async function openHere(source: string, deps: Parameters<typeof openOn>[2] = {}, sql = database.sql) {
	const registry = await openOn(sql, source, deps);
	open.push(registry);
	return registry;
}

/** A separate pool, like another process. */
function anotherPool(name: string): Sql {
	const sql = connectAgain(database.url, name);
	pools.push(sql);
	return sql;
}

const snapshotFiles = () => readdirSync(directoryOf(database.sql)).filter((name) => name.endsWith(".snapshot"));

/** What remains of this on the registry's disk: names as text, numbers as keys. */
function findKept(names: readonly string[], numbers: readonly string[]): string[] {
	const files = filesIn(directoryOf(database.sql));
	const kept = Buffer.concat(files.map(({ bytes }) => bytes));
	const snapshots = files.filter(({ path }) => path.endsWith(".snapshot")).map(({ path }) => openSnapshot(path));
	const isHeld = (number: string) => snapshots.some((one) => findAddress(one, number) !== undefined);
	return [...names.filter((name) => kept.includes(name)), ...numbers.filter(isHeld)];
}

/** Entries that all name their data set. */
function dataset(version: number, count = 400): RegistryEntry[] {
	return entries(count).map((e) => ({ ...e, name: "COMERCIAL VERSION", trade_name: `V${version}` }));
}

const purge = (registry: Registry, document: string) =>
	send(registry, "POST", `/v1/authority/document/${document}:purge`, {
		body: { legal_basis: "court-order", request_reference: "R-1", requested_by: "x@example.do", reason: "Order" },
	});

test("no answer mixes two runs while one replaces the other", async () => {
	const path = folder.write("versions.txt", toText(dataset(0)));
	const registry = await openHere(path);
	/** Run → the name of its data set. */
	const nameOf = new Map([[registry.runId(), "V0"]]);
	const seen: [string | null, string][] = [];
	let isDone = false;
	const read = async (offset: number) => {
		for (let i = offset; !isDone || seen.length <= 1_000; i += 7) {
			const document = String(990_000_001 + (i % 400));
			const single = await send(registry, "GET", `/v1/authority/document/${document}`);
			const { trade_name } = await bodyOf<RegistryEntry>(single);
			seen.push([single.headers.get("x-registry-run-id"), trade_name]);
			const found = await send(registry, "GET", "/v1/authority/document:search?q=version&field=name&limit=100");
			const { items } = await bodyOf<{ items: RegistryEntry[] }>(found);
			const names = new Set(items.map((item) => item.trade_name));
			seen.push([found.headers.get("x-registry-run-id"), [...names].join()]);
			// Leaves the processor to the ingest, whose threads have a lower priority.
			await Bun.sleep(4);
		}
	};
	const readers = [0, 1, 2, 3].map(read);
	for (let version = 1; version <= 6; version++) {
		folder.write("versions.txt", toText(dataset(version)));
		nameOf.set((await registry.ingest()).runId, `V${version}`);
		await until(() => seen.some(([, name]) => name === `V${version}`));
	}
	isDone = true;
	await Promise.all(readers);
	expect(seen.length).toBeGreaterThan(1_000);
	expect(seen.filter(([runId, name]) => nameOf.get(runId ?? "") !== name)).toEqual([]);
	expect(new Set(seen.map(([, name]) => name)).size).toBe(7);
});

test("the last three runs are kept, and a rollback reaches every process", async () => {
	const path = folder.write("back.txt", toText(dataset(1)));
	const registry = await openHere(path);
	const other = await openHere(path, {}, anotherPool("other"));
	const runs = [registry.runId() ?? ""];
	for (let version = 2; version <= 5; version++) {
		folder.write("back.txt", toText(dataset(version)));
		runs.push((await registry.ingest()).runId);
	}
	expect(snapshotFiles().sort()).toEqual(
		runs
			.slice(-3)
			.map((runId) => `${runId}.0.snapshot`)
			.sort(),
	);
	const [first = "", , third = ""] = runs;
	await expect(registry.rollback(first)).rejects.toThrow(RollbackError);
	await expect(registry.rollback("0192f170-0000-7000-8000-000000000000")).rejects.toThrow("no good run");
	await registry.rollback(third);
	const nameIn = (one: Registry) => one.lookup({ digits: "990000001", kind: "rnc" })?.trade_name;
	expect(nameIn(registry)).toBe("V3");
	await until(() => nameIn(other) === "V3");
	expect(other.runId()).toBe(third);

	// The same file is not accepted again, another one is.
	expect(await registry.ingest()).toMatchObject({ result: "refused", reason: expect.stringContaining("force") });
	expect(nameIn(registry)).toBe("V3");
	const restarted = await openOn(anotherPool("restarted"), path);
	expect(nameIn(restarted)).toBe("V3");
	// The process's own ingest of the rejected file has ended by then.
	await restarted.close();
	folder.write("back.txt", toText(dataset(6)));
	expect(await registry.ingest()).toMatchObject({ result: "ok" });
	expect(nameIn(registry)).toBe("V6");
	folder.write("back.txt", toText(dataset(5)));
	expect(await registry.ingest({ force: true })).toMatchObject({ result: "ok" });
	expect(nameIn(registry)).toBe("V5");
});

test("a restart maps the existing file and requests the source only when due", async () => {
	const path = folder.write("mapped.txt", toText(dataset(1)));
	const registry = await openHere(path);
	const runId = registry.runId() ?? "";
	await registry.close();
	const restarted = await openHere(path);
	expect(restarted.runId()).toBe(runId);
	expect(restarted.status().last_attempt?.result).toBe("ok");
	expect(snapshotFiles()).toEqual([`${runId}.0.snapshot`]);
});

test("a host without the file, or with a damaged one, rebuilds it from the source", async () => {
	const path = folder.write("elsewhere.txt", toText(dataset(1)));
	const registry = await openHere(path);
	const runId = registry.runId() ?? "";
	const directory = join(folder.path, "another-host");
	const elsewhere = await openHere(path, { directory }, anotherPool("elsewhere"));
	expect(elsewhere.runId()).toBe(runId);
	await registry.close();
	folder.write("damaged", new Uint8Array(0));
	const file = join(directoryOf(database.sql), `${runId}.0.snapshot`);
	await Bun.write(`${file}.x`, "not a snapshot");
	await Bun.$`mv ${file}.x ${file}`.quiet();
	const repaired = await openHere(path);
	expect(repaired.runId()).toBe(runId);
	expect(repaired.lookup({ digits: "990000001", kind: "rnc" })?.trade_name).toBe("V1");
});

test("a crash's leftovers are gone after the next ingest", async () => {
	const path = folder.write("crashed.txt", toText(dataset(1)));
	const registry = await openHere(path);
	const directory = directoryOf(database.sql);
	await Bun.write(join(directory, "0192f170-0000-7000-8000-000000000000.source.tmp"), "half a source");
	await Bun.write(join(directory, "0192f170-0000-7000-8000-000000000000.0.snapshot"), "published, never recorded");
	folder.write("crashed.txt", toText(dataset(2)));
	await registry.ingest();
	expect(readdirSync(directory).filter((name) => name.includes("0192f170-0000"))).toEqual([]);
});

test("erased entries are in no file soon after, nor after ingest, rollback, restart", async () => {
	const everybody = [
		...dataset(1),
		...Array.from({ length: 60 }, (_, i) =>
			entry({ rnc: String(99_900_000_000 + i), name: `ZUTANA QUERELIA${i}X SRL` }),
		),
	];
	const path = folder.write("erased.txt", toText(everybody));
	const registry = await openHere(path);
	const runs = [registry.runId() ?? ""];
	for (let version = 2; version <= 3; version++) {
		folder.write("erased.txt", toText([...everybody, entry({ rnc: String(990_010_000 + version) })]));
		runs.push((await registry.ingest()).runId);
	}
	const numbers = Array.from({ length: 60 }, (_, i) => String(99_900_000_000 + i));
	const names = numbers.map((_, i) => `QUERELIA${i}X`);
	const found = () => findKept(names, numbers);
	expect(found().length).toBe(120);
	for (let i = 0; i < 60; i++) expect((await purge(registry, String(99_900_000_000 + i))).status).toBe(200);
	await until(() => {
		try {
			return found().length === 0;
		} catch {
			// A file was replaced between being listed and being read.
			return false;
		}
	});
	expect(snapshotFiles().length).toBe(3);
	const isBack = (one: Registry) =>
		Array.from({ length: 60 }, (_, i) => one.lookup({ digits: String(99_900_000_000 + i), kind: "cedula" })).some(
			Boolean,
		) || one.search({ field: "name", text: "QUERELIA", limit: 100 }).entries.length > 0;
	for (let version = 4; version <= 6; version++) {
		folder.write("erased.txt", toText([...everybody, entry({ rnc: String(990_010_000 + version) })]));
		runs.push((await registry.ingest()).runId);
		expect(isBack(registry)).toBe(false);
		expect(found()).toEqual([]);
	}
	await registry.rollback(runs.at(-2) ?? "");
	expect(isBack(registry)).toBe(false);
	expect(found()).toEqual([]);
	await registry.close();
	const restarted = await openHere(path);
	expect(isBack(restarted)).toBe(false);
	await until(() => restarted.status().last_attempt !== null);
	expect(found()).toEqual([]);
	expect(restarted.lookup({ digits: "990000001", kind: "rnc" })).toBeDefined();
});

test("the other process of a host switches to the cleared file", async () => {
	const path = folder.write("both.txt", toText(dataset(1)));
	const here = await openHere(path);
	const there = await openHere(path, {}, anotherPool("there"));
	await purge(here, "990000005");
	// The file without the entry is renamed before the one with it is removed.
	await until(() => snapshotFiles().every((name) => name.endsWith(".1.snapshot")));
	expect(snapshotFiles().length).toBe(1);
	for (const one of [here, there]) {
		await until(() => one.search({ field: "name", text: "COMERCIAL", limit: 100 }).entries.length === 100);
		await until(() => one.lookup({ digits: "990000005", kind: "rnc" }) === undefined);
		expect(one.lookup({ digits: "990000006", kind: "rnc" })).toBeDefined();
	}
});

test("a text that only erased entries had stays in no file, whichever field had it", async () => {
	const words = { name: "QUERELIA", trade_name: "ZUTANO", economic_activity: "ACARREO", status: "EXTINTO" };
	const person = entry({ rnc: "990000999", ...words, payment_regime: "PERDIDO" });
	const path = folder.write("texts.txt", toText([...entries(60), person]));
	const registry = await openHere(path);
	const findWords = () =>
		[...Object.values(words), "PERDIDO"].filter((word) =>
			filesIn(directoryOf(database.sql)).some(({ bytes }) => bytes.includes(word)),
		);
	expect(findWords()).toEqual([...Object.values(words), "PERDIDO"]);
	await purge(registry, person.rnc);
	await until(() => findWords().length === 0);
	folder.write("texts.txt", toText([...entries(61), person]));
	expect((await registry.ingest()).result).toBe("ok");
	expect(findWords()).toEqual([]);
	expect(registry.lookup({ digits: "990000061", kind: "rnc" })).toEqual(entries(61)[60]);
});

test("a superseded file that a crash left is removed and counts as not cleared", async () => {
	const path = folder.write("superseded.txt", toText(entries(60)));
	const registry = await openHere(path);
	const answer = await bodyOf<{ _links: { self: string } }>(purge(registry, "990000007"));
	const isCleared = async () => {
		const record = await bodyOf<{ effects: { snapshots: string } }>(send(registry, "GET", answer._links.self));
		return record.effects.snapshots === "cleared";
	};
	await until(isCleared);
	const [name = ""] = snapshotFiles();
	expect(name).toEndWith(".1.snapshot");
	const left = join(directoryOf(database.sql), name.replace(".1.", ".0."));
	// Closed first, because the clearing ends with a search for leftovers, which must not find this one.
	await registry.close();
	copyFileSync(join(directoryOf(database.sql), name), left);
	expect(await isCleared()).toBe(false);
	const again = await openHere(path);
	await until(() => !existsSync(left));
	expect(snapshotFiles()).toEqual([name]);
	expect(again.lookup({ digits: "990000008", kind: "rnc" })).toBeDefined();
});
