/**
 * A thread's work on published files: removing erased entries, comparing files, and verifying one that is to be served again. Any file may
 * have been damaged since, which must not affect the others.
 */

import { openHistory, verifyHistory, withoutKeys, writeHistory } from "../history";
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
	/** Files of runs, and where the replacement of each goes. */
	readonly files: readonly {
		readonly path: string;
		readonly kind: "snapshot" | "history";
		readonly temporaryPath: string;
	}[];
	/** Files of refused lines, which are rewritten in place. */
	readonly refused: readonly { readonly path: string; readonly temporaryPath: string }[];
};

export type ClearedFiles = {
	/** Files with erased entries; each has a verified replacement at its temporary path. */
	readonly replaced: readonly string[];
	/** Files that cannot be read, so their content is unknown. */
	readonly unusable: readonly { readonly path: string; readonly fault: string }[];
	/** Erased numbers that histories held. Units: keys. */
	readonly erasedKeys: readonly number[];
};

/** Checks each file separately, so that a damaged one does not keep erased entries in the others. */
export function clear(job: ClearJob): ClearedFiles {
	const check = createErasedCheck(job.erased);
	const replaced: string[] = [];
	const unusable: { path: string; fault: string }[] = [];
	const erasedKeys = new Set<number>();
	if (!check) return { replaced, unusable, erasedKeys: [] };
	for (const { path, temporaryPath } of job.refused) clearRefusedLines(path, temporaryPath, check, job.clearedOf);
	// The files of a host hold mostly the same numbers, and a keyed digest costs a microsecond.
	const clean = new Set<number>();
	const isErased = (key: number): boolean => {
		if (clean.has(key)) return false;
		if (check(digitsOf(key))) return true;
		clean.add(key);
		return false;
	};
	for (const { path, kind, temporaryPath } of job.files) {
		try {
			if (kind === "history") {
				const erased = clearHistory(path, isErased, temporaryPath, job.clearedOf);
				for (const key of erased) erasedKeys.add(key);
				if (erased.length > 0) replaced.push(path);
			} else {
				const snapshot = openChecked(path);
				if (!snapshot.keys.some(isErased)) continue;
				buildWithout(snapshot, isErased, temporaryPath, job.clearedOf);
				replaced.push(path);
			}
		} catch (error) {
			if (!(error instanceof SnapshotError)) throw error;
			// Another process that ingests or finds damage may remove files too.
			if (!(error instanceof SnapshotGoneError)) unusable.push({ path, fault: error.fault });
		}
	}
	return { replaced, unusable, erasedKeys: [...erasedKeys] };
}

/** Returns the erased keys; the file is written only if there are some. */
function clearHistory(
	path: string,
	isErased: (key: number) => boolean,
	temporaryPath: string,
	clearedOf: string,
): readonly number[] {
	const history = openHistory(path);
	verifyHistory(history);
	const cleared = withoutKeys(history.columns, isErased);
	if (!cleared) return [];
	writeHistory(temporaryPath, { ...history.manifest, clearedOf }, cleared.columns);
	verifyHistory(openHistory(temporaryPath));
	return cleared.erased;
}

function buildWithout(snapshot: Snapshot, isErased: (key: number) => boolean, path: string, clearedOf: string): void {
	const names = createNames();
	const readCell = (source: Uint8Array, from: number, to: number) => Buffer.from(source.subarray(from, to)).toString();
	const collector = createColumnCollector(readCell, names.take);
	for (let row = 0; row < snapshot.entryCount; row++) {
		collector.takeEntry(entryAt(snapshot, row), snapshot.startDays[row] ?? 0);
	}
	const { columns, suppressed } = collector.finish(isErased);
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
	try {
		return openChecked(path);
	} catch (error) {
		if (error instanceof SnapshotError) return undefined;
		throw error;
	}
}

/** Throws: SnapshotError. */
function openChecked(path: string): Snapshot {
	const snapshot = openSnapshot(path);
	verifyEntryBytes(snapshot);
	return snapshot;
}
