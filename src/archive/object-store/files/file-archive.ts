/**
 * The write-once store in files.
 *
 *   temp file ──write──▶ fsync, mode 0440 ──link──▶ object ──immutable──fsync of its folders──▶ confirmed
 *       └────────────────unlink──────────────────────┘
 *
 * Model: an object appears under its key whole or not at all, because `link` makes the finished file visible in one step and
 * fails when the name is taken, which `rename` would not. What is confirmed is on disk: the bytes before the name, the name
 * before the answer. The flag goes with the folders' sync: a journal that has the name has the flag.
 *
 * What fails: a crash leaves at most a file in `.temporary`, removed when the archive is next opened. Another process may open it
 * while this one writes; the write whose file vanished starts again. A full disk ends the write before there is a name. A crash
 * before the flag leaves an object without it, until the same object is put again, which whoever was not confirmed does, or verified.
 *
 * Quirks: a file with the flag takes no second name and loses none, so a draft must be gone before its object gets the flag: only a file
 * with one name gets it, and since nothing here gives an object another one, that stays true. A link in place of a folder or an object is
 * an error, wherever it leads.
 *
 * Not promised: the owner of the files can change them behind our back, root those with the flag. `verify` finds that.
 */

import { createHash } from "node:crypto";
import {
	access,
	constants,
	type FileHandle,
	link,
	lstat,
	mkdir,
	open,
	readdir,
	realpath,
	rm,
	statfs,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Batcher, createBatcher } from "../../../platform/concurrency";
import { codeOf } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import type { Log } from "../../../platform/telemetry";
import { newId } from "../../../platform/values";
import {
	type Archive,
	ArchiveConflictError,
	checkKey,
	checkPrefix,
	isKey,
	type ObjectFault,
	ObjectMissingError,
	type PutResult,
	type StoredObject,
} from "../archive";
import { openFileFlags } from "./immutable";

const TEMPORARY = ".temporary";
const OBJECT_MODE = 0o440;
const FOLDER_MODE = 0o750;
const ATTEMPTS_MAX = 3;
const STANDING_MAX = 10_000;

type FileArchiveOptions = {
	/** Objects get the file system's immutable flag; where that cannot be done, the log says so once, and everything else holds. */
	readonly isImmutable?: boolean;
	readonly log?: Pick<Log, "warn">;
};

type Store = {
	readonly root: string;
	/** Folders whose own names are durable, for all that this process knows. */
	readonly standing: Set<string>;
	/** Makes the names in a folder durable; those who ask at the same time share one sync. */
	readonly sync: Batcher<string, void>;
	readonly protect: Protect;
};
/** Gives an object the immutable flag, if it may have it. */
type Protect = (file: FileHandle) => Promise<void>;
type Place = { readonly key: string; readonly path: string };

/** Opens an archive in a folder, making it when there is none, and removes what crashed writers left. */
export async function openFileArchive(folder: string, options: FileArchiveOptions = {}): Promise<Archive> {
	const first = await mkdir(join(folder, TEMPORARY), { recursive: true, mode: FOLDER_MODE });
	const root = await realpath(folder);
	const temporary = join(root, TEMPORARY);
	if (first !== undefined) await syncFolders(root, dirname(await realpath(first)));
	for (const name of await readdir(temporary)) await rm(join(temporary, name), { force: true });
	const store: Store = {
		root,
		standing: new Set(),
		sync: createBatcher(syncEach, { itemsMax: 256, runsMax: 1 }),
		protect: createProtect(options),
	};
	const placeOf = (key: string): Place => {
		checkKey(key);
		return { key, path: join(root, key) };
	};
	return {
		putOnce: async (key, bytes) => putOnce(store, placeOf(key), bytes),
		get: async (key) => readObject(placeOf(key)),
		verify: async (key, sha256) => verifyObject(store, placeOf(key), sha256),
		list(prefix) {
			checkPrefix(prefix);
			return listObjects(root, prefix);
		},
		// Files know no dates: they are kept until somebody removes them.
		extendRetention: async (key) => checkKey(key),
		isWritable: () =>
			access(temporary, constants.W_OK)
				.then(() => hasRoom(temporary))
				.catch(() => false),
	};
}

async function putOnce(store: Store, place: Place, bytes: Uint8Array): Promise<PutResult> {
	const sha256 = hash(bytes);
	const folder = dirname(place.path);
	if (!store.standing.has(folder)) await makeFolders(store.root, folder);
	const created = await write(store, place, bytes).catch((error) => {
		// Perhaps somebody has removed the folder.
		store.standing.delete(folder);
		throw error;
	});
	if (!created) {
		const standing = await withObject(place, async (file) => {
			const found = hash(await file.readFile());
			if (found === sha256) await store.protect(file);
			return found;
		});
		if (standing !== sha256) throw new ArchiveConflictError(place.key, sha256, standing);
	}
	// Also when the object stood there: whoever made it may have died before this.
	await store.sync(folder);
	await makeStanding(store, folder);
	failpoint("archive-synced");
	return { sha256, bytes: bytes.length, created };
}

/** True when the object was made, false when the name was taken. */
async function write({ root, protect }: Store, place: Place, bytes: Uint8Array): Promise<boolean> {
	for (let attempt = 1; ; attempt++) {
		const draft = join(root, TEMPORARY, newId());
		const file = await open(draft, "wx", OBJECT_MODE);
		let isDraft = true;
		try {
			await file.writeFile(bytes);
			await file.sync();
			failpoint("archive-written");
			await checkWay(place);
			await link(draft, place.path);
			failpoint("archive-linked");
			await rm(draft, { force: true });
			isDraft = false;
			await protect(file);
			return true;
		} catch (error) {
			if (codeOf(error) === "EEXIST") return false;
			if (codeOf(error) !== "ENOENT" || attempt >= ATTEMPTS_MAX) throw error;
		} finally {
			await file.close();
			if (isDraft) await rm(draft, { force: true });
		}
	}
}

/** Throws an Error when a link leads from the root to another folder than the key's. */
async function checkWay({ key, path }: Place): Promise<void> {
	const folder = dirname(path);
	if ((await realpath(folder)) !== folder)
		throw new Error(`a link leads to ${key}: objects lie in the archive's own folders`);
}

async function withObject<T>(place: Place, use: (file: FileHandle) => Promise<T>): Promise<T> {
	let file: FileHandle;
	try {
		await checkWay(place);
		file = await open(place.path, constants.O_RDONLY | constants.O_NOFOLLOW);
	} catch (error) {
		throw codeOf(error) === "ENOENT" ? new ObjectMissingError(place.key, error) : error;
	}
	try {
		return await use(file);
	} finally {
		await file.close();
	}
}

const readObject = (place: Place): Promise<Uint8Array> => withObject(place, (file) => file.readFile());

/** What is as it was written gets the flag again, if a crash or a copy has left it without. */
async function verifyObject({ protect }: Store, place: Place, sha256: string): Promise<ObjectFault | undefined> {
	try {
		return await withObject(place, async (file) => {
			if (hash(await file.readFile()) !== sha256) return "changed";
			await protect(file);
			return undefined;
		});
	} catch (error) {
		// Anything else, a folder in its place or a bad sector, means that the object cannot be had.
		return error instanceof ObjectMissingError ? "missing" : "unreadable";
	}
}

function createProtect({ isImmutable = false, log }: FileArchiveOptions): Protect {
	if (!isImmutable) return async () => undefined;
	const flags = openFileFlags();
	let isTold = false;
	return async (file) => {
		// A second name is a draft that somebody is about to remove, and then gives the flag to.
		if ((await file.stat()).nlink !== 1 || flags?.setImmutable(file.fd) || isTold) return;
		isTold = true;
		log?.warn(
			"archived files cannot be made immutable here: it takes ext4, XFS or Btrfs and CAP_LINUX_IMMUTABLE; what changes them is still found",
		);
	};
}

/** Makes the folders from the root to an object, none of them through a link. */
async function makeFolders(root: string, folder: string): Promise<void> {
	if (folder === root) return;
	await makeFolders(root, dirname(folder));
	try {
		await mkdir(folder, { mode: FOLDER_MODE });
	} catch (error) {
		if (codeOf(error) !== "EEXIST" || !(await lstat(folder)).isDirectory()) throw error;
	}
}

/** All folders above, once: whoever made them may have died before their names were durable. */
async function makeStanding({ root, standing, sync }: Store, folder: string): Promise<void> {
	if (standing.has(folder)) return;
	for (let path = folder; path !== root; path = dirname(path)) await sync(dirname(path));
	if (standing.size >= STANDING_MAX) standing.clear();
	standing.add(folder);
}

async function syncEach(paths: readonly string[]): Promise<undefined[]> {
	await Promise.all([...new Set(paths)].map(syncFolder));
	return paths.map(() => undefined);
}

/** Makes names durable, from a folder up to one above it. */
async function syncFolders(from: string, to: string): Promise<void> {
	for (let path = from; ; path = dirname(path)) {
		await syncFolder(path);
		if (path === to) return;
	}
}

async function syncFolder(path: string): Promise<void> {
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}

function hash(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

/**
 * The objects in a folder and below whose keys begin so, in the order of whole keys, in which `-` and `.` come before `/`.
 * Links are followed nowhere, and what has no key (drafts, what others left there) is no object.
 */
export async function* listObjects(root: string, prefix: string): AsyncGenerator<StoredObject> {
	const above = prefix.slice(0, prefix.lastIndexOf("/") + 1);
	for (const segment of ancestorsOf(above)) if (!(await isFolder(join(root, segment)))) return;
	const entries = await readdir(join(root, above), { withFileTypes: true }).catch((error: unknown) => {
		if (codeOf(error) === "ENOENT") return [];
		throw error;
	});
	const keys = entries
		.filter((entry) => isKey(above + entry.name) && (entry.isFile() || entry.isDirectory()))
		.map((entry) => `${above}${entry.name}${entry.isDirectory() ? "/" : ""}`)
		.filter((key) => key.startsWith(prefix))
		.sort((a, b) => (a < b ? -1 : 1));
	for (const key of keys) {
		if (key.endsWith("/")) yield* listObjects(root, key);
		else {
			const bytes = await sizeOf(join(root, key));
			if (bytes !== undefined) yield { key, bytes };
		}
	}
}

/** Undefined for a file that was let go since its folder was read. */
async function sizeOf(path: string): Promise<number | undefined> {
	try {
		return (await lstat(path)).size;
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw error;
	}
}

/** `a/b/` → `a/`, `a/b/`. */
function ancestorsOf(folder: string): string[] {
	const segments = folder.split("/").slice(0, -1);
	return segments.map((_, i) => segments.slice(0, i + 1).join("/"));
}

async function isFolder(path: string): Promise<boolean> {
	try {
		return (await lstat(path)).isDirectory();
	} catch (error) {
		if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
		throw error;
	}
}

export type Space = {
	/** Of one block. */
	readonly bsize: number;
	readonly blocks: number;
	/** Blocks that a process without rights of its own may take. */
	readonly bavail: number;
	/** Names that there can be; 0 where the file system knows no such limit. */
	readonly files: number;
	readonly ffree: number;
};

/** A hundredth is little on a small disk. On a large one this is a hundred thousand documents: time to do something, and no false alarm before. */
const ROOM_BYTES = 256 * 1024 ** 2;
const SHARE = 100;

export async function hasRoom(folder: string): Promise<boolean> {
	return isRoomy(await statfs(folder));
}

export function isRoomy({ bsize, blocks, bavail, files, ffree }: Space): boolean {
	const hasBytes = bavail * bsize >= Math.min((blocks * bsize) / SHARE, ROOM_BYTES);
	return hasBytes && (files === 0 || ffree > 0);
}
