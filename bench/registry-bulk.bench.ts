/**
 * How long does a list of 1,000,000 rows take to check, in how much memory, and what do look-ups of others notice?
 *
 * A list has numbers and names of entries, one row in ten with another's name and one in a hundred with an unknown number. A list of names
 * alone follows, a third of them misspelt. The time counts from the first byte sent until the check is done. Meanwhile a separate process
 * looks up numbers at a steady, moderate rate; a delay counts from when the look-up was due. The peer is the same load without a check.
 * Memory is what the service has beyond files that it maps, less what it had before.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openXlsx } from "../src/registry/checks/write-xlsx";
import { digitsOf } from "../src/registry/index/document-key";
import { entryAt } from "../src/registry/index/entries";
import { openSnapshot, type Snapshot } from "../src/registry/index/open";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeFolder } from "./child";
import { type Load, type LoadPlan, startLoad } from "./load";
import { makeSource } from "./registry-data";
import { makeNumbers, makeRandom } from "./registry-queries";
import { createKey, type Service, startService } from "./service";

export const question = "How long does a list of 1,000,000 rows take to check, and what do look-ups notice?";
export const peer = "the same look-ups while no list is checked";

const CHECKS = "/v1/authority/checks";
const RATE_PER_SECOND = 500;
const CONNECTIONS = 16;
const NUMBERS = 2_000;
const LOOK_EVERY_MS = 50;

type List = { readonly name: string; readonly rows: number; readonly body: Uint8Array<ArrayBuffer> };

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const { source } = makeSource(stack, { smoke });
	const service = await startService(stack, { ROLE: "registry", REGISTRY_SOURCE: source });
	const headers = { "x-api-key": await createKey(service) };
	const snapshot = openServed(service);
	const rows = smoke ? 2_000 : 1_000_000;
	const folder = makeFolder(stack);
	const csv = toCsv(makeRows(snapshot, rows));
	const xlsx = toXlsx(join(folder, "list.xlsx"), makeRows(snapshot, rows));
	const names = toCsv(makeNames(snapshot, smoke ? 50 : 10_000));
	const lists: readonly List[] = [
		{ name: "CSV", rows, body: csv },
		{ name: "XLSX", rows, body: xlsx },
		{ name: "names alone", rows: smoke ? 50 : 10_000, body: names },
	];
	const plan: LoadPlan = {
		url: service.url,
		requests: makeNumbers(snapshot, NUMBERS).map((number) => ({
			...{ method: "GET", path: `/v1/authority/document/${number}`, headers },
		})),
		expectedStatus: 200,
		connections: CONNECTIONS,
	};
	const load = startLoad(stack);
	const seconds = smoke ? 0.1 : 2;
	const look = (lookedUp: Load) => lookedUp.ask({ kind: "open", plan, ratePerSecond: RATE_PER_SECOND, seconds });
	await look(load);

	const figures: Figure[] = [];
	const targets: Readonly<Record<string, string>> = { CSV: "≤ 20 s", XLSX: "≤ 25 s", "names alone": "≤ 60 s" };
	for (const list of lists) {
		const rounds = newRounds("quiet", "checking", "slowest");
		const quiet = await look(load);
		const before = readOwnMiB(service.pid);
		let most = before;
		let isOver = false;
		const checked = check(service, headers, list, () => {
			most = Math.max(most, readOwnMiB(service.pid));
		}).finally(() => {
			isOver = true;
		});
		do {
			const { p99Ms, maxMs } = await look(load);
			rounds.quiet.push(quiet.p99Ms);
			rounds.checking.push(p99Ms);
			rounds.slowest.push(maxMs);
		} while (!isOver);
		const against = { peer: "no check", rounds: rounds.quiet, lessIsFaster: true };
		const target = targets[list.name];
		figures.push(
			toFigure(`${list.name}, ${list.rows} rows`, "s", [await checked], { target }),
			toFigure(`${list.name}: memory beside the map`, "MiB", [most - before], { target: "≤ 300 MiB" }),
			toFigure(`${list.name}: look-up meanwhile, p99`, "ms", rounds.checking, { against, target: "≤ 5 ms" }),
			toFigure(`${list.name}: look-up meanwhile, slowest`, "ms", rounds.slowest),
		);
	}
	return figures;
}

function openServed({ dataDir }: Service): Snapshot {
	const folder = join(dataDir, "registry");
	const [name = ""] = readdirSync(folder).filter((one) => one.endsWith(".snapshot"));
	return openSnapshot(join(folder, name));
}

/** Sends a list; returns after how many seconds its check is done. */
async function check(
	service: Service,
	headers: Readonly<Record<string, string>>,
	{ body }: List,
	onLook: () => void,
): Promise<number> {
	const started = performance.now();
	const sampler = setInterval(onLook, LOOK_EVERY_MS);
	try {
		const sent = await fetch(`${service.url}${CHECKS}`, {
			...{ method: "POST", body, headers: { ...headers, "content-type": "application/octet-stream" } },
		});
		if (sent.status !== 202) throw new Error(`the list was answered ${sent.status}: ${await sent.text()}`);
		const place = `${service.url}${sent.headers.get("location")}`;
		for (;;) {
			const { status } = (await (await fetch(place, { headers })).json()) as { status: string };
			if (status === "done") return (performance.now() - started) / 1_000;
			if (status !== "running") throw new Error(`the check is ${status}`);
			await Bun.sleep(LOOK_EVERY_MS);
		}
	} finally {
		clearInterval(sampler);
	}
}

/** Memory of a process that no file backs. Units: MiB; NaN without `/proc`. */
function readOwnMiB(pid: number): number {
	const path = `/proc/${pid}/status`;
	if (!existsSync(path)) return Number.NaN;
	return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(path, "utf8"))?.[1]) / 1_024;
}

function* makeRows(snapshot: Snapshot, count: number): Generator<readonly [number: string, name: string]> {
	const random = makeRandom(5);
	yield ["RNC", "Nombre"];
	for (let i = 0; i < count; i++) {
		const row = i % snapshot.entryCount;
		const { name } = entryAt(snapshot, i % 10 === 0 ? random(snapshot.entryCount) : row);
		yield [i % 100 === 1 ? String(100_000_000 + i) : digitsOf(snapshot.keys[row] ?? 0), name];
	}
}

function* makeNames(snapshot: Snapshot, count: number): Generator<readonly [name: string]> {
	const random = makeRandom(6);
	yield ["Nombre"];
	for (let i = 0; i < count; i++) {
		const { name } = entryAt(snapshot, random(snapshot.entryCount));
		const at = 1 + random(Math.max(1, name.length - 2));
		yield [i % 3 === 0 ? name.slice(0, at) + name.slice(at + 1) : name];
	}
}

function toCsv(rows: Iterable<readonly string[]>): Uint8Array<ArrayBuffer> {
	const lines: string[] = [];
	for (const cells of rows) lines.push(cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","));
	return new TextEncoder().encode(lines.join("\r\n"));
}

function toXlsx(path: string, rows: Iterable<readonly string[]>): Uint8Array<ArrayBuffer> {
	const sheet = openXlsx(path);
	for (const cells of rows) sheet.add(cells);
	sheet.end();
	sheet.close();
	const bytes = new Uint8Array(readFileSync(path));
	rmSync(path);
	return bytes;
}
