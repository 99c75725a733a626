/**
 * The folder of a host's snapshots, which all its processes share.
 *
 *   RUN.0.snapshot     the data of a run, as it was built
 *   RUN.1.snapshot     the same without what was erased meanwhile; the highest number counts
 *   NAME.tmp           a source that is being read or a snapshot that is being built
 *   cleared.json       which files were searched for which erasures and hold none of them
 *
 * Files appear under their name at once and whole, by renaming. Whoever writes here holds the ingest's turn, so that a temporary file which
 * he finds at his beginning was left by a crash, or is of somebody who has lost the turn (ingest-turn.ts); at his end he removes his own alone. Only a file that is found damaged is removed by whoever finds it. What writes or removes never keeps the thread waiting, for it may be the one that serves:
 * to remove a file of a hundred megabytes takes as long as many answers.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

type SnapshotFile = { readonly runId: string; readonly generation: number; readonly path: string };

/** Files that were searched and hold nothing of what the fingerprint of the tombstones stands for. */
type Cleared = { readonly fingerprint: string; readonly paths: readonly string[] };

export type SnapshotDirectory = {
	readonly path: string;
	/** The newest file of each run. */
	readonly list: () => readonly SnapshotFile[];
	/** Files that a newer one has taken the place of and that are not removed yet, by a crash for example. */
	readonly listSuperseded: () => readonly string[];
	/** The newest file of a run. */
	readonly find: (runId: string) => string | undefined;
	readonly temporaryPath: (name: string) => string;
	/** Gives a finished temporary file its name and tells it. What the run had before is removed. */
	readonly publish: (temporaryPath: string, runId: string) => Promise<string>;
	/** Removes what is in nobody's use any more: temporary files and superseded ones. */
	readonly removeTemporary: () => Promise<void>;
	/** Removes the temporary files whose names begin so. */
	readonly removeOwn: (name: string) => Promise<void>;
	readonly remove: (paths: readonly string[]) => Promise<void>;
	/** Has this process know nothing of a file any more that can be neither used nor removed. */
	readonly setAside: (path: string) => void;
	/** Removes the files of all other runs. */
	readonly keepOnly: (runIds: ReadonlySet<string>) => Promise<void>;
	readonly readCleared: () => Cleared;
	readonly writeCleared: (cleared: Cleared) => Promise<void>;
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
	const aside = new Set<string>();
	const list = (): SnapshotFile[] => {
		const newest = new Map<string, SnapshotFile>();
		for (const file of listAll().filter((one) => !aside.has(one.path))) {
			const known = newest.get(file.runId);
			if (!known || known.generation < file.generation) newest.set(file.runId, file);
		}
		return [...newest.values()];
	};
	const listSuperseded = () => {
		const newest = new Set(list().map((file) => file.path));
		return listAll()
			.map((file) => file.path)
			.filter((one) => !newest.has(one));
	};
	const removeAll = async (paths: readonly string[]) => {
		await Promise.all(paths.map((one) => rm(one, { force: true })));
	};
	const giveName = async (from: string, to: string) => {
		await rename(from, to);
		await syncDirectory(path);
	};
	return {
		path,
		list,
		listSuperseded,
		find: (runId) => list().find((file) => file.runId === runId)?.path,
		temporaryPath: (name) => join(path, `${name}${TEMPORARY}`),
		publish: async (temporaryPath, runId) => {
			const before = listAll().filter((file) => file.runId === runId);
			const generation = 1 + Math.max(-1, ...before.map((file) => file.generation));
			const published = join(path, `${runId}.${generation}.snapshot`);
			await giveName(temporaryPath, published);
			// Processes that map them keep reading them.
			await removeAll(before.map((file) => file.path));
			return published;
		},
		removeTemporary: () => {
			const names = readdirSync(path).filter((name) => name.endsWith(TEMPORARY));
			return removeAll([...names.map((name) => join(path, name)), ...listSuperseded()]);
		},
		removeOwn: (own) => {
			const names = readdirSync(path).filter((name) => name.startsWith(own) && name.endsWith(TEMPORARY));
			return removeAll(names.map((name) => join(path, name)));
		},
		remove: removeAll,
		setAside: (one) => void aside.add(one),
		keepOnly: (runIds) => {
			const others = listAll().filter((file) => !runIds.has(file.runId));
			return removeAll(others.map((file) => file.path));
		},
		readCleared: () => readClearedFile(join(path, CLEARED)),
		writeCleared: async (cleared) => {
			const temporary = join(path, `${CLEARED}${TEMPORARY}`);
			await writeFile(temporary, JSON.stringify(cleared), { mode: 0o600 });
			await giveName(temporary, join(path, CLEARED));
		},
	};
}

/** Whether the file is known to hold none of the erased that the fingerprint stands for. */
export function isSearched(cleared: Cleared, fingerprint: string, path: string): boolean {
	return cleared.fingerprint === fingerprint && cleared.paths.includes(path);
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
async function syncDirectory(path: string): Promise<void> {
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}
