/**
 * What a thread does with files that were published once: clears them of what was erased, compares them, verifies one that shall be
 * served again. Any of them may have been damaged since, which must harm nothing but itself.
 */
import {
	createErasedCheck,
	digitsOf,
	entryAt,
	openSnapshot,
	type PackedChanges,
	type PiecesOf,
	packChanges,
	type Snapshot,
	SnapshotError,
	SnapshotGoneError,
	type TombstoneSet,
	verifyEntryBytes,
	verifyFile,
	verifySnapshot,
} from "../index/index";
import { buildSnapshot } from "./build/build";
import { createColumnCollector } from "./build/columns";
import { createNames } from "./build/names";

export type ClearJob = {
	readonly do: "clear";
	readonly erased: TombstoneSet;
	readonly clearedOf: string;
	/** Snapshot files, and where a new one goes that takes its place. */
	readonly files: readonly { readonly path: string; readonly temporaryPath: string }[];
};

export type ClearedFiles = {
	/** Files that hold something erased; each has its successor, verified, at its temporary path. */
	readonly replaced: readonly string[];
	/** Files that nobody can read, so that nobody can tell what they hold either. */
	readonly unusable: readonly { readonly path: string; readonly fault: string }[];
};

/** Looks through each file by itself, so that a damaged one keeps what is erased in no other. */
export function clear(job: ClearJob): ClearedFiles {
	const isErased = createErasedCheck(job.erased);
	if (!isErased) return { replaced: [], unusable: [] };
	const replaced: string[] = [];
	const unusable: { path: string; fault: string }[] = [];
	for (const { path, temporaryPath } of job.files) {
		const opened = openChecked(path);
		// Whoever ingests or finds a damaged file removes files, too.
		if (opened instanceof SnapshotGoneError) continue;
		if (opened instanceof SnapshotError) unusable.push({ path, fault: opened.fault });
		else if (opened.keys.some((key) => isErased(digitsOf(key)))) {
			buildWithout(opened, isErased, temporaryPath, job.clearedOf);
			replaced.push(path);
		}
	}
	return { replaced, unusable };
}

function buildWithout(
	snapshot: Snapshot,
	isErased: (digits: string) => boolean,
	path: string,
	clearedOf: string,
): void {
	const names = createNames();
	const readCell = (source: Uint8Array, from: number, to: number) => Buffer.from(source.subarray(from, to)).toString();
	const collector = createColumnCollector(readCell, names.take);
	for (let row = 0; row < snapshot.entryCount; row++) collector.takeEntry(entryAt(snapshot, row));
	const { columns, suppressed } = collector.finish((key) => isErased(digitsOf(key)));
	const { runId, source, sourceEtag, sourceSha256 } = snapshot.manifest;
	buildSnapshot(path, columns, names, {
		runId,
		source,
		sourceEtag,
		sourceSha256,
		suppressed: snapshot.manifest.suppressed + suppressed,
		clearedOf,
	});
	verifySnapshot(openSnapshot(path));
}

export type ReturnJob = {
	readonly do: "return";
	/** The file that shall be served again. */
	readonly path: string;
	/** The one that is left; absent when it is not at hand. */
	readonly leftPath?: string;
};

/** Whether a file may be served again, and what it has differently from the one that is left, as far as that can be read. */
export type ReturnAnswer =
	| { readonly fault: string }
	| { readonly fault?: undefined; readonly changes?: PackedChanges };

/** Verifies the whole file: it may have lain there for days, on a disk that damaged the other one. */
export function prepareReturn({ path, leftPath }: ReturnJob): ReturnAnswer {
	try {
		const after = openSnapshot(path);
		verifySnapshot(after);
		const left = leftPath === undefined ? undefined : openIntact(leftPath);
		return left ? { changes: packChanges(left, after) } : {};
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		return { fault: error.fault };
	}
}

export type VerifyJob = { readonly do: "verify"; readonly file: PiecesOf };

export type VerifyAnswer =
	| { readonly found: "whole" }
	/** The path has no file, or another one. */
	| { readonly found: "gone" }
	| { readonly found: "damaged"; readonly fault: string };

export async function verifyKept({ file }: VerifyJob, signal: AbortSignal): Promise<VerifyAnswer> {
	try {
		return { found: (await verifyFile(file, signal)) ? "whole" : "gone" };
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		return { found: "damaged", fault: error.fault };
	}
}

/** The file when its entries are what was written; undefined for any other. */
export function openIntact(path: string): Snapshot | undefined {
	const opened = openChecked(path);
	return opened instanceof SnapshotError ? undefined : opened;
}

function openChecked(path: string): Snapshot | SnapshotError {
	try {
		const snapshot = openSnapshot(path);
		verifyEntryBytes(snapshot);
		return snapshot;
	} catch (error) {
		if (error instanceof SnapshotError) return error;
		throw error;
	}
}
