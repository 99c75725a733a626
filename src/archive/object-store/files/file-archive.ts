/**
 * The write-once store in files.
 *
 *   temp file ──write──▶ fsync, mode 0440 ──link──▶ object ──immutable──fsync of its folders──▶ confirmed
 *       └────────────────unlink──────────────────────┘
 *
 * Model: an object appears under its key whole or not at all. `link` makes the finished file visible in one step and fails if the name is
 * taken, which `rename` does not. A confirmed object is on disk: the bytes before the name, the name before the answer. The sync of the folders
 * includes the flag, so a journal that has the name has the flag.
 *
 * What fails: a crash leaves at most a file in `.temporary`, which the next opening removes. If another process opens the archive during a write,
 * the write loses its file and starts over. A full disk ends a write before there is a name. A crash before the flag leaves an object without it,
 * until the same object is put again or verified; the writer, which got no answer, puts it again.
 *
 * Quirks: a file with the flag can neither gain nor lose a name, so its draft must be gone first. Only a file with one name gets the flag, and
 * nothing here gives an object a second one. A link in place of a folder or an object is an error, wherever it leads.
 *
 * Not promised: the owner of the files can change them, and root can change those with the flag. `verify` finds that.
 */

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
	sha256Hex,
} from "../archive";
import { openFileFlags } from "./immutable";

const TEMPORARY = ".temporary";
const OBJECT_MODE = 0o440;
const FOLDER_MODE = 0o750;
const ATTEMPTS_MAX = 3;
const DURABLE_MAX = 10_000;

type FileArchiveOptions = {
	/** Gives objects the file system's immutable flag. If that is impossible, the log says so once and everything else works. */
	readonly isImmutable?: boolean;
	readonly log?: Pick<Log, "warn">;
};

type Store = {
	readonly root: string;
	/** Folders whose names are known to be durable. */
	readonly durable: Set<string>;
	/** Makes the names in a folder durable. Concurrent calls share one sync. */
	readonly sync: Batcher<string, void>;
	readonly protect: Protect;
};
/** Gives an object the immutable flag, if it is enabled. */
type Protect = (file: FileHandle) => Promise<void>;
type Target = { readonly key: string; readonly path: string };

/** Opens an archive in a folder, creates the folder if needed, and removes what crashed writers left. */
export async function openFileArchive(folder: string, options: FileArchiveOptions = {}): Promise<Archive> {
	const first = await mkdir(join(folder, TEMPORARY), { recursive: true, mode: FOLDER_MODE });
	const root = await realpath(folder);
	const temporary = join(root, TEMPORARY);
	if (first !== undefined) await syncFolders(root, dirname(await realpath(first)));
	for (const name of await readdir(temporary)) await rm(join(temporary, name), { force: true });
	const store: Store = {
		root,
		durable: new Set(),
		sync: createBatcher(syncEach, { itemsMax: 256, runsMax: 1 }),
		protect: createProtect(options),
	};
	const targetOf = (key: string): Target => {
		checkKey(key);
		return { key, path: join(root, key) };
	};
	return {
		putOnce: async (key, bytes) => putOnce(store, targetOf(key), bytes),
		get: async (key) => readObject(targetOf(key)),
		verify: async (key, sha256) => verifyObject(store, targetOf(key), sha256),
		list(prefix) {
			checkPrefix(prefix);
			return listObjects(root, prefix);
		},
		// Files have no dates: they stay until they are removed.
		extendRetention: async (key) => checkKey(key),
		isWritable: () =>
			access(temporary, constants.W_OK)
				.then(() => hasFreeSpace(temporary))
				.catch(() => false),
	};
}

async function putOnce(store: Store, target: Target, bytes: Uint8Array): Promise<PutResult> {
	const sha256 = sha256Hex(bytes);
	const folder = dirname(target.path);
	if (!store.durable.has(folder)) await makeFolders(store.root, folder);
	const created = await write(store, target, bytes).catch((error) => {
		// The folder may have been removed.
		store.durable.delete(folder);
		throw error;
	});
	if (!created) {
		const existing = await withObject(target, async (file) => {
			const found = sha256Hex(await file.readFile());
			if (found === sha256) await store.protect(file);
			return found;
		});
		if (existing !== sha256) throw new ArchiveConflictError(target.key, sha256, existing);
	}
	// Also for an existing object: its writer may have died before this.
	await store.sync(folder);
	await ensureDurable(store, folder);
	failpoint("archive-synced");
	return { sha256, bytes: bytes.length, created };
}

/** True if the object was created, false if the name was taken. */
async function write({ root, protect }: Store, target: Target, bytes: Uint8Array): Promise<boolean> {
	for (let attempt = 1; ; attempt++) {
		const draft = join(root, TEMPORARY, newId());
		const file = await open(draft, "wx", OBJECT_MODE);
		let isDraft = true;
		try {
			await file.writeFile(bytes);
			await file.sync();
			failpoint("archive-written");
			await checkFolder(target);
			await link(draft, target.path);
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

/** Throws an Error if a link leads from the root to another folder than the key's. */
async function checkFolder({ key, path }: Target): Promise<void> {
	const folder = dirname(path);
	if ((await realpath(folder)) !== folder)
		throw new Error(`a link leads to ${key}: objects lie in the archive's own folders`);
}

async function withObject<T>(target: Target, use: (file: FileHandle) => Promise<T>): Promise<T> {
	let file: FileHandle;
	try {
		await checkFolder(target);
		file = await open(target.path, constants.O_RDONLY | constants.O_NOFOLLOW);
	} catch (error) {
		throw codeOf(error) === "ENOENT" ? new ObjectMissingError(target.key, error) : error;
	}
	try {
		return await use(file);
	} finally {
		await file.close();
	}
}

const readObject = (target: Target): Promise<Uint8Array> => withObject(target, (file) => file.readFile());

/** An unchanged object gets the flag again, if a crash or a copy has left it without. */
async function verifyObject({ protect }: Store, target: Target, sha256: string): Promise<ObjectFault | undefined> {
	try {
		return await withObject(target, async (file) => {
			if (sha256Hex(await file.readFile()) !== sha256) return "changed";
			await protect(file);
			return undefined;
		});
	} catch (error) {
		// Anything else, such as a folder in its place or a bad sector, makes the object unreadable.
		return error instanceof ObjectMissingError ? "missing" : "unreadable";
	}
}

function createProtect({ isImmutable = false, log }: FileArchiveOptions): Protect {
	if (!isImmutable) return async () => undefined;
	const flags = openFileFlags();
	let hasWarned = false;
	return async (file) => {
		// A second name is the draft of a writer that will remove it and then set the flag.
		if ((await file.stat()).nlink !== 1 || flags?.setImmutable(file.fd) || hasWarned) return;
		hasWarned = true;
		log?.warn(
			{ event: "archive.immutable_unavailable" },
			"archived files cannot be made immutable; that needs ext4, XFS or Btrfs and CAP_LINUX_IMMUTABLE; verification still finds changes",
		);
	};
}

/** Creates the folders from the root to an object, none of them through a link. */
async function makeFolders(root: string, folder: string): Promise<void> {
	if (folder === root) return;
	await makeFolders(root, dirname(folder));
	try {
		await mkdir(folder, { mode: FOLDER_MODE });
	} catch (error) {
		if (codeOf(error) !== "EEXIST" || !(await lstat(folder)).isDirectory()) throw error;
	}
}

/** Makes the names of all parent folders durable, once. Their creator may have died before it did so. */
async function ensureDurable({ root, durable, sync }: Store, folder: string): Promise<void> {
	if (durable.has(folder)) return;
	for (let path = folder; path !== root; path = dirname(path)) await sync(dirname(path));
	if (durable.size >= DURABLE_MAX) durable.clear();
	durable.add(folder);
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

/**
 * The objects in a folder and below whose keys have this prefix, in the order of whole keys, in which `-` and `.` come before `/`.
 * Follows no links, and skips files that have no key, such as drafts.
 */
async function* listObjects(root: string, prefix: string): AsyncGenerator<StoredObject> {
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

/** Undefined for a file that was removed since its folder was read. */
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
	/** Bytes of one block. */
	readonly bsize: number;
	readonly blocks: number;
	/** Blocks that an unprivileged process may use. */
	readonly bavail: number;
	/** Maximum number of names; 0 if the file system has no such limit. */
	readonly files: number;
	readonly ffree: number;
};

/** Enough for a hundred thousand documents, so an operator has time to act. On a small disk, a hundredth of its size applies. */
const FREE_BYTES_MIN = 256 * 1024 ** 2;
const SHARE = 100;

async function hasFreeSpace(folder: string): Promise<boolean> {
	return isEnough(await statfs(folder));
}

/** Whether a file system has enough free space for further writes. */
export function isEnough({ bsize, blocks, bavail, files, ffree }: Space): boolean {
	const hasBytes = bavail * bsize >= Math.min((blocks * bsize) / SHARE, FREE_BYTES_MIN);
	return hasBytes && (files === 0 || ffree > 0);
}
