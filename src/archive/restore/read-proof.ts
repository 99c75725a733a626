/** Keys and checkpoints as the store has them: whose log it is, who signed, and that each checkpoint follows the one before. */
import { type Archive, ObjectMissingError } from "../archive";
import { NOTHING_BEFORE, readCheckpoint } from "../checkpoints/checkpoint-text";
import { hashNote } from "../checkpoints/make-checkpoint";
import { checkpointObject } from "../checkpoints/proof-objects";
import { NoteError, type NoteKey, openNote, readVerifierKey } from "../checkpoints/signed-note";
import type { CheckpointRow } from "../checkpoints/store";
import { RestoreRefusedError } from "./refused";

export type Proof = {
	/** Hex id of the log; absent before the first checkpoint. */
	readonly logId?: string;
	readonly environment?: string;
	/** In the order in which they signed for the first time. */
	readonly keys: readonly StoredKey[];
	readonly checkpoints: readonly CheckpointRow[];
};

type StoredKey = NoteKey & { readonly note: string; readonly madeAt: Date };

const ORIGIN = /^sello\/archive\/([a-z-]+)\/([0-9a-f]{32})$/;

/** Throws: RestoreRefusedError. */
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
		const { row, origin: own } = readRow(note, { objectKey, before, known });
		if (origin !== undefined && own !== origin)
			throw new RestoreRefusedError(`${objectKey} is of another log than the one before it`);
		origin = own;
		const key = known.find(({ name }) => name === row.keyName);
		if (key && !keys.has(key.name)) keys.set(key.name, { ...key, madeAt: row.madeAt });
		checkpoints.push(row);
	}
	await expectNoMore(archive, checkpoints.length);
	const [, environment, logId] = ORIGIN.exec(origin ?? "") ?? [];
	if (origin !== undefined && logId === undefined) throw new RestoreRefusedError(`${origin} is no log of this service`);
	const named = environment !== undefined && logId !== undefined ? { environment, logId } : {};
	const last = checkpoints.at(-1);
	// A key that has signed nothing yet is known all the same.
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

function readRow(
	note: string,
	{ objectKey, before, known }: { objectKey: string; before: CheckpointRow | undefined; known: readonly KnownKey[] },
): { row: CheckpointRow; origin: string } {
	const number = (before?.number ?? 0) + 1;
	try {
		const { text, key } = openNote(note, known);
		const { origin, size, root, previous, madeAt } = readCheckpoint(text);
		if (previous !== (before ? hashNote(before.note) : NOTHING_BEFORE) || size < (before?.size ?? 0))
			throw new RestoreRefusedError(`${objectKey} does not follow the checkpoint before it`);
		return { row: { number, size, root, previous, madeAt, note, keyName: key.name, objectKey }, origin };
	} catch (error) {
		if (error instanceof NoteError) throw new RestoreRefusedError(`${objectKey} is ${error.message}`, error);
		throw error;
	}
}

/** A checkpoint that is missing among others must come back from a copy: those behind it could not be believed. */
async function expectNoMore(archive: Archive, count: number): Promise<void> {
	for await (const { key } of archive.list("proof/checkpoints/")) {
		if (key > checkpointObject(count))
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
