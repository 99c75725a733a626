/** Searches all that the registry keeps for entries that must be gone: files as they are read, not only their bytes, and every table. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { unzipSync } from "fflate";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { openNumbers } from "../../data/registry/numbers.js";
import type { Sql } from "../../src/platform/database";
import { openHistory } from "../../src/registry/history";
import { findAddress, keyOf, openSnapshot } from "../../src/registry/index/index";
import { unpackNumbers } from "../../src/registry/watchlists";
import { listTables } from "../../test/support/documents";
import type { Environment } from "./environment";

export type Wanted = {
	readonly numbers: readonly string[];
	/** Matches each of the numbers in a text. */
	readonly numberPattern: RegExp;
	/** Words of their values that no other entry has. */
	readonly words: readonly string[];
};

/** By kind, how many files or rows have a trace of an entry. A check's list keeps the numbers that its customer sent in the column RNC. */
export type Traces = Readonly<Record<(typeof KINDS)[number] | "watchlists" | "tables", number>>;

const KINDS = ["snapshots", "histories", "store", "downloads", "checks", "others"] as const;

export async function findTraces(environment: Environment, store: string, wanted: Wanted): Promise<Traces> {
	const { directory, sql } = environment;
	const found = { snapshots: 0, histories: 0, store: 0, downloads: 0, checks: 0, others: 0 };
	for (const path of [...listFiles(directory), ...listFiles(store)]) {
		// A source that is being read, and a file that is being written, are removed or become one of the others.
		if (/\.(tmp|making|erasing)(\/|$)/.test(path)) continue;
		if (await hasTrace(path, wanted, join(directory, "..", "unpacked"))) found[kindOf(path, directory, store)]++;
	}
	return { ...found, watchlists: await countWatched(sql, wanted), tables: await countRows(sql, wanted) };
}

function listFiles(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((one) => one.isFile())
		.map((one) => join(one.parentPath, one.name));
}

function kindOf(path: string, directory: string, store: string): (typeof KINDS)[number] {
	if (path.startsWith(store)) return "store";
	if (path.startsWith(join(directory, "downloads"))) return "downloads";
	if (path.startsWith(join(directory, "checks"))) return "checks";
	if (path.endsWith(".snapshot")) return "snapshots";
	return path.endsWith(".history") ? "histories" : "others";
}

/** `scratch` is where a packed file is unpacked. */
async function hasTrace(path: string, wanted: Wanted, scratch: string): Promise<boolean> {
	const hasText = (text: string) => wanted.numberPattern.test(text) || hasWord(Buffer.from(text), wanted);
	const name = basename(path);
	try {
		const bytes = readFileSync(path);
		if (hasWord(bytes, wanted)) return true;
		if (name.endsWith(".zst")) {
			const unpacked = Buffer.from(Bun.zstdDecompressSync(bytes));
			// Deltas list an erased number as an ordinary removal, so that copies lose its entry.
			if (name.startsWith("delta-")) return hasText(unpacked.toString().replace(REMOVAL, ""));
			if (!/\.(snapshot|history)\.zst$/.test(name)) return hasText(unpacked.toString());
			writeFileSync(scratch, unpacked);
			try {
				return hasWord(unpacked, wanted) || hasKey(scratch, name, wanted);
			} finally {
				rmSync(scratch);
			}
		}
		if (/\.(snapshot|history)$/.test(name)) return hasKey(path, name, wanted);
		if (name.endsWith(".parquet")) {
			const compressors = { ZSTD: (packed: Uint8Array) => Bun.zstdDecompressSync(Uint8Array.from(packed)) };
			return hasText(JSON.stringify(await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })));
		}
		if (name.startsWith("numbers-delta-")) return listDelta(bytes).some((value) => wanted.numbers.includes(value));
		if (name.startsWith("numbers")) {
			const { find } = await openNumbers(Uint8Array.from(bytes).buffer);
			return wanted.numbers.some((number) => find(number) !== undefined);
		}
		if (name.endsWith(".xlsx"))
			return Object.values(unzipSync(bytes)).some((part) => hasWord(Buffer.from(part), wanted));
		if (/^[^.]+\.ndjson$/.test(name) && path.includes("/checks/")) return hasFinding(bytes.toString(), wanted);
		return !path.includes("/checks/") && wanted.numberPattern.test(bytes.toString("latin1"));
	} catch (error) {
		// Replaced meanwhile.
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
		// Not whole yet, so it may still have a trace.
		if (error instanceof Error && "code" in error && error.code === "ERR_ZSTD") return true;
		throw error;
	}
}

function hasWord(bytes: Buffer, { words }: Wanted): boolean {
	return words.some((word) => bytes.includes(word));
}

/** Numbers are stored as keys, whose bytes show no digits. */
function hasKey(path: string, name: string, { numbers }: Wanted): boolean {
	if (name.includes(".history")) {
		const keys = new Set(openHistory(path).columns.keys);
		return numbers.some((number) => keys.has(keyOf(number)));
	}
	const snapshot = openSnapshot(path);
	return numbers.some((number) => findAddress(snapshot, number) !== undefined);
}

const REMOVAL = /\{"document":"\d+","change":"removed"\}\n/g;
const REMOVED = 4;

/** The numbers of a delta that it does not remove. Source: src/registry/numbers/numbers-file.ts. */
function listDelta(bytes: Buffer): string[] {
	const numbers: string[] = [];
	let value = 0;
	for (let at = 120, left = bytes.readUInt32LE(16); left > 0; left--, at++) {
		let unit = 1;
		for (let byte = bytes[at++] ?? 0; ; byte = bytes[at++] ?? 0, unit *= 128) {
			value += (byte & 127) * unit;
			if (byte < 128) break;
		}
		if (bytes[at] !== REMOVED)
			numbers.push(value >= 1e9 ? String(value - 1e9).padStart(11, "0") : String(value).padStart(9, "0"));
	}
	return numbers;
}

type Finding = {
	readonly cells: Readonly<Record<string, string>>;
	readonly number: string | null;
	readonly suggestions: readonly { readonly number: string }[];
};

function hasFinding(lines: string, { numberPattern }: Wanted): boolean {
	return lines.split("\n").some((line) => {
		if (line === "") return false;
		const { cells, number, suggestions } = JSON.parse(line) as Finding;
		const shown = [...(cells.RNC === "" ? [number ?? ""] : []), ...suggestions.map((one) => one.number)];
		return numberPattern.test(shown.join(" "));
	});
}

async function countWatched(sql: Sql, { numbers }: Wanted): Promise<number> {
	const keys = new Set(numbers.map(keyOf));
	const lists = await sql<{ numbers: Uint8Array }[]>`select numbers from watchlists`;
	return lists.reduce((sum, list) => sum + [...unpackNumbers(list.numbers)].filter((key) => keys.has(key)).length, 0);
}

async function countRows(sql: Sql, { numberPattern, words }: Wanted): Promise<number> {
	const pattern = [numberPattern.source, ...words].join("|");
	let found = 0;
	for (const name of await listTables(sql)) {
		const [row] = await sql.unsafe<{ n: number }[]>(`select count(*)::int as n from ${name} t where t::text ~ $1`, [
			pattern,
		]);
		found += row?.n ?? 0;
	}
	return found;
}
