/**
 * The write-once store in files.
 *
 *   temp file ──write──▶ fsync, mode 0440 ──link──▶ object ──fsync of its folders──▶ confirmed
 *       └────────────────unlink──────────────────────┘
 *
 * Model: an object appears under its key whole or not at all, because `link` makes the finished file visible in one step and
 * fails when the name is taken, which `rename` would not. What is confirmed is on disk: the bytes before the name, the name
 * before the answer.
 *
 * What fails: a crash leaves at most a file in `.temporary`, removed when the archive is next opened. Another process may open it
 * while this one writes; the write whose file vanished starts again. A full disk ends the write before there is a name.
 *
 * Not promised: the owner of the files, or root, can change them behind our back. `verify` finds that.
 */
import { createHash } from "node:crypto";
import { access, constants, link, lstat, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { codeOf, createGather, type Gather } from "../database";
import { faultPoint } from "../telemetry";
import { newId } from "../values";
import {
	type Archive,
	ArchiveConflictError,
	checkKey,
	checkPrefix,
	ObjectMissingError,
	type PutResult,
	type StoredObject,
} from "./archive";

const TEMPORARY = ".temporary";
const OBJECT_MODE = 0o440;
const FOLDER_MODE = 0o750;
const ATTEMPTS_MAX = 3;

/** Opens an archive in a folder, making it when there is none, and removes what crashed writers left. */
export async function openFileArchive(folder: string): Promise<Archive> {
	const root = resolve(folder);
	const temporary = join(root, TEMPORARY);
	const first = await mkdir(temporary, { recursive: true, mode: FOLDER_MODE });
	if (first !== undefined) await syncFolders(root, dirname(first));
	for (const name of await readdir(temporary)) await rm(join(temporary, name), { force: true });
	const pathOf = (key: string) => {
		checkKey(key);
		return join(root, key);
	};
	const folders = { root, standing: new Set<string>(), sync: createGather(syncEach, { itemsMax: 256, runsMax: 1 }) };
	return {
		putOnce: async (key, bytes) => putOnce({ folders, temporary, key, path: pathOf(key) }, bytes),
		get: async (key) => read(key, pathOf(key)),
		list(prefix) {
			checkPrefix(prefix);
			return listBelow(root, prefix);
		},
		extendRetention: async (key) => checkKey(key),
		isWritable: () =>
			access(temporary, constants.W_OK).then(
				() => true,
				() => false,
			),
		async verify(key, sha256) {
			try {
				return hash(await read(key, pathOf(key))) === sha256 ? undefined : "changed";
			} catch (error) {
				// Anything else, a folder in its place or a bad sector, means that the object cannot be had.
				return error instanceof ObjectMissingError ? "missing" : "unreadable";
			}
		},
	};
}

/** In the order of whole keys, in which `-` and `.` come before `/`. */
async function* listBelow(root: string, prefix: string): AsyncGenerator<StoredObject> {
	const above = prefix.slice(0, prefix.lastIndexOf("/") + 1);
	const entries = await readdir(join(root, above), { withFileTypes: true }).catch((error) => {
		if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
		throw error;
	});
	const keys = entries
		.filter((entry) => entry.isFile() || (entry.isDirectory() && entry.name !== TEMPORARY))
		.map((entry) => `${above}${entry.name}${entry.isDirectory() ? "/" : ""}`)
		.filter((key) => key.startsWith(prefix))
		.sort((a, b) => (a < b ? -1 : 1));
	for (const key of keys) {
		if (key.endsWith("/")) yield* listBelow(root, key);
		else yield { key, bytes: (await lstat(join(root, key))).size };
	}
}

async function read(key: string, path: string): Promise<Uint8Array> {
	try {
		return await readFile(path);
	} catch (error) {
		throw codeOf(error) === "ENOENT" ? new ObjectMissingError(key, error) : error;
	}
}

type Folders = {
	readonly root: string;
	/** Folders whose own names are durable, for all that this process knows. */
	readonly standing: Set<string>;
	/** Makes the names in a folder durable; those who ask at the same time share one sync. */
	readonly sync: Gather<string, void>;
};
type Place = { readonly folders: Folders; readonly temporary: string; readonly key: string; readonly path: string };

const STANDING_MAX = 10_000;

async function putOnce({ folders, temporary, key, path }: Place, bytes: Uint8Array): Promise<PutResult> {
	const sha256 = hash(bytes);
	const folder = dirname(path);
	if (!folders.standing.has(folder)) await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
	const created = await write(temporary, path, bytes).catch((error) => {
		// Perhaps somebody has removed the folder.
		folders.standing.delete(folder);
		throw error;
	});
	if (!created) {
		const standing = hash(await readFile(path));
		if (standing !== sha256) throw new ArchiveConflictError(key, sha256, standing);
	}
	// Also when the object stood there: whoever made it may have died before this.
	await folders.sync(folder);
	await makeStanding(folders, folder);
	faultPoint("archive-synced");
	return { sha256, bytes: bytes.length, created };
}

/** All folders above, once: whoever made them may have died before their names were durable. */
async function makeStanding({ root, standing, sync }: Folders, folder: string): Promise<void> {
	if (standing.has(folder)) return;
	for (let path = folder; path !== root; path = dirname(path)) await sync(dirname(path));
	if (standing.size >= STANDING_MAX) standing.clear();
	standing.add(folder);
}

async function syncEach(paths: readonly string[]): Promise<undefined[]> {
	await Promise.all([...new Set(paths)].map(syncFolder));
	return paths.map(() => undefined);
}

/** True when the object was made, false when the name was taken. */
async function write(temporary: string, path: string, bytes: Uint8Array): Promise<boolean> {
	for (let attempt = 1; ; attempt++) {
		const draft = join(temporary, newId());
		try {
			const file = await open(draft, "wx", OBJECT_MODE);
			try {
				await file.writeFile(bytes);
				await file.sync();
			} finally {
				await file.close();
			}
			faultPoint("archive-written");
			await link(draft, path);
			faultPoint("archive-linked");
			return true;
		} catch (error) {
			if (codeOf(error) === "EEXIST") return false;
			if (codeOf(error) !== "ENOENT" || attempt >= ATTEMPTS_MAX) throw error;
		} finally {
			await rm(draft, { force: true });
		}
	}
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
