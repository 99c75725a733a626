/**
 * One task of a registry bench in a separate process, so that sides do not share memory. Prints one line of JSON.
 *
 *     registry.process.ts build-ours ZIP SNAPSHOT      build-flexsearch SNAPSHOT
 *     registry.process.ts search-ours SNAPSHOT COUNT   search-flexsearch, compare-with-scan SNAPSHOT COUNT
 *     registry.process.ts write-fts5 SNAPSHOT FILE     search-unranked, search-bm25 SNAPSHOT COUNT FILE
 *     registry.process.ts lookup-ours SNAPSHOT COUNT   lookup-objects, lookup-strings SNAPSHOT COUNT
 *     registry.process.ts write-sqlite SNAPSHOT FILE   lookup-sqlite SNAPSHOT COUNT FILE
 *     registry.process.ts open SNAPSHOT                bare
 *     registry.process.ts downloads SNAPSHOT FOLDER RUNS   zip ZIP   numbers SNAPSHOT FILE COUNT
 */
import { readFileSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { deflateRawSync } from "node:zlib";
import { unzipSync } from "fflate";
import { digitsOf } from "../src/registry/index/document-key";
import { findAddress } from "../src/registry/index/entries";
import { openSnapshot } from "../src/registry/index/open";
import { prepare } from "../src/registry/ingest/prepare";
import * as downloads from "./registry-downloads-side";
import * as lookups from "./registry-lookup-sides";
import { makeNumbers, makeQueries } from "./registry-queries";
import { compareWithScan } from "./registry-scan";
import * as searches from "./registry-search-sides";
import { timeEach, timeHundreds } from "./registry-timing";

const [task = "", path = "", last = "", file = ""] = process.argv.slice(2);
const started = performance.now();

const tasks: Readonly<Record<string, () => object | Promise<object>>> = {
	"build-ours": async () => {
		const prepared = await prepare(
			{
				do: "prepare",
				source: path,
				directory: dirname(last),
				runId: crypto.randomUUID(),
				erased: { pepper: new Uint8Array(32), digests: [], fingerprint: "" },
				clearedOf: "",
				rejectedSources: {},
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
	"build-flexsearch": () => searches.buildFlexSearch(openSnapshot(path)),
	"search-ours": () => timeSearches(searches.openOurs(openSnapshot(path))),
	"search-flexsearch": () => timeSearches(searches.fillFlexSearch(openSnapshot(path))),
	"write-fts5": () => searches.writeFts5(openSnapshot(path), last),
	"search-unranked": () => timeSearches(searches.openFts5(file, "unranked")),
	"search-bm25": () => timeSearches(searches.openFts5(file, "bm25")),
	"compare-with-scan": () => compareWithScan(openSnapshot(path), Number(last)),
	"lookup-ours": () => timeLookUps(lookups.openOurs(openSnapshot(path))),
	"lookup-objects": () => timeLookUps(lookups.fillObjects(openSnapshot(path))),
	"lookup-strings": () => timeLookUps(lookups.fillStrings(openSnapshot(path))),
	"write-sqlite": () => lookups.writeSqlite(openSnapshot(path), last),
	"lookup-sqlite": () => timeLookUps(lookups.openSqlite(file)),
	open: () => {
		const from = performance.now();
		const snapshot = openSnapshot(path);
		if (findAddress(snapshot, digitsOf(snapshot.keys[0] ?? 0)) !== 0) throw new Error("the first entry is not found");
		const ms = performance.now() - from;
		const lookUp = lookups.openOurs(snapshot);
		for (const digits of makeNumbers(snapshot, 20_000)) lookUp(digits);
		const search = searches.openOurs(snapshot);
		for (const text of makeQueries(snapshot, 500)) search(text);
		return { ms };
	},
	bare: () => ({ ms: 0 }),
	downloads: async () => {
		await downloads.makeSet(path, last, Number(file));
		return elapsed();
	},
	zip: () => {
		const [text = new Uint8Array()] = Object.values(unzipSync(readFileSync(path)));
		const from = performance.now();
		deflateRawSync(text, { level: 6 });
		return { ms: performance.now() - from };
	},
	numbers: async () => {
		const find = await downloads.openTill(last);
		const numbers = makeNumbers(openSnapshot(path), Number(file));
		return timeHundreds(numbers.length, (i) => find(numbers[i] ?? ""));
	},
};

const run = tasks[task];
if (!run) throw new Error(`unknown task ${task}`);
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

function timeSearches(search: searches.Search): object {
	const queries = makeQueries(openSnapshot(path), Number(last));
	let hits = 0;
	const times = timeEach(queries.length, (i) => {
		hits += search(queries[i] ?? "");
	});
	return { ...times, hits };
}

function timeLookUps(lookUp: lookups.LookUp): object {
	const numbers = makeNumbers(openSnapshot(path), Number(last));
	let bytes = 0;
	const times = timeHundreds(numbers.length, (i) => {
		bytes += lookUp(numbers[i] ?? "");
	});
	return { ...times, bytes };
}
