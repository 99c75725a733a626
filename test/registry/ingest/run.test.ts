import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { parseTaxpayerDocument } from "../../../src/platform/values";
import { describeSubject, listRefusedLines, type Registry, type RegistryEntry, runIngest } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import {
	connectAgain,
	directoryOf,
	entries,
	entry,
	openOn,
	PEPPER,
	SAMPLE,
	send,
	settableClock,
	silentLog,
	temporaryFolder,
	toLine,
	toText,
	toZip,
} from "../build";

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

async function openHere(
	source: string,
	deps: Parameters<typeof openOn>[2] = {},
	sql = database.sql,
): Promise<Registry> {
	const registry = await openOn(sql, source, deps);
	open.push(registry);
	return registry;
}

function has(registry: Registry, digits: string): boolean {
	const document = parseTaxpayerDocument(digits);
	if (!document) throw new Error(`${digits} is no document`);
	return registry.lookup(document) !== undefined;
}

test("the shipped sample has 2,000 entries and is loaded at the start", async () => {
	const registry = await openHere(SAMPLE);
	expect(registry.isLoaded()).toBe(true);
	expect(registry.status()).toMatchObject({
		record_count: 2_000,
		added: 2_000,
		changed: 0,
		removed: 0,
		suppressed: 0,
		stale: false,
		run_id: registry.runId() ?? "",
		last_attempt: { result: "ok" },
	});
	for (let n = 1; n <= 20; n++) {
		const digits = `9900000${String(n).padStart(2, "0")}`;
		expect(registry.lookup({ digits, kind: "rnc" })?.status).toBe("ACTIVO");
	}
	expect(registry.lookup({ digits: "131880681", kind: "rnc" })).toEqual({
		rnc: "131880681",
		name: "FERRETERIA EL PROGRESO SRL",
		trade_name: "EL PROGRESO",
		economic_activity: "VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA",
		status: "ACTIVO",
		payment_regime: "NORMAL",
	});
	expect(has(registry, "101010101")).toBe(true);
});

test("an unchanged source renews the age and keeps the run", async () => {
	const clock = settableClock();
	const registry = await openHere(folder.write("same.zip", toZip(toText(entries(20)))), { clock });
	const runId = registry.runId();
	clock.advanceSeconds(200_000);
	expect(registry.status()).toMatchObject({ age_seconds: 200_000, stale: true });
	const run = await registry.ingest();
	expect(run).toMatchObject({ runId: runId ?? "", result: "unchanged", recordCount: 20, reason: null });
	expect(registry.status()).toMatchObject({
		run_id: runId ?? "",
		age_seconds: 0,
		stale: false,
		last_ingest: clock.now().toISOString(),
		last_attempt: { at: clock.now().toISOString(), result: "unchanged" },
	});
	const [row] = await database.sql`select count(*)::int as n from registry_runs`;
	expect(row?.n).toBe(1);
});

test("a changed source is put into use with what was added, changed and removed", async () => {
	const path = folder.write("changing.txt", toText(entries(20)));
	const registry = await openHere(path);
	const before = registry.runId();
	const next = entries(20, 2).map((e, i) => (i === 0 ? { ...e, name: "OTRO NOMBRE" } : e));
	folder.write("changing.txt", toText(next));
	const run = await registry.ingest();
	expect(run).toMatchObject({ result: "ok", recordCount: 20 });
	expect(run.runId).not.toBe(before ?? "");
	expect(registry.runId()).toBe(run.runId);
	expect(registry.status()).toMatchObject({ added: 1, changed: 1, removed: 1, record_count: 20 });
	expect(has(registry, "990000001")).toBe(false);
	expect(has(registry, "990000021")).toBe(true);
});

describe("the last good data stay in use", () => {
	const good = entries(100);
	const cases: [string, Uint8Array, "refused" | "failed", string][] = [
		["when half the rows are gone", toText(good.slice(0, 50)), "refused", "expected 90 to 150 %"],
		["when there are three times the rows", toText(entries(300)), "refused", "expected 90 to 150 %"],
		[
			"when lines cannot be read",
			Buffer.concat([toText(good), Buffer.from("x|y\r\n".repeat(3))]),
			"refused",
			"cannot be read",
		],
		[
			"when all records have one number",
			toText(good.map((e) => ({ ...e, rnc: "990000001" }))),
			"refused",
			"cannot be read",
		],
		["when the file is cut off", toText(good).subarray(0, -20), "refused", "cut off"],
		[
			"when status and regime are swapped",
			toText(good.map((e) => ({ ...e, status: "NORMAL", payment_regime: e.status }))),
			"refused",
			"columns",
		],
		["when the file is empty", new Uint8Array(0), "refused", "formats"],
		["when the source is a page of HTML", Buffer.from("<html>maintenance</html>\n"), "refused", "formats"],
		["when the zip is cut off", toZip(toText(entries(101))).subarray(0, -9), "refused", "cut off"],
		["when the zip holds a zip", toZip(toZip(toText(good))), "refused", "formats"],
	];
	test.each(cases)("%s", async (_, bytes, result, reason) => {
		const clock = settableClock();
		const path = folder.write("gates.txt", toText(good));
		const registry = await openHere(path, { clock });
		const before = registry.status();
		clock.advanceSeconds(60);
		folder.write("gates.txt", bytes);
		const run = await registry.ingest();
		expect(run).toMatchObject({ result });
		expect(run.reason).toContain(reason);
		expect(registry.status()).toEqual({
			...before,
			age_seconds: 60,
			last_attempt: { at: clock.now().toISOString(), result },
		});
		expect(good.every((e) => has(registry, e.rnc))).toBe(true);
		const [row] = await database.sql`select result, reason from registry_runs where id = ${run.runId}`;
		expect({ ...row }).toEqual({ result: run.result, reason: run.reason });
	});

	test("if the file is gone", async () => {
		const path = folder.write("gone.txt", toText(good));
		const registry = await openHere(path);
		const run = await registry.ingest({ source: `${path}.missing` });
		expect(run).toMatchObject({ result: "failed", recordCount: 0, sha256: null });
		expect(has(registry, "990000100")).toBe(true);
	});

	test("unless a change of size is forced", async () => {
		const path = folder.write("forced.txt", toText(good));
		const registry = await openHere(path);
		const half = folder.write("half.txt", toText(good.slice(0, 50)));
		expect(await registry.ingest({ source: half, force: true })).toMatchObject({ result: "ok", recordCount: 50 });
		expect(has(registry, "990000100")).toBe(false);
	});
});

test("a restart serves the last good run even if the gates refuse the source", async () => {
	const kept = folder.write("kept.txt", toText(entries(100)));
	const first = await openHere(kept);
	const runId = first.runId();
	await first.close();
	const tooFew = folder.write("too-few.txt", toText(entries(10)));
	const second = await openHere(tooFew);
	expect(second.runId()).toBe(runId);
	expect(has(second, "990000100")).toBe(true);
	await until(() => second.status().last_attempt?.result === "refused");
	expect(second.runId()).toBe(runId);
});

test("a source that cannot be loaded leaves nothing loaded and is tried again", async () => {
	const path = `${folder.path}/late.txt`;
	const registry = await openHere(path, { retryMs: 5 });
	expect(registry.isLoaded()).toBe(false);
	expect(registry.status()).toMatchObject({
		last_ingest: null,
		record_count: 0,
		age_seconds: null,
		stale: true,
		run_id: null,
		last_attempt: { result: "failed" },
	});
	folder.write("late.txt", toText(entries(10)));
	await until(() => registry.isLoaded());
	expect(has(registry, "990000010")).toBe(true);
});

const csvHeader = '"RNC","RAZON SOCIAL","ACTIVIDAD ECONOMICA","ESTADO","REGIMEN DE PAGO","FACTURADOR"';
const toCsv = (list: readonly RegistryEntry[]) =>
	[csvHeader, ...list.map((e) => [e.rnc, e.name, e.economic_activity, e.status, e.payment_regime, "SI"])]
		.map((cells) => (typeof cells === "string" ? cells : `"${cells.join('","')}"`))
		.join("\r\n");

test("a new column, a readme and CSV after text pass, and what CSV lacks is kept", async () => {
	const named = entries(300).map((e, i) => ({ ...e, trade_name: `MARCA ${i} \\ Ñ` }));
	const write = (bytes: Uint8Array) => folder.write("forms", bytes);
	const lines = Buffer.from(toText(named)).toString("latin1");
	const wide = Buffer.from(lines.replaceAll("\r\n", "|SI\r\n"), "latin1");
	const registry = await openHere(write(zipSync({ "LEEME.TXT": Buffer.from("Hola"), "TMP/RNC.TXT": wide })));
	const first = registry.runId();
	const expand = (rnc: string) => send(registry, "GET", `/v1/authority/document/${rnc}?expand=started_on`);
	expect(await (await expand("990000001")).json()).toEqual({ ...named[0], started_on: "2014-02-03" });
	expect(await (await send(registry, "GET", "/v1/authority/document/990000001")).json()).toEqual(named[0]);

	const later = [...named.slice(1), entry({ rnc: "990000900", name: "NUEVA SRL", trade_name: "" })];
	for (const status of ["ACTIVO", "SUSPENDIDO"]) {
		const changed = later.map((e, i) => (i === 0 ? { ...e, status } : e));
		write(Buffer.from(toCsv(changed)));
		const run = await registry.ingest();
		expect(run).toMatchObject({ result: "ok", reason: null });
		expect(registry.status()).toMatchObject({ fields_kept: ["trade_name", "started_on"], fields_from_run: first });
		for (const one of [changed[0], changed[200], changed[299]]) {
			expect(one && registry.lookup({ digits: one.rnc, kind: "rnc" })).toEqual(one);
		}
		expect(await (await expand("990000300")).json()).toMatchObject({ started_on: "2014-02-03" });
		expect(await (await expand("990000900")).json()).toMatchObject({ started_on: null });
	}
	const page = (await (await send(registry, "GET", "/v1/authority/registry/runs")).json()) as { runs: object[] };
	expect(page.runs).toMatchObject([
		{ columns_ignored: ["FACTURADOR"], fields_from_run: first },
		{ added: 1, changed: 0, removed: 1, columns_ignored: ["FACTURADOR"], fields_kept: ["trade_name", "started_on"] },
		{ columns_ignored: ["column 12"], healed: 0, guessed: 0 },
	]);
	expect(page.runs[2]).not.toHaveProperty("fields_kept");

	// Another host has the source alone.
	const other = temporaryFolder();
	const elsewhere = await openHere(join(folder.path, "forms"), { directory: other.path });
	expect(elsewhere.runId()).not.toBe(page.runs[0]);
	expect(elsewhere.status()).not.toHaveProperty("fields_kept");
	await elsewhere.close();
	other.remove();
});

test("refused lines are kept for the operator without erased numbers", async () => {
	const deps = { sql: database.sql, pepper: PEPPER, directory: directoryOf(database.sql) };
	const bad = (n: number) => toLine(entry({ rnc: `9-9000-000${n}` })).replace("|ACTIVO", "");
	const text = Buffer.concat([toText(entries(400)), Buffer.from(`${bad(1)}\r\n${bad(2)}\r\n${toLine(entry())}\r\n`)]);
	const registry = await openHere(folder.write("refused.txt", text));
	const found = await listRefusedLines(deps);
	expect(found?.runId).toBe(registry.runId() ?? "");
	expect(found?.lines).toMatchObject([
		{ reason: "broken-record", line: 402, text: bad(1), found: "10 columns, expected 11" },
		{ reason: "broken-record", line: 402, text: bad(2) },
		{ reason: "duplicate", text: "990000001" },
	]);
	const path = join(deps.directory, `${registry.runId()}.refused.ndjson`);
	expect(statSync(path).mode & 0o777).toBe(0o600);

	const held = () => describeSubject(deps, { digits: "990000001", kind: "rnc" });
	expect(await held()).toMatchObject({
		entries: [{ run_id: registry.runId(), entry: { rnc: "990000001" }, started_on: "2014-02-03" }],
		changes: [],
		refused_lines: [{ line: 402, text: bad(1) }, { text: "990000001" }],
		erasure: null,
	});
	await registry.purge(
		{ digits: "990000001", kind: "rnc" },
		{ legal_basis: "data-error", request_reference: "y", requested_by: "z", reason: "data-error" },
	);
	const texts = async () => (await listRefusedLines(deps))?.lines.map((line) => line.text);
	expect(await texts()).toEqual([bad(2)]);
	await until(() => !readFileSync(path, "utf8").includes("9-9000-0001"));
	expect(readFileSync(path, "utf8")).toContain(bad(2));
	expect(await held()).toMatchObject({
		...{ refused_lines: [], changes: [], erasure: { legalBasis: "data-error", reversedAt: null } },
	});
	await until(async () => (await held()).entries.length === 0);
	await registry.ingest({ force: true });
	const kept = () => readdirSync(deps.directory).filter((name) => name.endsWith(".ndjson"));
	for (const count of [401, 402, 403]) {
		folder.write("refused.txt", Buffer.concat([toText(entries(count)), Buffer.from(`${bad(1)}\r\n${bad(3)}\r\n`)]));
		await registry.ingest();
		expect(await texts()).toEqual([bad(3)]);
	}
	expect(kept().length).toBe(3);
	expect(
		kept()
			.map((name) => readFileSync(join(deps.directory, name), "utf8"))
			.join(""),
	).not.toContain("9-9000-0001");
	expect(await listRefusedLines(deps, "0192ef00-0000-7000-8000-000000000001")).toBeUndefined();
});

test("an address is loaded in the background and then requested by its ETag", async () => {
	const asked: (string | null)[] = [];
	const release = Promise.withResolvers<void>();
	const server = Bun.serve({
		port: 0,
		fetch: async (request) => {
			asked.push(request.headers.get("if-none-match"));
			await release.promise;
			if (asked.at(-1) === '"v1"') return new Response(null, { status: 304 });
			return new Response(toZip(toText(entries(10))), { headers: { etag: '"v1"' } });
		},
	});
	try {
		const registry = await openHere(new URL("/rnc.zip", server.url).href);
		expect(registry.isLoaded()).toBe(false);
		release.resolve();
		await until(() => registry.isLoaded());
		expect(registry.status().source_etag).toBe('"v1"');
		expect(await registry.ingest()).toMatchObject({ result: "unchanged", runId: registry.runId() ?? "" });
		expect(asked).toEqual([null, '"v1"']);
	} finally {
		await server.stop(true);
	}
});

test("of concurrent ingests one makes the run and the others find it", async () => {
	const path = folder.write("together.txt", toText(entries(50)));
	const pools = [1, 2, 3, 4].map((n) => connectAgain(database.url, `together-${n}`));
	const registries = await Promise.all(pools.map((sql) => openHere(path, {}, sql)));
	folder.write("together.txt", toText(entries(55)));
	const runs = await Promise.all(registries.map((registry) => registry.ingest()));
	expect(runs.map((run) => run.result).sort()).toEqual(["ok", "unchanged", "unchanged", "unchanged"]);
	expect(new Set(runs.map((run) => run.runId)).size).toBe(1);
	await until(() => registries.every((registry) => has(registry, "990000055")));
	await Promise.all(registries.map((registry) => registry.close()));
	await Promise.all(pools.map((sql) => sql.end()));
});

test("an ingest by the operator's process reaches the serving one", async () => {
	const registry = await openHere(folder.write("served.txt", toText(entries(50))));
	const other = folder.write("other.txt", toText(entries(60)));
	const deps = {
		sql: database.sql,
		directory: directoryOf(database.sql),
		pepper: PEPPER,
		clock: { now: () => new Date() },
		log: silentLog,
	};
	const run = await runIngest(deps, { source: other });
	expect(run).toMatchObject({ result: "ok", recordCount: 60 });
	await until(() => registry.runId() === run.runId);
	expect(has(registry, "990000060")).toBe(true);
});

test("the schedule ingests by itself and reports its next time in UTC", async () => {
	const path = folder.write("scheduled.txt", toText(entries(50)));
	const clock = settableClock(new Date("2026-11-20T14:00:00.000Z"));
	const nightly = await openHere(path, { clock });
	expect(nightly.status().next_scheduled).toBe("2026-11-21T04:00:00.000Z");
	await nightly.close();
	const registry = await openHere(path, { schedule: "* * * * * *" });
	folder.write("scheduled.txt", toText(entries(51)));
	await until(() => has(registry, "990000051"));
});

test("closing a registry that waits for the lock ends the wait", async () => {
	const registry = await openHere(folder.write("closing.txt", toText(entries(5))));
	await database.sql.begin(async (tx) => {
		await tx`select pg_advisory_xact_lock(7301004)`;
		const waiting = Promise.withResolvers<void>();
		const ingest = registry.ingest({ onProgress: ({ step }) => step === "wait" && waiting.resolve() }).then(
			() => "ingested",
			() => "given up",
		);
		await waiting.promise;
		await registry.close();
		expect(await ingest).toBe("given up");
	});
});

test("the duration of a run excludes the wait for the lock", async () => {
	const clock = settableClock();
	const registry = await openHere(SAMPLE, { clock });
	const waiting = Promise.withResolvers<void>();
	let ended: ReturnType<Registry["ingest"]> | undefined;
	await database.sql.begin(async (tx) => {
		await tx`select pg_advisory_xact_lock(7301004)`;
		ended = registry.ingest({ onProgress: ({ step }) => step === "wait" && waiting.resolve() });
		await waiting.promise;
		clock.advanceSeconds(60);
	});
	await ended;
	expect(registry.status().last_attempt).toEqual({ at: clock.now().toISOString(), result: "unchanged" });
});
