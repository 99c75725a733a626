/**
 * The folder of a host's snapshots, which all its processes share.
 *
 *   RUN.0.snapshot     the data of a run, as it was built
 *   RUN.1.snapshot     the same without what was erased meanwhile; the highest number counts
 *   NAME.tmp           a source that is being read or a snapshot that is being built
 *   cleared.json       which files were searched for which erasures and hold none of them
 *
 * Files appear under their name at once and whole, by renaming. Whoever writes here holds the ingest's turn, so that a temporary file which
 * he finds at his beginning was left by a crash.
 */
import {
	closeSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";

export type SnapshotFile = { readonly runId: string; readonly generation: number; readonly path: string };

/** Files that were searched and hold nothing of what the fingerprint of the tombstones stands for. */
export type Cleared = { readonly fingerprint: string; readonly paths: readonly string[] };

export type SnapshotDirectory = {
	readonly path: string;
	/** The newest file of each run. */
	readonly list: () => readonly SnapshotFile[];
	/** The newest file of a run. */
	readonly find: (runId: string) => string | undefined;
	readonly temporaryPath: (name: string) => string;
	/** Gives a finished temporary file its name and tells it. What the run had before is removed. */
	readonly publish: (temporaryPath: string, runId: string) => string;
	readonly removeTemporary: () => void;
	/** Removes the files of all other runs. */
	readonly keepOnly: (runIds: ReadonlySet<string>) => void;
	readonly readCleared: () => Cleared;
	readonly writeCleared: (cleared: Cleared) => void;
};

const snapshotName = /^([0-9a-f-]{36})\.([0-9]{1,6})\.snapshot$/;
const TEMPORARY = ".tmp";
const CLEARED = "cleared.json";

export function openSnapshotDirectory(path: string): SnapshotDirectory {
	mkdirSync(path, { recursive: true, mode: 0o700 });
	const listAll = (): SnapshotFile[] =>
		readdirSync(path).flatMap((name) => {
			const [, runId, generation] = snapshotName.exec(name) ?? [];
			return runId === undefined ? [] : [{ runId, generation: Number(generation), path: join(path, name) }];
		});
	const list = (): SnapshotFile[] => {
		const newest = new Map<string, SnapshotFile>();
		for (const file of listAll()) {
			const known = newest.get(file.runId);
			if (!known || known.generation < file.generation) newest.set(file.runId, file);
		}
		return [...newest.values()];
	};
	const remove = (name: string) => rmSync(join(path, name), { force: true });
	const rename = (from: string, to: string) => {
		renameSync(from, to);
		syncDirectory(path);
	};
	return {
		path,
		list,
		find: (runId) => list().find((file) => file.runId === runId)?.path,
		temporaryPath: (name) => join(path, `${name}${TEMPORARY}`),
		publish: (temporaryPath, runId) => {
			const before = listAll().filter((file) => file.runId === runId);
			const generation = 1 + Math.max(-1, ...before.map((file) => file.generation));
			const published = join(path, `${runId}.${generation}.snapshot`);
			rename(temporaryPath, published);
			// Processes that map them keep reading them.
			for (const file of before) rmSync(file.path, { force: true });
			return published;
		},
		removeTemporary: () => {
			for (const name of readdirSync(path)) if (name.endsWith(TEMPORARY)) remove(name);
		},
		keepOnly: (runIds) => {
			for (const file of listAll()) if (!runIds.has(file.runId)) rmSync(file.path, { force: true });
		},
		readCleared: () => readClearedFile(join(path, CLEARED)),
		writeCleared: (cleared) => {
			const temporary = join(path, `${CLEARED}${TEMPORARY}`);
			writeFileSync(temporary, JSON.stringify(cleared), { mode: 0o600 });
			rename(temporary, join(path, CLEARED));
		},
	};
}

function readClearedFile(path: string): Cleared {
	try {
		return JSON.parse(readFileSync(path, "utf8")) as Cleared;
	} catch {
		// Missing, or damaged: then nothing is known to be searched, and everything is searched again.
		return { fingerprint: "", paths: [] };
	}
}

/** A new name is only sure to survive a loss of power once the folder is on the disk too. */
function syncDirectory(path: string): void {
	const folder = openSync(path, "r");
	try {
		fsyncSync(folder);
	} finally {
		closeSync(folder);
	}
}
