/**
 * One task of a registry bench in a process of its own, so that neither side stands in the other's memory. Prints one line of JSON.
 *
 *     registry.process.ts build-ours ZIP SNAPSHOT      build-flexsearch SNAPSHOT
 *     registry.process.ts search-ours SNAPSHOT COUNT   search-flexsearch SNAPSHOT COUNT
 *     registry.process.ts lookup-ours SNAPSHOT COUNT   lookup-map SNAPSHOT COUNT
 *     registry.process.ts open SNAPSHOT                bare
 */
import { readFileSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { Index } from "flexsearch";
import type { RegistryEntry } from "../src/registry";
import { prepare } from "../src/registry/ingest/prepare";
import { normaliseText } from "../src/registry/normalise";
import { entryAt, entryBytesAt } from "../src/registry/snapshot/decode";
import { digitsOf } from "../src/registry/snapshot/document-key";
import { TEXT_FIELDS, type TextField } from "../src/registry/snapshot/format";
import { findRow } from "../src/registry/snapshot/lookup";
import { openSnapshot, type Snapshot } from "../src/registry/snapshot/open";
import { searchRows } from "../src/registry/snapshot/search";
import { makeQueries, makeRandom } from "./registry-queries";

const LIMIT = 25;
const nobody = () => false;
const [task = "", path = "", last = ""] = process.argv.slice(2);
const started = performance.now();

const tasks: Readonly<Record<string, () => object | Promise<object>>> = {
	"build-ours": async () => {
		const prepared = await prepare(
			{
				do: "prepare",
				source: path,
				directory: dirname(last),
				runId: crypto.randomUUID(),
				erased: { pepper: new Uint8Array(32), digests: [] },
				clearedOf: "",
				unwanted: {},
				force: false,
				onlyPrevious: false,
			},
			new AbortController().signal,
			() => undefined,
		);
		if (prepared.kind !== "built") throw new Error(`expected a built snapshot, got ${prepared.kind}`);
		renameSync(prepared.path, last);
		return elapsed();
	},
	"build-flexsearch": () => {
		const values = readValues(openSnapshot(path));
		const from = performance.now();
		for (const field of TEXT_FIELDS) fillIndex(values[field]);
		return { ms: performance.now() - from };
	},
	"search-ours": () => {
		const snapshot = openSnapshot(path);
		return percentiles(
			snapshot,
			(text) => searchRows(snapshot, { field: "name", text, limit: LIMIT }, nobody).rows.length,
		);
	},
	"search-flexsearch": () => {
		const snapshot = openSnapshot(path);
		const index = fillIndex(readValues(snapshot).name);
		return percentiles(snapshot, (text) => index.search(text, { limit: LIMIT }).length);
	},
	"lookup-ours": () => {
		const snapshot = openSnapshot(path);
		return lookUp(snapshot, (digits) => {
			const row = findRow(snapshot, digits);
			return row === undefined ? 0 : entryBytesAt(snapshot, row).length;
		});
	},
	"lookup-map": () => {
		const snapshot = openSnapshot(path);
		const entries = new Map<string, RegistryEntry>();
		for (let row = 0; row < snapshot.entryCount; row++) {
			const entry = entryAt(snapshot, row);
			entries.set(entry.rnc, entry);
		}
		return lookUp(snapshot, (digits) => Buffer.from(JSON.stringify(entries.get(digits))).length);
	},
	open: () => {
		const from = performance.now();
		const snapshot = openSnapshot(path);
		if (findRow(snapshot, digitsOf(snapshot.keys[0] ?? 0)) !== 0) throw new Error("the first entry is not found");
		const ms = performance.now() - from;
		const random = makeRandom(1);
		for (let i = 0; i < 20_000; i++) findRow(snapshot, digitsOf(snapshot.keys[random(snapshot.entryCount)] ?? 0));
		for (const text of makeQueries(snapshot, 500)) searchRows(snapshot, { field: "name", text, limit: LIMIT }, nobody);
		return { ms };
	},
	bare: () => ({ ms: 0 }),
};

const run = tasks[task];
if (!run) throw new Error(`there is no task ${task}`);
const result = await run();
Bun.gc(true);
console.log(JSON.stringify({ ...result, ...memory() }));

function elapsed() {
	const { user, system } = process.cpuUsage();
	return { ms: performance.now() - started, cpuMs: (user + system) / 1_000 };
}

function memory() {
	const status = readFileSync("/proc/self/status", "utf8");
	const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
	return { peakMiB: mib("VmHWM"), ownMiB: mib("RssAnon") };
}

function readValues(snapshot: Snapshot): Record<TextField, string[]> {
	const values: Record<TextField, string[]> = { name: [], trade_name: [], economic_activity: [] };
	for (let row = 0; row < snapshot.entryCount; row++) {
		const entry = entryAt(snapshot, row);
		for (const field of TEXT_FIELDS) values[field].push(normaliseText(entry[field]));
	}
	return values;
}

function fillIndex(values: readonly string[]): Index {
	const index = new Index({ tokenize: "forward" });
	values.forEach((value, row) => {
		index.add(row, value);
	});
	return index;
}

function percentiles(snapshot: Snapshot, search: (text: string) => number) {
	const queries = makeQueries(snapshot, Number(last));
	for (const text of queries.slice(0, 200)) search(text);
	const micros: number[] = [];
	let hits = 0;
	for (const text of queries) {
		const from = performance.now();
		hits += search(text);
		micros.push((performance.now() - from) * 1_000);
	}
	micros.sort((a, b) => a - b);
	const at = (percent: number) => micros[Math.min(micros.length - 1, Math.floor((micros.length * percent) / 100))] ?? 0;
	return { p50Micros: at(50), p99Micros: at(99), maxMicros: at(100), hits };
}

function lookUp(snapshot: Snapshot, look: (digits: string) => number) {
	const count = Number(last);
	const random = makeRandom(7);
	const numbers = Array.from({ length: count }, () => digitsOf(snapshot.keys[random(snapshot.entryCount)] ?? 0));
	let bytes = 0;
	for (const digits of numbers.slice(0, 20_000)) bytes += look(digits);
	// The clock costs more than a look-up, so they are timed by the hundred.
	const micros: number[] = [];
	for (let i = 0; i + 100 <= count; i += 100) {
		const from = performance.now();
		for (let j = i; j < i + 100; j++) bytes += look(numbers[j] ?? "");
		micros.push((performance.now() - from) * 10);
	}
	micros.sort((a, b) => a - b);
	return {
		p50Micros: micros[Math.floor(micros.length / 2)],
		p99Micros: micros[Math.floor(micros.length * 0.99)],
		bytes,
	};
}
