import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../../../src/platform/problem";
import { type Registry, type RegistryEntry, runHistoryImport } from "../../../src/registry";
import { keyOf } from "../../../src/registry/index/index";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import {
	bodyOf,
	directoryOf,
	entries,
	entry,
	filesIn,
	openOn,
	PEPPER,
	send,
	settableClock,
	silentLog,
	temporaryFolder,
	toText,
} from "../build";
import { ask } from "../in-memory";

const folder = temporaryFolder();
let database: TestDatabase;
let open: Registry[] = [];
let clock = settableClock();

async function setUp(): Promise<void> {
	database = await openTestDatabase();
	clock = settableClock();
}
async function tearDown(): Promise<void> {
	await Promise.all(open.map((registry) => registry.close()));
	open = [];
	await database.close();
}
afterAll(() => folder.remove());

async function openHere(source: string): Promise<Registry> {
	// Ingests are started by the test alone.
	const registry = await openOn(database.sql, source, { clock, schedule: "0 0 1 1 *" });
	open.push(registry);
	return registry;
}

type Daily = { readonly day: string; readonly list: readonly RegistryEntry[] };

const others = entries(20, 100);
const NUMBERS = ["990000001", "990000002", "990000003", "990000004"];
const listOf = (...own: Partial<RegistryEntry>[]) => [...own.map(entry), ...others];
const A = "990000001";
const B = "990000002";
const DAYS: readonly Daily[] = [
	{ day: "2026-11-20", list: listOf({ rnc: A }, { rnc: B }) },
	{ day: "2026-11-22", list: listOf({ rnc: A, status: "SUSPENDIDO" }, { rnc: B }, { rnc: "990000003" }) },
	// Two runs on one day: what the first one held was never held at the end of a day.
	{ day: "2026-11-25", list: listOf({ rnc: A, status: "ANULADO" }, { rnc: B, name: "A MEDIODIA" }) },
	{ day: "2026-11-25", list: listOf({ rnc: A, status: "SUSPENDIDO" }, { rnc: B, name: "DE NOCHE" }) },
	{ day: "2026-11-28", list: listOf({ rnc: B, name: "DE NOCHE", trade_name: "" }, { rnc: "990000004" }) },
];

/** Ingests at noon in UTC-4, and later on the same day where a day repeats. */
async function ingest(registry: Registry, source: string, { day, list }: Daily): Promise<string> {
	const noon = new Date(`${day}T16:00:00Z`);
	clock.set(clock.now() >= noon ? new Date(clock.now().getTime() + 60_000) : noon);
	folder.write(source, toText(list));
	const run = await registry.ingest({ force: true });
	expect(run.result).toBe("ok");
	return run.runId;
}

async function openWith(days: readonly Daily[]): Promise<{ registry: Registry; runIds: string[]; source: string }> {
	const [first, ...later] = days;
	const source = `${crypto.randomUUID()}.txt`;
	clock.set(new Date(`${first?.day}T16:00:00Z`));
	const registry = await openHere(folder.write(source, toText(first?.list ?? [])));
	const runIds = [registry.runId() ?? ""];
	for (const one of later) runIds.push(await ingest(registry, source, one));
	return { registry, runIds, source };
}

const ALL = { pointer: "/as_of", historyDays: null };

function find(registry: Registry, digits: string, day: string) {
	return registry.entryAsOf({ digits, kind: "rnc" }, day, ALL);
}

/** Each number on each day equals what the last run until that day held. */
function expectReplay(registry: Registry, runs: readonly Daily[], from = 20): void {
	for (let day = from; day <= clock.now().getUTCDate(); day++) {
		const date = `2026-11-${day}`;
		const held = runs.findLast((run) => run.day <= date)?.list ?? [];
		for (const rnc of NUMBERS) {
			const wanted = held.find((one) => one.rnc === rnc);
			expect([date, rnc, find(registry, rnc, date).entry]).toEqual([date, rnc, wanted as RegistryEntry]);
		}
	}
}

async function problemOf(work: () => unknown): Promise<Problem> {
	try {
		await work();
	} catch (error) {
		if (error instanceof Problem) return error;
		throw error;
	}
	throw new Error("expected a problem");
}

const historyFiles = () => readdirSync(directoryOf(database.sql)).filter((name) => name.endsWith(".history"));

function removeHistory(which = (_: string) => true): void {
	for (const name of historyFiles().filter(which)) rmSync(join(directoryOf(database.sql), name));
}

describe("of five runs, in this order,", () => {
	let five: Awaited<ReturnType<typeof openWith>>;
	beforeAll(async () => {
		await setUp();
		five = await openWith(DAYS);
	});
	afterAll(tearDown);

	test("the operations answer days and periods, and refuse days they cannot know", async () => {
		const { registry, runIds } = five;
		const get = (path: string) => send(registry, "GET", `/v1/authority/document/${path}`);
		const answer = await get(`${A}?as_of=2026-11-21`);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(await bodyOf<unknown>(answer)).toEqual({
			...entry({ rnc: A }),
			...{ as_of: "2026-11-21", run_id: runIds[0], seen_from: "2026-11-20", seen_to: "2026-11-21" },
		});
		expect((await problemOf(() => get(`${A}?as_of=2026-11-28`))).slug).toBe("document-not-found");
		const early = await problemOf(() => get(`${A}?as_of=2026-11-19`));
		expect([early.slug, early.extensions]).toEqual(["history-not-available", { history_begins: "2026-11-20" }]);
		for (const day of ["2026-11-29", "2026-02-30", "ayer"])
			expect((await problemOf(() => get(`${A}?as_of=${day}`))).slug).toBe("validation-error");
		const { periods, ...members } = await bodyOf<{ periods: Record<string, unknown>[] }>(get(`${B}/history`));
		expect(members).toEqual({ rnc: B, history_begins: "2026-11-20", count: 3, partial: false } as object);
		expect(periods.map(({ from, to, changed, name }) => [from, to, changed, name])).toEqual([
			["2026-11-28", null, ["trade_name"], "DE NOCHE"],
			["2026-11-25", "2026-11-27", ["name"], "DE NOCHE"],
			["2026-11-20", "2026-11-24", [], "COMERCIAL EJEMPLO SRL"],
		]);
		const body = { documents: [A, "990000004", "1"], as_of: "2026-11-23" };
		const batch = await bodyOf<{ results: { outcome: string; entry?: { status: string; seen_from: string } }[] }>(
			ask(registry.operations, "POST", "/v1/authority/document:batch", { body }),
		);
		expect(batch.results.map(({ outcome, entry: found }) => [outcome, found?.status, found?.seen_from])).toEqual([
			["found", "SUSPENDIDO", "2026-11-22"],
			["not_found", undefined, undefined],
			["invalid", undefined, undefined],
		]);
		// A plan shows fewer days.
		const cut = { pointer: "/as_of", historyDays: 4 };
		const refused = await problemOf(() => registry.entryAsOf({ digits: A, kind: "rnc" }, "2026-11-23", cut));
		expect(refused.extensions).toEqual({ history_begins: "2026-11-24" });
		const shown = registry.historyOf({ digits: B, kind: "rnc" }, { limit: 1, historyDays: 4 });
		expect([shown.periods.length, shown.isPartial]).toEqual([1, true]);
	});

	test("after a rollback the abandoned runs have left no period", async () => {
		const { registry, runIds, source } = five;
		await registry.rollback(runIds[2] ?? "");
		const kept = DAYS.slice(0, 3);
		await until(() => registry.runId() === runIds[2]);
		expectReplay(registry, kept);
		const next = { day: "2026-11-29", list: listOf({ rnc: A, name: "DESPUES" }) };
		await ingest(registry, source, next);
		expectReplay(registry, [...kept, next]);
		const rows = await database.sql`select 1 from registry_history where run_id = any(${runIds.slice(3)})`;
		expect(rows.length).toBe(0);
	});

	test("a purge leaves no key and no text of the number in table and files", async () => {
		const { registry } = five;
		const request = {
			legal_basis: "arco-cancellation",
			request_reference: "r",
			requested_by: "dpo",
			reason: "r",
		} as const;
		const key = Buffer.from(Float64Array.of(keyOf(B)).buffer);
		const holders = () =>
			filesIn(directoryOf(database.sql)).filter(
				({ path, bytes }) => path.endsWith(".history") && (bytes.includes(key) || bytes.includes("A MEDIODIA")),
			);
		expect(holders().length).toBeGreaterThan(0);
		const never = { ...find(registry, "990000999", "2026-11-24") };
		await registry.purge({ digits: B, kind: "rnc" }, request);
		// At once, by the tombstone.
		expect(find(registry, B, "2026-11-24")).toEqual(never);
		expect(registry.historyOf({ digits: B, kind: "rnc" }, { limit: 9, historyDays: null }).periods).toEqual([]);
		const rows = await database.sql`select 1 from registry_history where document_key = ${keyOf(B)}`;
		expect(rows.length).toBe(0);
		await until(() => holders().length === 0);
		expect(find(registry, A, "2026-11-24").entry?.status).toBe("SUSPENDIDO");
	});
});

describe("of other runs,", () => {
	beforeEach(setUp);
	afterEach(tearDown);

	test("each day is answered as it was, from files, rebuilt files and kept snapshots", async () => {
		const { registry, runIds, source } = await openWith(DAYS);
		expectReplay(registry, DAYS);
		expect(find(registry, A, "2026-11-24")).toMatchObject({
			...{ seenFrom: "2026-11-22", seenTo: "2026-11-27", runId: runIds[1] ?? "" },
		});
		await registry.close();
		// The newest file from an older one and the table's rows, then all from the table.
		for (const which of [(name: string) => name.startsWith(runIds.at(-1) ?? ""), () => true]) {
			removeHistory(which);
			const again = await openHere(join(folder.path, source));
			await until(() => historyFiles().some((name) => name.startsWith(runIds.at(-1) ?? "")));
			await again.close();
			const opened = await openHere(join(folder.path, source));
			expectReplay(opened, DAYS);
			await opened.close();
		}
		// As after an upgrade: nothing is recorded, and the three kept snapshots are compared.
		removeHistory();
		await database.owner`truncate registry_history, registry_history_starts`;
		const seeded = await openHere(join(folder.path, source));
		await until(() => historyFiles().length > 0);
		await seeded.close();
		const last = await openHere(join(folder.path, source));
		expectReplay(last, DAYS, 25);
		expect((await problemOf(() => find(last, A, "2026-11-24"))).extensions).toEqual({ history_begins: "2026-11-25" });
	});

	test("a run without the previous run's file keeps the earlier history for a rollback", async () => {
		const { registry, runIds, source } = await openWith(DAYS.slice(0, 3));
		const countRows = async () => (await database.sql`select 1 from registry_history`).length;
		const rows = await countRows();
		const name = readdirSync(directoryOf(database.sql)).find((one) => one.startsWith(`${runIds[2]}.0.snapshot`)) ?? "";
		const [path, aside] = [join(directoryOf(database.sql), name), join(folder.path, name)];
		renameSync(path, aside);
		// On the same day as the run before.
		await ingest(registry, source, DAYS[3] as Daily);
		await ingest(registry, source, DAYS[4] as Daily);
		expectReplay(registry, DAYS, 25);
		expect((await problemOf(() => find(registry, A, "2026-11-24"))).extensions).toEqual({
			history_begins: "2026-11-25",
		});
		expect(await countRows()).toBeGreaterThan(rows);
		renameSync(aside, path);
		await registry.rollback(runIds[2] ?? "");
		await until(() => registry.runId() === runIds[2]);
		expectReplay(registry, DAYS.slice(0, 3));
		expect(await countRows()).toBe(rows);
	});

	test("older files are imported oldest first, and only before the first run", async () => {
		const { registry, source } = await openWith(DAYS.slice(0, 2));
		const deps = { sql: database.sql, directory: directoryOf(database.sql), pepper: PEPPER, clock, log: silentLog };
		const importOf = (day: string, list: readonly RegistryEntry[], apply = true) =>
			runHistoryImport(deps, { source: folder.write(`${day}.txt`, toText(list)), day, apply });
		const older = [
			{ day: "2026-11-05", list: listOf({ rnc: A, name: "EN NOVIEMBRE" }, { rnc: "990000004" }) },
			{ day: "2026-11-10", list: listOf({ rnc: A, name: "EN NOVIEMBRE" }, { rnc: B, status: "RECHAZADO" }) },
		] as const;
		expect(await importOf(older[0].day, older[0].list, false)).toMatchObject({ applied: false, differences: 3 });
		for (const { day, list } of older) await importOf(day, list);
		const refused = [importOf("2026-11-07", older[0].list), importOf("2026-11-20", older[0].list)];
		for (const one of await Promise.allSettled(refused)) expect(one.status).toBe("rejected");
		await until(() => {
			const { begins } = registry.historyOf({ digits: A, kind: "rnc" }, { limit: 1, historyDays: null });
			return begins === "2026-11-05";
		});
		await until(() => find(registry, B, "2026-11-10").entry?.status === "RECHAZADO");
		const runs = [...older, ...DAYS.slice(0, 2)];
		expectReplay(registry, runs, 10);
		expect(find(registry, "990000004", "2026-11-09").entry).toBeDefined();
		const next = { day: "2026-11-26", list: listOf({ rnc: A }) };
		await ingest(registry, source, next);
		expectReplay(registry, [...runs, next], 10);
	});
});
