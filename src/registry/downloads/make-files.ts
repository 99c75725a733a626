/**
 * Makes the files for download from a snapshot, in a thread. The same run, erasures and day give the same bytes on every host: nothing is
 * read but the snapshot and the changes of the runs that the feed keeps.
 */
import { createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { constants, createZstdCompress, zstdCompressSync } from "node:zlib";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import type { RegistryEntry } from "../entry";
import {
	createErasedCheck,
	digitsOf,
	entryAt,
	isElevenDigits,
	keyOf,
	lookupEntry,
	openSnapshot,
	type Snapshot,
	type TombstoneSet,
} from "../index/index";
import { createNumbersWriter, type NumbersFile, writeNumbersDelta } from "../numbers";
import { type DownloadFile, type DownloadSet, writeSet } from "./download-set";

export type MakeDownloadsJob = {
	readonly do: "downloads";
	/** The snapshot file. */
	readonly path: string;
	/** An empty folder for the files. */
	readonly folder: string;
	/** Whether 11-digit numbers, which belong to natural persons, are included. */
	readonly persons: boolean;
	readonly runId: string;
	/** Units: milliseconds since 1970. */
	readonly validUntil: number;
	readonly erased: TombstoneSet;
	/** Whether the snapshot holds none of `erased`. */
	readonly isSearched: boolean;
	/** The changes up to the run, oldest first. */
	readonly sets: readonly ChangeSetText[];
};

/** What a run changed: `added`, `changed` and `removed` by their first letter in front of the number, separated by commas. */
export type ChangeSetText = { readonly runId: string; readonly changes: string };

/** Whether a number may appear in a file. Units: keys, see `document-key.ts`. */
type IsShown = (key: number) => boolean;

const LEVEL = 9;
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };

/** Makes all files and, last, their list. */
export async function makeFiles(job: MakeDownloadsJob): Promise<DownloadSet> {
	const { folder, persons, runId, validUntil } = job;
	const snapshot = openSnapshot(job.path);
	const check = createErasedCheck(job.erased);
	const isInVariant: IsShown = (key) => persons || !isElevenDigits(key);
	const isErased: IsShown = (key) => check?.(digitsOf(key)) ?? false;
	const files: DownloadFile[] = [];
	const describe = (name: string, kind: DownloadFile["kind"], fromRunId?: string) => {
		const content = readFileSync(join(folder, name));
		const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
		files.push({ name, kind, bytes: content.length, sha256, ...(fromRunId === undefined ? {} : { fromRunId }) });
	};
	const ending = persons ? "" : "-companies";
	const csv = `taxpayers${ending}.csv.zst`;
	const parquet = `taxpayers${ending}.parquet`;
	const isShown: IsShown = (key) => isInVariant(key) && (job.isSearched || !isErased(key));
	const numbers = createNumbersWriter();
	await writeTaxpayers(snapshot, isShown, join(folder, csv), join(folder, parquet), numbers.add);
	const all = numbers.finish({ runId, validUntil });
	writeFileSync(join(folder, `numbers${ending}`), all.bytes);
	describe(`numbers${ending}`, "numbers");
	// The snapshot may lack an erased entry that a restored feed still has.
	const isListed: IsShown = (key) => isInVariant(key) && !isErased(key);
	for (const [fromRunId, changes] of toNetChanges(job, snapshot, isListed)) {
		const small = `numbers-delta-${fromRunId}-${runId}${ending}`;
		writeFileSync(join(folder, small), writeNumbersDelta(changes.map(toNumberChange), fromRunId, job, all));
		describe(small, "numbers-delta", fromRunId);
		const name = `delta-${fromRunId}-${runId}${ending}.ndjson.zst`;
		writeFileSync(join(folder, name), zstdCompressSync(toLines(changes, fromRunId, runId, all), ZSTD));
		describe(name, "delta", fromRunId);
		freeMemory();
	}
	describe(csv, "taxpayers");
	describe(parquet, "taxpayers");
	return writeSet(folder, { runId, persons, validUntil: new Date(validUntil).toISOString(), files });
}

/** The runtime would let the garbage of many groups pile up to more than a gigabyte. */
function freeMemory(): void {
	Bun.gc(true);
}

const COLUMNS = ["rnc", "name", "trade_name", "economic_activity", "status", "payment_regime"] as const;
/** Rows that are in memory at once; the reader of the Parquet file skips whole groups. */
const GROUP_ROWS = 50_000;

async function writeTaxpayers(
	snapshot: Snapshot,
	isShown: IsShown,
	csvPath: string,
	parquetPath: string,
	addNumber: (key: number, status: string) => void,
): Promise<void> {
	const csv = createZstdCompress(ZSTD);
	const csvWritten = finished(csv.pipe(createWriteStream(csvPath)));
	csv.write(`${COLUMNS.join(",")}\n`);
	const parquet = new ParquetWriter({
		writer: fileWriter(parquetPath),
		schema: [
			{ name: "taxpayers", num_children: COLUMNS.length },
			...COLUMNS.map((name) => {
				return { name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" } as const;
			}),
		],
		codec: "ZSTD",
		compressors: { ZSTD: (bytes) => Bun.zstdCompressSync(bytes, { level: LEVEL }) },
		createdBy: "sello",
	});
	let group: RegistryEntry[] = [];
	const writeGroup = async () => {
		const lines = group.map((entry) => COLUMNS.map((column) => toCell(entry[column])).join(","));
		const isRoomy = csv.write(lines.map((line) => `${line}\n`).join(""));
		const columnData = COLUMNS.map((name) => ({ name, data: group.map((entry) => entry[name]) }));
		await parquet.write({ columnData, rowGroupSize: GROUP_ROWS });
		group = [];
		freeMemory();
		if (!isRoomy) await new Promise((resolve) => csv.once("drain", resolve));
	};
	for (let row = 0; row < snapshot.entryCount; row++) {
		const key = snapshot.keys[row] ?? 0;
		if (!isShown(key)) continue;
		const entry = entryAt(snapshot, row);
		addNumber(key, entry.status);
		if (group.push(entry) === GROUP_ROWS) await writeGroup();
	}
	if (group.length > 0) await writeGroup();
	await parquet.finish();
	csv.end();
	await csvWritten;
}

/** Source: RFC 4180. */
function toCell(text: string): string {
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

type NetChange = {
	readonly key: number;
	readonly change: "added" | "changed" | "removed";
	/** Absent if it was removed. */
	readonly entry?: RegistryEntry;
};

/** A delta with more changes than this share of all entries costs more than the whole file. */
const SHARE_MAX = 0.5;

/**
 * What differs between each earlier run and the job's run, by the earlier run's id, newest first. The feed holds no change of an erased
 * number, so no delta has one: `count` of a delta differs from the copy's then.
 */
function* toNetChanges(
	{ runId, sets }: MakeDownloadsJob,
	snapshot: Snapshot,
	isListed: IsShown,
): Generator<readonly [fromRunId: string, changes: readonly NetChange[]]> {
	const listed = new Set([runId]);
	/** By number, whether it existed before the changes read so far. */
	const existed = new Map<string, boolean>();
	for (const [i, { changes }] of [...sets.entries()].reverse()) {
		for (const change of changes === "" ? [] : changes.split(",")) existed.set(change.slice(1), change[0] !== "a");
		const before = sets[i - 1]?.runId;
		// A run that was rolled back to is listed as it was last.
		if (before === undefined || listed.has(before)) continue;
		if (existed.size > Math.max(1, SHARE_MAX * snapshot.entryCount)) break;
		listed.add(before);
		yield [before, toChanges(snapshot, existed, isListed)];
	}
}

function toChanges(snapshot: Snapshot, existed: ReadonlyMap<string, boolean>, isListed: IsShown): NetChange[] {
	const changes: NetChange[] = [];
	for (const [digits, wasThere] of existed) {
		const key = keyOf(digits);
		if (!isListed(key)) continue;
		const entry = lookupEntry(snapshot, digits);
		if (entry) changes.push({ key, change: wasThere ? "changed" : "added", entry });
		else if (wasThere) changes.push({ key, change: "removed" });
	}
	return changes.sort((a, b) => a.key - b.key);
}

function toNumberChange({ key, entry }: NetChange) {
	return { key, status: entry?.status };
}

/** The first line says between which runs the delta leads, and how many entries a copy has afterwards. */
function toLines(changes: readonly NetChange[], fromRunId: string, runId: string, { count }: NumbersFile): string {
	const head = { from_run_id: fromRunId, run_id: runId, changes: changes.length, count };
	const lines = changes.map(({ key, change, entry }) => {
		return JSON.stringify({ document: digitsOf(key), change, ...(entry ? { entry } : {}) });
	});
	return `${[JSON.stringify(head), ...lines].join("\n")}\n`;
}
