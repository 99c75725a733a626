/** The proof of an archive, keys and checkpoints, read from the store and given back to the database. */

import type { Tx } from "../../platform/database";
import {
	ArchiveContradictionError,
	type CheckpointRow,
	checkpointObject,
	findCheckpoints,
	findKeys,
	findLog,
	hashNote,
	insertCheckpoint,
	insertKey,
	logsObject,
	NOTHING_BEFORE,
	NoteError,
	type NoteKey,
	openNote,
	readCheckpoint,
	readLogs,
	readVerifierKey,
	rootOver,
	type SignedLog,
	sizeOfLogs,
} from "../checkpoints";
import { type Archive, ObjectMissingError } from "../object-store/archive";
import { RestoreRefusedError } from "./store";

const PAGE = 1_000;

/**
 * Writes the keys' public parts and the checkpoints. A restored key signs nothing; the next checkpoint creates a new one.
 * Returns how many checkpoints were new. Throws RestoreRefusedError if an existing row differs.
 */
export async function restoreProof(tx: Tx, proof: Proof): Promise<number> {
	const { logId, checkpoints } = proof;
	const log = await findLog(tx);
	if (log && logId !== log.logId) {
		const own = logId === undefined ? "has no checkpoint" : `is the log ${logId}`;
		if (logId !== undefined || (await findCheckpoints(tx, 0, 1)).length > 0)
			throw new RestoreRefusedError(`the database is of the log ${log.logId}, the archive ${own}`);
	}
	if (checkpoints.length === 0) return 0;
	await restoreKeys(tx, proof);
	return restoreCheckpoints(tx, checkpoints);
}

async function restoreKeys(tx: Tx, { keys }: Proof): Promise<void> {
	const existing = await findKeys(tx);
	let number = existing[0]?.number ?? 0;
	for (const { name, publicKey, note, madeAt } of keys) {
		const same = existing.find((key) => key.name === name);
		if (same && !Buffer.from(same.publicKey).equals(publicKey))
			throw new RestoreRefusedError(`the database has another key ${name}`);
		if (same) continue;
		number++;
		await insertKey(tx, { number, name, publicKey, sealedPrivateKey: null, note, madeAt });
	}
}

async function restoreCheckpoints(tx: Tx, checkpoints: readonly CheckpointRow[]): Promise<number> {
	let added = 0;
	let existing: CheckpointRow[] = [];
	for (const [i, checkpoint] of checkpoints.entries()) {
		if (i % PAGE === 0) existing = await findCheckpoints(tx, i, PAGE);
		const same = existing[i % PAGE];
		if (same && same.note !== checkpoint.note)
			throw new RestoreRefusedError(`the database has another checkpoint ${checkpoint.number}`);
		if (same) continue;
		await insertCheckpoint(tx, checkpoint);
		added++;
	}
	const [surplus] = await findCheckpoints(tx, checkpoints.length, 1);
	if (surplus) throw new RestoreRefusedError(`the database has checkpoint ${surplus.number}, the store does not`);
	return added;
}

export type Proof = {
	/** Hex id of the log; absent before the first checkpoint. */
	readonly logId?: string;
	readonly environment?: string;
	/** In the order of their first signatures. */
	readonly keys: readonly StoredKey[];
	readonly checkpoints: readonly CheckpointRow[];
};

type StoredKey = NoteKey & { readonly note: string; readonly madeAt: Date };

const ORIGIN = /^sello\/archive\/([a-z-]+)\/([0-9a-f]{32})$/;

/** Reads the log, its keys and checkpoints from the store, and checks that each checkpoint follows the previous one. Throws: RestoreRefusedError. */
export async function readProof(archive: Archive): Promise<Proof> {
	const known = await readKeys(archive);
	const checkpoints: CheckpointRow[] = [];
	const keys = new Map<string, StoredKey>();
	let origin: string | undefined;
	for (;;) {
		const before = checkpoints.at(-1);
		const objectKey = checkpointObject(checkpoints.length + 1);
		const note = await readText(archive, objectKey);
		if (note === undefined) break;
		const list = await readText(archive, logsObject(checkpoints.length + 1));
		if (list === undefined)
			throw new RestoreRefusedError(
				`${objectKey} has no list of logs: if an early development version wrote it for one tree, move the folder proof/ away first`,
			);
		const logs = readList(list, objectKey);
		const { row, origin: own } = readRow(note, { objectKey, before, known, logs });
		if (origin !== undefined && own !== origin)
			throw new RestoreRefusedError(`${objectKey} is of another log than the one before it`);
		origin = own;
		const key = known.find(({ name }) => name === row.keyName);
		if (key && !keys.has(key.name)) keys.set(key.name, { ...key, madeAt: row.madeAt });
		checkpoints.push(row);
	}
	await expectNoMore(archive, checkpoints.length);
	const [, environment, logId] = ORIGIN.exec(origin ?? "") ?? [];
	if (origin !== undefined && logId === undefined)
		throw new RestoreRefusedError(`${origin} is not a log of this service`);
	const named = environment !== undefined && logId !== undefined ? { environment, logId } : {};
	const last = checkpoints.at(-1);
	// Keys that have signed nothing yet are included.
	if (last) for (const key of known) if (!keys.has(key.name)) keys.set(key.name, { ...key, madeAt: last.madeAt });
	return { ...named, keys: [...keys.values()], checkpoints };
}

type KnownKey = NoteKey & { readonly note: string };

async function readKeys(archive: Archive): Promise<KnownKey[]> {
	const keys: KnownKey[] = [];
	for await (const { key } of archive.list("proof/keys/")) {
		const note = (await readText(archive, key)) ?? "";
		try {
			keys.push({ ...readVerifierKey(note.split("\n", 1)[0] ?? ""), note });
		} catch (error) {
			if (error instanceof NoteError) throw new RestoreRefusedError(`${key} holds no key`, error);
			throw error;
		}
	}
	return keys;
}

function readList(text: string, objectKey: string): SignedLog[] {
	try {
		return readLogs(text, `the list of ${objectKey}`);
	} catch (error) {
		if (error instanceof ArchiveContradictionError) throw new RestoreRefusedError(error.fault, error);
		throw error;
	}
}

type Around = {
	readonly objectKey: string;
	readonly before: CheckpointRow | undefined;
	readonly known: readonly KnownKey[];
	readonly logs: readonly SignedLog[];
};

function readRow(note: string, { objectKey, before, known, logs }: Around): { row: CheckpointRow; origin: string } {
	const number = (before?.number ?? 0) + 1;
	try {
		const { text, key } = openNote(note, known);
		const { origin, size, root, previous, madeAt } = readCheckpoint(text);
		const isSmaller = logs.some((log, at) => log.size < (before?.logs[at]?.size ?? 0));
		if (previous !== (before ? hashNote(before.note) : NOTHING_BEFORE) || isSmaller)
			throw new RestoreRefusedError(`${objectKey} does not follow the checkpoint before it`);
		if (sizeOfLogs(logs) !== size || rootOver(logs) !== root)
			throw new RestoreRefusedError(`${objectKey} is not of its list of logs`);
		return { row: { number, size, logs, root, previous, madeAt, note, keyName: key.name, objectKey }, origin };
	} catch (error) {
		if (error instanceof NoteError) throw new RestoreRefusedError(`${objectKey} is ${error.message}`, error);
		throw error;
	}
}

/** Throws if a later checkpoint exists. A missing one must come from a copy, since those after it cannot be verified without it. */
async function expectNoMore(archive: Archive, count: number): Promise<void> {
	for await (const { key } of archive.list("proof/checkpoints/")) {
		// A list of logs alone is of a checkpoint that was begun.
		if (key.endsWith(".txt") && key > checkpointObject(count))
			throw new RestoreRefusedError(`${checkpointObject(count + 1)} is missing, ${key} is there`);
	}
}

async function readText(archive: Archive, key: string): Promise<string | undefined> {
	try {
		return new TextDecoder().decode(await archive.get(key));
	} catch (error) {
		if (error instanceof ObjectMissingError) return undefined;
		throw error;
	}
}
