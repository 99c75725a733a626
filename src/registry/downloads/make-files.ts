/**
 * Makes the files for download from a snapshot, in a thread. The same run, erasures and day give the same bytes on every host: nothing is
 * read but the snapshot and the changes of the runs that the feed keeps.
 */
import { createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { constants, createZstdCompress, zstdCompressSync } from "node:zlib";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import type { ChangeSetText } from "../changes";
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
import { type DeltaRuns, type DownloadFile, type DownloadSet, writeSet } from "./download-set";

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
	readonly erasedNumbers: readonly ErasedNumber[];
};

/** A number that was erased while the set with this ordinal was the newest. */
type ErasedNumber = { readonly ordinal: number; readonly digits: string };

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
	const describe = (name: string, kind: DownloadFile["kind"], between?: DeltaRuns) => {
		const content = readFileSync(join(folder, name));
		const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
		files.push({ name, kind, bytes: content.length, sha256, ...(between ? { between } : {}) });
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
	for (const { kind, between, changes } of toDeltas(job, snapshot, { isInVariant, isErased })) {
		const { fromRunId, toRunId } = between;
		const name = `${kind}-${fromRunId}-${toRunId}${ending}${kind === "delta" ? ".ndjson.zst" : ""}`;
		const content =
			kind === "delta"
				? zstdCompressSync(toLines(changes, between, all), ZSTD)
				: writeNumbersDelta(changes.map(toNumberChange), fromRunId, job, all);
		writeFileSync(join(folder, name), content);
		describe(name, kind, between);
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
/** For so many runs there is a delta to the run after it. */
const LINKS = 30;
/** Units: days. For copies that were not followed for so long. */
const SPANS = [7, 31];
const DAY_MS = 86_400_000;

type Delta = {
	readonly kind: "delta" | "numbers-delta";
	readonly between: DeltaRuns;
	readonly changes: readonly NetChange[];
};

/**
 * The deltas from each run that a copy may have, newest first: to the run after it, to the job's run for tills, and to the job's run from
 * the run that was in use so many days before, or the oldest that is kept. All list the current entries, so the order in which a copy
 * applies a chain is the only thing that matters, and a delta may start before the copy's run.
 */
function* toDeltas(
	{ runId, sets, erasedNumbers }: MakeDownloadsJob,
	snapshot: Snapshot,
	{ isInVariant, isErased }: { readonly isInVariant: IsShown; readonly isErased: IsShown },
): Generator<Delta> {
	const entriesMax = Math.max(1, SHARE_MAX * snapshot.entryCount);
	const newest = sets.at(-1)?.at.getTime() ?? 0;
	// A run that was rolled back to counts as it was last, so that no chain leads in a circle.
	const starts = sets
		.flatMap((set, i) => {
			const after = sets.slice(i + 1);
			const [next] = after;
			return next && after.every(({ runId: id }) => id !== set.runId) ? [{ ...set, next }] : [];
		})
		.reverse();
	const spanStarts = SPANS.map(
		(days) => starts.find(({ at }) => newest - at.getTime() >= days * DAY_MS) ?? starts.at(-1),
	);
	const toChanges = (existed: ReadonlyMap<string, boolean>, from: number): NetChange[] => {
		const changes: NetChange[] = [];
		for (const [digits, wasThere] of existed) {
			const key = keyOf(digits);
			// A restored feed may still have an erased number.
			if (!isInVariant(key) || isErased(key)) continue;
			const entry = lookupEntry(snapshot, digits);
			// A number that came and went is listed, because copies of the runs between may have it.
			if (entry) changes.push({ key, change: wasThere ? "changed" : "added", entry });
			else changes.push({ key, change: "removed" });
		}
		for (const { ordinal, digits } of erasedNumbers) {
			const key = keyOf(digits);
			if (ordinal >= from && isInVariant(key) && isErased(key)) changes.push({ key, change: "removed" });
		}
		return changes.sort((a, b) => a.key - b.key);
	};
	/** By number, whether it existed at the start. */
	const existed = new Map<string, boolean>();
	let read = sets.length;
	for (const [i, start] of starts.entries()) {
		const { next, ordinal } = start;
		while (read > 0 && (sets[read - 1]?.ordinal ?? 0) > ordinal) addChanges(existed, sets[--read]);
		const isWhole = existed.size <= entriesMax;
		const from = { fromRunId: start.runId, fromAt: start.at.toISOString() };
		if (isWhole) {
			const between = { ...from, toRunId: runId };
			const changes = toChanges(existed, ordinal);
			yield { kind: "numbers-delta", between, changes };
			if (spanStarts.includes(start) && next.runId !== runId) yield { kind: "delta", between, changes };
		}
		const link = addChanges(new Map(), next);
		if (i < LINKS && link.size <= entriesMax)
			yield { kind: "delta", between: { ...from, toRunId: next.runId }, changes: toChanges(link, ordinal) };
	}
}

/** Puts an earlier set in front of those that were read. */
function addChanges(existed: Map<string, boolean>, set: ChangeSetText | undefined): Map<string, boolean> {
	for (const change of set?.changes ? set.changes.split(",") : []) existed.set(change.slice(1), change[0] !== "a");
	return existed;
}

function toNumberChange({ key, entry }: NetChange) {
	return { key, status: entry?.status };
}

/** The first line says between which runs the delta leads, and how many entries a copy has once it holds the newest run. */
function toLines(changes: readonly NetChange[], between: DeltaRuns, { count }: NumbersFile): string {
	const head = { from_run_id: between.fromRunId, run_id: between.toRunId, changes: changes.length, count };
	const lines = changes.map(({ key, change, entry }) => {
		return JSON.stringify({ document: digitsOf(key), change, ...(entry ? { entry } : {}) });
	});
	return `${[JSON.stringify(head), ...lines].join("\n")}\n`;
}
