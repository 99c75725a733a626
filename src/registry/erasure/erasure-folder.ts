/**
 * A host's own copy of the erasures, next to its snapshots and outside the database. A database that is restored from before an erasure
 * does not have it.
 *
 *   PURGE.json     one erasure: the digest of its number and its record; after a reversal only the record
 *   NAME.tmp       an erasure being written
 *
 * A file appears complete, through a link or a rename, and is synced before anything is answered. A late copy never replaces a reversal.
 */

import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../../platform/values";

export type KeptErasure = {
	readonly purgeId: string;
	/** In hex; null once it is reversed. */
	readonly digest: string | null;
	/** Identifies the pepper of the digest. */
	readonly pepper: string;
	readonly purgedAt: string;
	readonly legalBasis: string;
	readonly requestReference: string;
	readonly requestedBy: string;
	readonly reason: string;
	readonly reversedAt: string | null;
};

type ErasureFolder = {
	readonly list: () => Promise<{ readonly erasures: readonly KeptErasure[]; readonly damaged: readonly string[] }>;
	/** Keeps an erasure unless one with the same id is kept; a reversed one replaces it. */
	readonly keep: (erasure: KeptErasure) => Promise<void>;
	readonly remove: (purgeId: string) => Promise<void>;
};

const KEPT = ".json";
const TEMPORARY = ".tmp";
/** An older temporary file was left by a crash. */
const LEFT_AFTER_MS = 3_600_000;

const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

export function openErasureFolder(path: string): ErasureFolder {
	const fileOf = (purgeId: string) => join(path, `${purgeId}${KEPT}`);
	return {
		list: async () => {
			const names = await readdir(path).catch((error: unknown) => {
				if (hasCode(error, "ENOENT")) return [];
				throw error;
			});
			await removeLeft(names.filter((name) => name.endsWith(TEMPORARY)).map((name) => join(path, name)));
			const erasures: KeptErasure[] = [];
			const damaged: string[] = [];
			for (const name of names.filter((one) => one.endsWith(KEPT))) {
				const text = await readFile(join(path, name), "utf8").catch((error: unknown) => {
					// Another process of this host has just removed it. Files without read permission are reported as damaged.
					return hasCode(error, "ENOENT") ? undefined : "";
				});
				if (text === undefined) continue;
				const erasure = parse(text);
				if (erasure && name === `${erasure.purgeId}${KEPT}`) erasures.push(erasure);
				else damaged.push(name);
			}
			return { erasures, damaged };
		},
		keep: async (erasure) => {
			await mkdir(path, { recursive: true, mode: 0o700 });
			const temporary = join(path, `${newId()}${TEMPORARY}`);
			await writeWhole(temporary, JSON.stringify(erasure));
			if (erasure.reversedAt !== null) await rename(temporary, fileOf(erasure.purgeId));
			else {
				try {
					await link(temporary, fileOf(erasure.purgeId));
				} catch (error) {
					// Not every file system has links. There the file is overwritten by another copy of the same erasure.
					if (NO_LINKS.some((code) => hasCode(error, code))) await rename(temporary, fileOf(erasure.purgeId));
					else if (!hasCode(error, "EEXIST")) throw error;
				} finally {
					await rm(temporary, { force: true });
				}
			}
			await syncFolder(path);
		},
		remove: (purgeId) => rm(fileOf(purgeId), { force: true }),
	};
}

function parse(text: string): KeptErasure | undefined {
	try {
		const erasure = JSON.parse(text) as KeptErasure;
		return typeof erasure.purgeId === "string" && typeof erasure.pepper === "string" ? erasure : undefined;
	} catch {
		return undefined;
	}
}

async function writeWhole(path: string, text: string): Promise<void> {
	const file = await open(path, "wx", 0o600);
	try {
		await file.writeFile(text);
		await file.sync();
	} finally {
		await file.close();
	}
}

/** A new name survives a power loss only once its folder is synced. */
async function syncFolder(path: string): Promise<void> {
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}

async function removeLeft(paths: readonly string[]): Promise<void> {
	for (const path of paths) {
		// Its writer may have finished in the meantime.
		const writtenAt = await stat(path).then(
			({ mtimeMs }) => mtimeMs,
			() => Number.POSITIVE_INFINITY,
		);
		if (writtenAt < Date.now() - LEFT_AFTER_MS) await rm(path, { force: true });
	}
}

function hasCode(error: unknown, code: string): boolean {
	return error instanceof Error && "code" in error && error.code === code;
}
