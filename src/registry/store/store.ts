/**
 * The data of the last good run in a place that all hosts reach, so that one host builds and the others fetch.
 *
 *   RUN.G.snapshot.zst   the run's data, compressed; G counts the times that it was replaced, above all after erasures
 *   RUN.G.history.zst    its history
 *   current.json         which of them count, their SHA-256, and the erasures that they were searched for; signed
 *
 * Objects are written before current.json names them, and others are removed afterwards. Writers hold the ingest lock. A reader whose objects
 * disappear meanwhile reads current.json again.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { openObjects } from "../../platform/objects";
import { newId } from "../../platform/values";
import { openHistory } from "../history";
import { openSnapshot } from "../index/index";
import type { SnapshotDirectory } from "../runs";
import { createSignature } from "./signature";

type StoredFile = { readonly name: string; readonly sha256: string };

type StoreState = {
	readonly runId: string;
	readonly generation: number;
	readonly snapshot: StoredFile;
	readonly history?: StoredFile;
	/** Digests of the erased numbers that the files were searched for, in hex. */
	readonly tombstones: readonly string[];
};

export type RegistryStore = {
	/** What the store has; undefined if it has nothing, or nothing with a valid signature. */
	readonly read: () => Promise<StoreState | undefined>;
	/** Puts a host's files of a run into the store, in place of what it has. The caller holds the ingest lock. */
	readonly put: (
		directory: SnapshotDirectory,
		run: { readonly runId: string; readonly tombstones: readonly string[] },
	) => Promise<void>;
	/** Fetches the files of a run into a host's folder; false if the store does not have them. Needs no lock. */
	readonly fetch: (directory: SnapshotDirectory, runId: string) => Promise<boolean>;
};

const CURRENT = "current.json";
const KINDS = ["snapshot", "history"] as const;
/** Whatever else is in the folder or bucket stays. A temporary file was left by a crash. */
const OWN_NAME = /^[0-9a-f-]{36}\.(?:tmp|[0-9]+\.(?:snapshot|history)\.zst)$/;
const LEVEL = 3;
/** A reader may meet objects that were just replaced. */
const TRIES = 2;

/** `name` is a folder or an address, see `readObjectsAddress`. */
export function openRegistryStore(name: string, pepper: Uint8Array): RegistryStore {
	const objects = openObjects(name);
	const signature = createSignature(pepper);
	const read = async (): Promise<StoreState | undefined> => {
		const text = await objects.getText(CURRENT);
		const payload = text === undefined ? undefined : signature.open(text);
		return payload === undefined ? undefined : (JSON.parse(payload) as StoreState);
	};
	const fetchFile = async ({ name, sha256 }: StoredFile, staging: string): Promise<string | undefined> => {
		const packed = join(staging, name);
		if (!(await objects.get(name, packed)) || (await hashOf(packed)) !== sha256) return undefined;
		const path = packed.slice(0, -PACKED.length);
		await pipeline(createReadStream(packed), createZstdDecompress(), createWriteStream(path, { mode: 0o600 }));
		return path;
	};
	return {
		read,
		put: (directory, { runId, tombstones }) =>
			withStaging(directory, async (staging) => {
				const before = await read();
				const generation = before?.runId === runId ? before.generation + 1 : 0;
				const stored: { snapshot?: StoredFile; history?: StoredFile } = {};
				for (const kind of KINDS) {
					const path = directory.find(runId, kind);
					if (path === undefined) continue;
					const name = `${runId}.${generation}.${kind}${PACKED}`;
					const packed = join(staging, name);
					const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
					await pipeline(createReadStream(path), createZstdCompress({ params }), createWriteStream(packed));
					await objects.put(name, packed);
					stored[kind] = { name, sha256: await hashOf(packed) };
				}
				const { snapshot, history } = stored;
				if (!snapshot) throw new Error(`run ${runId} has no snapshot for the store`);
				const state: StoreState = { runId, generation, snapshot, ...(history ? { history } : {}), tombstones };
				await objects.putContent(CURRENT, signature.sign(JSON.stringify(state)));
				const used = [snapshot.name, history?.name];
				const unused = (await objects.list()).filter((one) => OWN_NAME.test(one) && !used.includes(one));
				for (const one of unused) await objects.remove(one);
			}),
		fetch: (directory, runId) =>
			withStaging(directory, async (staging) => {
				for (let i = 0; i < TRIES; i++) {
					const state = await read();
					if (state?.runId !== runId) return false;
					const snapshot = await fetchFile(state.snapshot, staging);
					const history = state.history && (await fetchFile(state.history, staging));
					if (snapshot === undefined || (state.history && history === undefined)) continue;
					if (openSnapshot(snapshot).manifest.runId !== runId) return false;
					// The snapshot last: whatever opens it finds its history.
					if (history !== undefined && openHistory(history).manifest.runId === runId)
						await directory.publish(history, runId, "history");
					await directory.publish(snapshot, runId);
					return true;
				}
				return false;
			}),
	};
}

const PACKED = ".zst";

async function hashOf(path: string): Promise<string> {
	const hash = createHash("sha256");
	await pipeline(createReadStream(path), hash);
	return hash.digest("hex");
}

/** An older folder was left by a crash. */
const LEFT_AFTER_MS = 3_600_000;

/** Apart from the directory's temporary files, which holders of the ingest lock remove. */
async function withStaging<T>(directory: SnapshotDirectory, work: (folder: string) => Promise<T>): Promise<T> {
	const parent = join(directory.path, "store");
	const own = join(parent, newId());
	await mkdir(own, { recursive: true, mode: 0o700 });
	try {
		for (const name of await readdir(parent)) {
			const other = join(parent, name);
			const facts = await stat(other).catch(() => undefined);
			if (facts && Date.now() - facts.mtimeMs > LEFT_AFTER_MS) await rm(other, { recursive: true, force: true });
		}
		return await work(own);
	} finally {
		await rm(own, { recursive: true, force: true });
	}
}
