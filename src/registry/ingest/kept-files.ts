/**
 * A thread's work on published files: removing erased entries, comparing files, and verifying one that is to be served again. Any file may
 * have been damaged since, which must not affect the others.
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
import { clearRefusedLines } from "./refused-lines";

export type ClearJob = {
	readonly do: "clear";
	readonly erased: TombstoneSet;
	readonly clearedOf: string;
	/** Snapshot files, and where the replacement of each goes. */
	readonly files: readonly { readonly path: string; readonly temporaryPath: string }[];
	/** Files of refused lines, which are rewritten in place. */
	readonly refused: readonly { readonly path: string; readonly temporaryPath: string }[];
};

export type ClearedFiles = {
	/** Files with erased entries; each has a verified replacement at its temporary path. */
	readonly replaced: readonly string[];
	/** Files that cannot be read, so their content is unknown. */
	readonly unusable: readonly { readonly path: string; readonly fault: string }[];
};

/** Checks each file separately, so that a damaged one does not keep erased entries in the others. */
export function clear(job: ClearJob): ClearedFiles {
	const isErased = createErasedCheck(job.erased);
	if (!isErased) return { replaced: [], unusable: [] };
	for (const { path, temporaryPath } of job.refused) clearRefusedLines(path, temporaryPath, isErased, job.clearedOf);
	const replaced: string[] = [];
	const unusable: { path: string; fault: string }[] = [];
	for (const { path, temporaryPath } of job.files) {
		const opened = openChecked(path);
		// Another process that ingests or finds damage may remove files too.
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
	for (let row = 0; row < snapshot.entryCount; row++) {
		collector.takeEntry(entryAt(snapshot, row), snapshot.startDays[row] ?? 0);
	}
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
	readonly path: string;
	/** The file in use until now; absent if this host does not have it. */
	readonly leftPath?: string;
};

/** Whether a file may be served again, and how it differs from the one in use, if that can be read. */
export type ReturnAnswer =
	| { readonly fault: string }
	| { readonly fault?: undefined; readonly changes?: PackedChanges };

/** Verifies the whole file, which may have been on a failing disk for days. */
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

/** Opens the file and verifies its entries; undefined if it is damaged or gone. */
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
