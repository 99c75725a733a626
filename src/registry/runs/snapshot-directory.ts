/**
 * The folder of a host's snapshots, which all its processes share.
 *
 *   RUN.0.snapshot     the data of a run, as built
 *   RUN.1.snapshot     the same without later erasures; the highest number counts
 *   RUN.refused.ndjson lines of the run's source that could not be read, of the last three runs that have some
 *   RUN.0.history      what changed until the run; replaced like the snapshot, independently of it
 *   NAME.tmp           a source being read or a snapshot being built
 *   cleared.json       which files were searched for which erasures and hold none of them
 *
 * Files appear complete, through a rename. A writer holds the ingest lock, so a temporary file that it finds at its start was left by a
 * crash or by a previous holder (ingest-lock.ts). At its end it removes only its own. Only damaged files are removed without the lock.
 * Writes and removals are asynchronous, because removing a file of a hundred megabytes takes as long as many answers.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

type FileKind = "snapshot" | "history";
type RunFile = {
	readonly kind: FileKind;
	readonly runId: string;
	readonly generation: number;
	readonly path: string;
};

/** Files that were searched and hold none of the numbers that the fingerprint of the tombstones identifies. */
type Cleared = { readonly fingerprint: string; readonly paths: readonly string[] };

export type SnapshotDirectory = {
	readonly path: string;
	/** The newest snapshot and the newest history of each run. */
	readonly list: () => readonly RunFile[];
	/** Files that a newer one has replaced but that still exist, for example after a crash. */
	readonly listSuperseded: () => readonly string[];
	readonly find: (runId: string, kind?: FileKind) => string | undefined;
	readonly temporaryPath: (name: string) => string;
	/** Renames a finished temporary file and returns its new path. The previous file of the run and kind is removed. */
	readonly publish: (temporaryPath: string, runId: string, kind?: FileKind) => Promise<string>;
	/** Names the file of refused lines that a run has left, if it did, and removes the oldest ones. */
	readonly publishRefused: (runId: string) => Promise<void>;
	/** The files of refused lines, newest first. */
	readonly listRefused: () => readonly string[];
	readonly removeTemporary: () => Promise<void>;
	readonly removeOwn: (name: string) => Promise<void>;
	readonly remove: (paths: readonly string[]) => Promise<void>;
	/** Makes this process ignore a file that can be neither used nor removed. */
	readonly setAside: (path: string) => void;
	readonly keepOnly: (runIds: ReadonlySet<string>) => Promise<void>;
	readonly readCleared: () => Cleared;
	readonly writeCleared: (cleared: Cleared) => Promise<void>;
};

const fileName = /^([0-9a-f-]{36})\.([0-9]{1,6})\.(snapshot|history)$/;
const refusedName = /^[0-9a-f-]{36}\.refused\.ndjson$/;
const REFUSED_KEPT = 3;
const TEMPORARY = ".tmp";
const CLEARED = "cleared.json";

export function openSnapshotDirectory(path: string): SnapshotDirectory {
	mkdirSync(path, { recursive: true, mode: 0o700 });
	const listAll = (): RunFile[] =>
		readdirSync(path).flatMap((name) => {
			const [, runId, generation, kind] = fileName.exec(name) ?? [];
			if (runId === undefined) return [];
			return [{ kind: kind as FileKind, runId, generation: Number(generation), path: join(path, name) }];
		});
	const aside = new Set<string>();
	const list = (): RunFile[] => {
		const newest = new Map<string, RunFile>();
		for (const file of listAll().filter((one) => !aside.has(one.path))) {
			const name = `${file.runId} ${file.kind}`;
			const known = newest.get(name);
			if (!known || known.generation < file.generation) newest.set(name, file);
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
	// The ids of runs ascend with time.
	const listRefused = () =>
		readdirSync(path)
			.filter((name) => refusedName.test(name))
			.sort()
			.reverse()
			.map((name) => join(path, name));
	return {
		path,
		list,
		listSuperseded,
		find: (runId, kind = "snapshot") => list().find((file) => file.runId === runId && file.kind === kind)?.path,
		temporaryPath: (name) => join(path, `${name}${TEMPORARY}`),
		publish: async (temporaryPath, runId, kind = "snapshot") => {
			const before = listAll().filter((file) => file.runId === runId && file.kind === kind);
			const generation = 1 + Math.max(-1, ...before.map((file) => file.generation));
			const published = join(path, `${runId}.${generation}.${kind}`);
			await giveName(temporaryPath, published);
			// Processes that map them can still read them.
			await removeAll(before.map((file) => file.path));
			return published;
		},
		listRefused,
		publishRefused: async (runId) => {
			const temporary = join(path, `${runId}.refused${TEMPORARY}`);
			if (!existsSync(temporary)) return;
			await giveName(temporary, join(path, `${runId}.refused.ndjson`));
			await removeAll(listRefused().slice(REFUSED_KEPT));
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

/** Whether the file is known to hold none of the numbers that the fingerprint identifies. */
export function isSearched(cleared: Cleared, fingerprint: string, path: string): boolean {
	return cleared.fingerprint === fingerprint && cleared.paths.includes(path);
}

function readClearedFile(path: string): Cleared {
	try {
		return JSON.parse(readFileSync(path, "utf8")) as Cleared;
	} catch {
		// Missing or damaged: no file is known to be searched, so all are searched again.
		return { fingerprint: "", paths: [] };
	}
}

/** A new name survives a power loss only once its folder is synced. */
async function syncDirectory(path: string): Promise<void> {
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}
