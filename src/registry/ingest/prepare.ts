/**
 * The slow part of an ingest, from the source to a verified snapshot file that is not in use yet. It runs in a thread of its own with a
 * second one as assistant. It has no database, and decides only what the source alone decides.
 */

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
	createErasedCheck,
	digitsOf,
	type IsErased,
	openSnapshot,
	type PackedChanges,
	packChanges,
	type Snapshot,
	skipFtlForCold,
	type TombstoneSet,
	verifyFields,
} from "../index/index";
import { type Assistant, startAssistant } from "./assistant";
import { buildActivities, buildNames, describeRows, finishSnapshot } from "./build/build";
import { countRecordsAbout } from "./build/columns";
import { createSnapshotWriter } from "./build/write-file";
import { checkGates, checkKept } from "./gates";
import { type BuiltHistory, buildHistory, type HistoryPlan } from "./history-jobs";
import { createKeeper, type KeptField } from "./keep-values";
import { openIntact } from "./kept-files";
import { writeRefusedLines } from "./refused-lines";
import { type FetchedSource, fetchSource } from "./source/fetch-source";
import { createParser, type ParsedSource, type ParseOptions, parseSource } from "./source/parse";
import { SourceError } from "./source/source-error";
import { isZip, unzipText } from "./source/unzip";

export type PrepareJob = {
	readonly do: "prepare";
	readonly source: string;
	readonly directory: string;
	readonly runId: string;
	readonly erased: TombstoneSet;
	readonly clearedOf: string;
	readonly previous?: {
		readonly runId: string;
		/** Set if the source is the same and the run's data is available. */
		readonly etag: string | null;
		readonly sha256: string | null;
		readonly rows: number;
		/** Members that it kept from an earlier run, and from which. */
		readonly fieldsKept: readonly string[];
		readonly fieldsFromRun: string | null;
		/** Its snapshot; absent if this host does not have it. */
		readonly path?: string;
		/** Whether the snapshot was searched for all of `erased` and holds none of it. */
		readonly isSearched: boolean;
	};
	/** SHA-256 → why a source with it is rejected. */
	readonly rejectedSources: Readonly<Record<string, string>>;
	/** Allows any change of size and of entries, and rejected sources. */
	readonly force: boolean;
	/** Absent if no run is made. */
	readonly history?: HistoryPlan;
	/** Builds nothing but the data of the previous run. */
	readonly onlyPrevious: boolean;
};

export type SourceFacts = {
	readonly sha256: string;
	readonly etag: string | null;
	readonly recordCount: number;
	readonly suppressed: number;
	readonly refusedCount: number;
	readonly refused: ParsedSource["refused"];
	readonly garbledCount: number;
	readonly unknownStatusCount: number;
	readonly healed: number;
	readonly guessed: number;
	readonly fieldsKept: readonly string[];
	readonly fieldsFromRun: string | null;
	readonly format: ParsedSource["format"];
};

export type Prepared =
	| { readonly kind: "unmodified" }
	/** The data of the previous run; with a path if its snapshot had to be built. */
	| { readonly kind: "same"; readonly etag: string | null; readonly path?: string }
	/** Other data than the previous run's, although only that was requested. */
	| { readonly kind: "other" }
	| { readonly kind: "refused"; readonly facts: SourceFacts; readonly reason: string }
	/** `changes` is absent if the data of the previous run is not available. */
	| {
			readonly kind: "built";
			readonly facts: SourceFacts;
			readonly path: string;
			readonly changes?: PackedChanges;
			readonly history?: BuiltHistory;
	  };

/** Throws: SourceError. Temporary files may remain, above all after a failure; the caller removes them. */
export async function prepare(job: PrepareJob, signal: AbortSignal, onProgress: OnProgress): Promise<Prepared> {
	const { previous } = job;
	const fetchedPath = fetchedPathOf(job);
	onProgress({ step: "fetch" });
	const fetched = await fetchSource(job.source, {
		knownEtag: previous?.etag ?? null,
		path: fetchedPath,
		signal,
		onProgress: (done, total) => onProgress({ step: "fetch", ...(total ? { share: done / total } : {}) }),
	});
	if (fetched === "unmodified") return { kind: "unmodified" };
	const { sha256, etag } = fetched;
	const isSame = previous !== undefined && sha256 === previous.sha256;
	if (isSame && previous.path !== undefined) return { kind: "same", etag };
	if (!isSame && job.onlyPrevious) return { kind: "other" };
	const reason = job.force ? undefined : job.rejectedSources[sha256];
	if (reason !== undefined && !isSame) throw new SourceError("refused", reason);

	const assistant = startAssistant();
	const path = join(job.directory, `${job.runId}.snapshot.tmp`);
	try {
		const { facts, fault } = await parseAndBuild(job, assistant, fetched, path, isSame, onProgress);
		if (fault !== undefined) return { kind: "refused", facts, reason: fault };
		const rows = facts.recordCount;
		if (isSame) return { kind: "same", etag, path };
		onProgress({ step: "compare", rows });
		const before = previous?.path === undefined ? undefined : openIntact(previous.path);
		const after = openSnapshot(path);
		const build = () => {
			if (!job.history) return {};
			const historyPath = join(job.directory, `${job.runId}.history.tmp`);
			return { history: buildHistory(job.history, before, after, job.erased, historyPath) };
		};
		if (!before) return { kind: "built", facts, path, ...build() };
		const change = job.force ? undefined : checkKept(before, after, createErasedCheck(job.erased));
		if (change !== undefined) return { kind: "refused", facts, reason: change };
		return { kind: "built", facts, path, changes: packChanges(before, after), ...build() };
	} finally {
		await assistant.end();
		// Removed here instead of by the caller, because removing a large file takes time.
		rmSync(fetchedPath, { force: true });
	}
}

function fetchedPathOf({ directory, runId }: PrepareJob): string {
	return join(directory, `${runId}.source.tmp`);
}

/** Builds the snapshot if the gates pass; `facts` describes the source in either case. */
async function parseAndBuild(
	job: PrepareJob,
	assistant: Assistant,
	{ sha256, etag }: FetchedSource,
	path: string,
	isSame: boolean,
	onProgress: OnProgress,
): Promise<{ readonly facts: SourceFacts; readonly fault?: string }> {
	const keeper = createKeeper(() => (job.previous?.path === undefined ? undefined : openIntact(job.previous.path)));
	const parsed = await parseFile(job, assistant, keeper.keepFor, onProgress);
	if (!isSame && parsed.refusedLines.length > 0) {
		const lines = { runId: job.runId, lines: parsed.refusedLines };
		writeRefusedLines(refusedPathOf(job), lines, createErasedCheck(job.erased), job.clearedOf);
	}
	const { columns } = parsed;
	const rows = columns.keys.length;
	const facts: SourceFacts = {
		sha256,
		etag,
		recordCount: rows,
		suppressed: parsed.suppressed,
		refusedCount: parsed.refusedCount,
		refused: parsed.refused,
		garbledCount: parsed.garbledCount,
		unknownStatusCount: parsed.unknownStatusCount,
		healed: parsed.healed,
		guessed: parsed.guessed,
		...describeKept(job, keeper.fields()),
		format: parsed.format,
	};
	const fault = isSame ? undefined : checkGates(parsed, job.previous?.rows, job.force);
	if (fault !== undefined) return { facts, fault };
	onProgress({ step: "build", share: 0, rows });
	assistant.write(path, columns);
	// Frees the memory that held the source before the snapshot is mapped.
	Bun.gc(true);
	const described = describeRows(columns);
	const activities = buildActivities(columns, described);
	const names = buildNames(await assistant.folded(), described);
	onProgress({ step: "build", share: 0.8, rows });
	const writer = createSnapshotWriter(path, await assistant.written());
	try {
		const indexes = [activities, names];
		finishSnapshot(writer, columns, indexes, {
			runId: isSame && job.previous ? job.previous.runId : job.runId,
			source: job.source,
			sourceEtag: etag,
			sourceSha256: sha256,
			suppressed: parsed.suppressed,
			clearedOf: job.clearedOf,
		});
		onProgress({ step: "verify", rows });
		const forced = writer.forceAside();
		try {
			verifyFields(
				openSnapshot(path),
				indexes.map(({ field }) => field),
			);
			await assistant.verified();
		} finally {
			await forced;
		}
	} finally {
		writer.close();
	}
	return { facts };
}

function describeKept({ previous }: PrepareJob, fieldsKept: readonly KeptField[]) {
	const areOlder = fieldsKept.some((field) => previous?.fieldsKept.includes(field));
	const fieldsFromRun = (areOlder ? previous?.fieldsFromRun : previous?.runId) ?? null;
	return { fieldsKept, fieldsFromRun: fieldsKept.length > 0 ? fieldsFromRun : null };
}

function refusedPathOf({ directory, runId }: PrepareJob): string {
	return join(directory, `${runId}.refused.tmp`);
}

async function parseFile(
	job: PrepareJob,
	assistant: Assistant,
	keepFor: NonNullable<ParseOptions["keepFor"]>,
	onProgress: OnProgress,
): Promise<ParsedSource> {
	const check = createErasedCheck(job.erased);
	const isErased = check && createAscendingCheck(check, openCleared(job));
	const fetched = mapFile(fetchedPathOf(job));
	const unpacking = isZip(fetched) ? unzipText(fetched) : undefined;
	const sourceBytes = unpacking?.bytes ?? fetched.length;
	const recordsAbout = countRecordsAbout(sourceBytes);
	skipFtlForCold(recordsAbout);
	assistant.expect(recordsAbout);
	const options: ParseOptions = {
		takeNames: assistant.takeNames,
		keepFor,
		...(isErased ? { isErased } : {}),
		onProgress: (done, rows) => onProgress({ step: "parse", share: done / sourceBytes, rows }),
	};
	if (!unpacking) return parseSource(fetched, options);
	onProgress({ step: "unpack" });
	const parser = createParser(sourceBytes, options);
	for await (const piece of unpacking.pieces) parser.take(piece);
	return parser.finish();
}

/** The previous run's snapshot if it holds no erased entry. */
function openCleared({ previous, clearedOf }: PrepareJob): Snapshot | undefined {
	if (previous?.path === undefined) return undefined;
	const snapshot = openSnapshot(previous.path);
	return previous.isSearched || snapshot.manifest.clearedOf === clearedOf ? snapshot : undefined;
}

/** The runtime refuses to map an empty file. */
function mapFile(path: string): Uint8Array {
	return statSync(path).size === 0 ? new Uint8Array(0) : Bun.mmap(path, { shared: true });
}

/**
 * Checks which numbers of a source are erased. A keyed digest per number would take half of the ingest's time, so numbers that a cleared
 * file already holds are skipped. After one day those are nearly all.
 */

/** Must be called in ascending order. `cleared` holds no erased number; without it every number is checked. Units: keys, see document-key.ts. */
export function createAscendingCheck(isErased: IsErased, cleared: Snapshot | undefined): (key: number) => boolean {
	const keys = cleared?.keys ?? new Float64Array(0);
	let at = 0;
	return (key) => {
		while (at < keys.length && (keys[at] ?? 0) < key) at++;
		return keys[at] !== key && isErased(digitsOf(key));
	};
}

export type IngestStep =
	/** Another process ingests or changes the files. */
	"wait" | "fetch" | "unpack" | "parse" | "build" | "verify" | "compare" | "publish";

export type IngestProgress = {
	readonly step: IngestStep;
	/** Of this step, from 0 to 1; absent while the total is unknown. */
	readonly share?: number;
	readonly rows?: number;
};

export type OnProgress = (progress: IngestProgress) => void;
