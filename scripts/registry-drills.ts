/**
 * What the registry promises, tried at full size. Each drill prints one JSON line; the exit code is 1 when one was violated.
 *
 *     bun scripts/registry-drills.ts                  all of them
 *     bun scripts/registry-drills.ts ingest swaps     some of them
 *     options: --records N (760,000), --smoke (small sizes, proves that they run)
 *
 *   ingest   a source of N records is ingested while look-ups go on; then the registry is closed and opened again
 *   swaps    1,000,000 look-ups across 20 swaps between runs whose every entry names its run: no error, no answer that mixes two
 *   purges   1,000 erasures, 5 ingests of sources that hold the erased, a rollback, a restart: none comes back, and no file holds one
 *
 * Everything happens in a temporary folder with a database server of its own.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect, migrate, type Sql, startEmbeddedPostgres } from "../src/database";
import { type Call, OperationTable } from "../src/operation";
import { openRegistry, type Registry, type RegistryEntry } from "../src/registry";
import { findRow } from "../src/registry/snapshot/lookup";
import { openSnapshot } from "../src/registry/snapshot/open";
import { createLog } from "../src/telemetry";
import { parseTaxpayerDocument, systemClock } from "../src/values";
import { generateRegistry } from "./generate-registry";

const { values: options, positionals: chosen } = parseArgs({
	options: { records: { type: "string", default: "760000" }, smoke: { type: "boolean", default: false } },
	allowPositionals: true,
});
const small = options.smoke;
const folder = mkdtempSync(join(tmpdir(), "sello-registry-drills-"));
const postgres = await startEmbeddedPostgres(folder);
let databases = 0;
const violations: string[] = [];

const drills = { ingest: drillIngest, swaps: drillSwaps, purges: drillPurges };
try {
	for (const [name, drill] of Object.entries(drills)) {
		if (chosen.length > 0 && !chosen.includes(name)) continue;
		const startedAt = performance.now();
		const result = await drill();
		console.log(JSON.stringify({ drill: name, ...result, seconds: Math.round(performance.now() - startedAt) / 1000 }));
	}
} finally {
	await postgres.stop();
	rmSync(folder, { recursive: true, force: true });
}
for (const violation of violations) console.error(violation);
process.exit(violations.length > 0 ? 1 : 0);

type Stage = {
	readonly sql: Sql;
	readonly directory: string;
	readonly open: (source: string) => Promise<Registry>;
	readonly end: () => Promise<void>;
};

/** A database and a folder of their own. */
async function setStage(): Promise<Stage> {
	const name = `drill_${databases++}`;
	const admin = connect({ url: postgres.url, name: "drills", connectionsMax: 1 });
	await admin.unsafe(`create database ${name}`);
	await admin.end();
	const url = postgres.url.replace(/\/postgres$/, `/${name}`);
	const sql = connect({ url, name: "drills", connectionsMax: 8 });
	await migrate(sql);
	const directory = join(folder, name);
	return {
		sql,
		directory,
		open: (source) =>
			openRegistry({
				sql,
				source,
				directory,
				schedule: "0 4 * * *",
				pepper: new Uint8Array(32).fill(7),
				clock: systemClock,
				log: createLog("error", "drills"),
				signReceipt: async () => "receipt",
			}),
		end: () => sql.end({ timeout: 2 }),
	};
}

async function drillIngest() {
	const records = small ? 20_000 : Number(options.records);
	const first = join(folder, "first.zip");
	const second = join(folder, "second.zip");
	generateRegistry({ records, seed: 1, out: first });
	generateRegistry({ records: Math.floor(records * 0.99), seed: 2, out: second });
	const stage = await setStage();
	const registry = await stage.open(first);
	const firstMs = await durationOf(stage.sql, registry.runId());
	const probe = parseTaxpayerDocument("131880681");
	if (!probe) throw new Error("the probe is no document");
	const delays: number[] = [];
	let isDone = false;
	const look = async () => {
		while (!isDone) {
			const due = performance.now() + 1;
			await Bun.sleep(1);
			if (!registry.lookup(probe)) violations.push("a look-up found nothing while an ingest ran");
			delays.push(performance.now() - due);
		}
	};
	const looking = look();
	const run = await registry.ingest({ source: second });
	isDone = true;
	await looking;
	await registry.close();
	const openedAt = performance.now();
	const again = await stage.open(second);
	const openMs = performance.now() - openedAt;
	if (again.runId() !== run.runId) violations.push(`a restart serves ${again.runId()} instead of ${run.runId}`);
	await again.close();
	await stage.end();
	delays.sort((a, b) => a - b);
	return {
		records,
		firstIngestMs: firstMs,
		secondIngestMs: run.durationMs,
		result: run.result,
		lookupDelayMs: { p50: percentile(delays, 50), p99: percentile(delays, 99), max: percentile(delays, 100) },
		openMs: Math.round(openMs),
		peakMiB: peakMiB(),
	};
}

async function durationOf(sql: Sql, runId: string | undefined): Promise<number> {
	const [row] = await sql<{ ms: number }[]>`select duration_ms as ms from registry_runs where id = ${runId ?? null}`;
	return row?.ms ?? Number.NaN;
}

async function drillSwaps() {
	const count = small ? 500 : 20_000;
	const swaps = small ? 3 : 20;
	const lookupsWanted = small ? 5_000 : 1_000_000;
	const stage = await setStage();
	const source = join(folder, "swaps.txt");
	const write = (version: number) => writeFileSync(source, toText(numbered(count, 990_000_001, `V${version}`)));
	write(0);
	const registry = await stage.open(source);
	const nameOf = new Map([[registry.runId() ?? "", "V0"]]);
	const seen = new Map<string, number>();
	let lookups = 0;
	let errors = 0;
	let isDone = false;
	const read = async (reader: number) => {
		for (let i = reader * 997; !isDone || lookups < lookupsWanted; i += 13) {
			const document = String(990_000_001 + (i % count));
			try {
				const answer = await getDocument(registry, document);
				const { trade_name } = (await answer.json()) as RegistryEntry;
				const pair = `${answer.headers.get("x-registry-run-id")} ${trade_name}`;
				seen.set(pair, (seen.get(pair) ?? 0) + 1);
			} catch {
				errors++;
			}
			lookups++;
			if (lookups % 64 === 0) await Bun.sleep(0);
		}
	};
	const readers = Array.from({ length: 8 }, (_, i) => read(i));
	for (let version = 1; version <= swaps; version++) {
		write(version);
		const run = await registry.ingest();
		nameOf.set(run.runId, `V${version}`);
	}
	isDone = true;
	await Promise.all(readers);
	await registry.close();
	await stage.end();
	let mixed = 0;
	for (const [pair, times] of seen) {
		const [runId = "", name] = pair.split(" ");
		if (nameOf.get(runId) !== name) mixed += times;
	}
	if (mixed > 0) violations.push(`${mixed} answers mixed two runs`);
	if (errors > 0) violations.push(`${errors} look-ups failed during swaps`);
	return { lookups, swaps, runsSeen: seen.size, errors, mixed };
}

async function drillPurges() {
	const erasures = small ? 50 : 1_000;
	const stage = await setStage();
	const source = join(folder, "purges.txt");
	const people = numbered(erasures, 99_900_000_000, "ZUTANA").map((e, i) => ({ ...e, name: `QUERELIA${i}X FULANA` }));
	const others = numbered(small ? 1_000 : 50_000, 990_000_001, "OTRO");
	const write = (version: number) => {
		writeFileSync(source, toText([...others, ...people, ...numbered(version, 980_000_000, `V${version}`)]));
	};
	write(0);
	const registry = await stage.open(source);
	for (let version = 1; version <= 2; version++) {
		write(version);
		await registry.ingest();
	}
	const request = {
		legal_basis: "arco-cancellation" as const,
		request_reference: "DRILL",
		requested_by: "drill@example.do",
		reason: "Drill",
	};
	for (const { rnc } of people) await registry.purge({ digits: rnc, kind: "cedula" }, request);
	const inFiles = () => {
		const paths = readdirSync(stage.directory).map((name) => join(stage.directory, name));
		const kept = paths.map((path) => readFileSync(path));
		const names = people.filter((_, i) => kept.some((bytes) => bytes.includes(`QUERELIA${i}X`)));
		// A number stands in a file as a key, so it is looked for as one.
		const snapshots = paths.filter((path) => path.endsWith(".snapshot")).map(openSnapshot);
		const numbers = people.filter(({ rnc }) => snapshots.some((one) => findRow(one, rnc) !== undefined));
		return names.length + numbers.length;
	};
	const served = (one: Registry) =>
		people.filter(({ rnc }) => one.lookup({ digits: rnc, kind: "cedula" })).length +
		one.search({ field: "trade_name", text: "ZUTANA", limit: 100 }).entries.length +
		one.search({ field: "document", text: "999000", limit: 100 }).entries.length;
	const check = (when: string, one: Registry) => {
		const back = { served: served(one), inFiles: inFiles() };
		if (back.served > 0 || back.inFiles > 0) violations.push(`${when}: ${JSON.stringify(back)} erased are back`);
	};
	const clearedAt = performance.now();
	await untilQuiet(stage.directory);
	const clearMs = Math.round(performance.now() - clearedAt);
	check("after the erasures", registry);
	const runs: string[] = [];
	for (let version = 3; version <= 7; version++) {
		write(version);
		runs.push((await registry.ingest()).runId);
		check(`after ingest ${version}`, registry);
	}
	await registry.rollback(runs.at(-2) ?? "");
	check("after the rollback", registry);
	await registry.close();
	const again = await stage.open(source);
	check("after a restart", again);
	await again.close();
	await stage.end();
	return { erasures, ingests: runs.length, rollbacks: 1, clearMs };
}

/** Waits until no file has been replaced for a while. */
async function untilQuiet(directory: string): Promise<void> {
	let before = "";
	for (let quiet = 0; quiet < 20; ) {
		const now = readdirSync(directory).sort().join();
		quiet = now === before ? quiet + 1 : 0;
		before = now;
		await Bun.sleep(100);
	}
}

function getDocument(registry: Registry, document: string): Response | Promise<Response> {
	const path = `/v1/authority/document/${document}`;
	const match = new OperationTable(registry.operations).find("GET", path);
	if (match.found !== "operation") throw new Error("there is no such operation");
	const url = new URL(path, "http://localhost");
	const call: Call = {
		request: new Request(url.href),
		url,
		requestId: "drill",
		remoteAddress: "127.0.0.1",
		params: match.params,
		operation: match.operation,
	};
	return match.operation.handle(call);
}

function numbered(count: number, from: number, tradeName: string): RegistryEntry[] {
	return Array.from({ length: count }, (_, i) => ({
		rnc: String(from + i),
		name: `COMERCIAL NUMERO ${i} SRL`,
		trade_name: tradeName,
		economic_activity: "VENTA AL POR MENOR",
		status: "ACTIVO",
		payment_regime: "NORMAL",
	}));
}

function toText(list: readonly RegistryEntry[]): string {
	const lines = list.map((e) =>
		[e.rnc, e.name, e.trade_name, e.economic_activity, "", "", "", "", "", e.status, e.payment_regime].join("|"),
	);
	return `${lines.join("\r\n")}\r\n`;
}

function percentile(sorted: readonly number[], percent: number): number {
	const at = Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100));
	return Math.round((sorted[at] ?? Number.NaN) * 100) / 100;
}

/** The most memory that this process ever had, mapped files included; NaN where there is no `/proc`. */
function peakMiB(): number {
	if (!statSync("/proc/self/status", { throwIfNoEntry: false })) return Number.NaN;
	const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
	return Math.round(Number(peak) / 1024);
}
