/**
 * Gives a database that was made again from the archive alone what was signed before it: the log, the keys' public parts, every checkpoint. The
 * leaves are there already. Keys that come back so sign nothing; the next checkpoint has a new one.
 */
import type { Sql, Tx } from "../../database";
import type { Archive } from "../archive";
import { readRoot, readTreeSize } from "../merkle";
import { type CheckpointText, NOTHING_BEFORE, readCheckpoint } from "./checkpoint-text";
import { ArchiveContradictionError } from "./contradiction";
import { hashNote } from "./make-checkpoint";
import { CHECKPOINTS, checkpointObject, KEYS } from "./proof-objects";
import { type NoteKey, openNote, readVerifierKey } from "./signed-note";
import { findKeys, findLog, insertCheckpoint, insertKey, insertLog, lockCheckpoints } from "./store";

export type RestoredCheckpoints = { readonly keys: number; readonly checkpoints: number };

type StoredKey = NoteKey & { readonly note: string };
type StoredNote = {
	readonly objectKey: string;
	readonly note: string;
	readonly text: CheckpointText;
	readonly key: StoredKey;
};

/** Throws: ArchiveContradictionError where notes, keys and leaves do not agree; NoteError for what is no note; an Error where tables are not empty. */
export async function restoreCheckpoints({
	sql,
	archive,
}: {
	sql: Sql;
	archive: Archive;
}): Promise<RestoredCheckpoints> {
	const keys = await readKeys(archive);
	const notes = await readNotes(archive, keys);
	const [first] = notes;
	if (!first) return { keys: 0, checkpoints: 0 };
	return sql.begin(async (tx) => {
		await lockCheckpoints(tx);
		if ((await findLog(tx)) || (await findKeys(tx)).length > 0)
			throw new Error("the database has a log of its own: checkpoints come back into an empty one only");
		await insertLog(tx, readOrigin(first.text.origin), first.text.madeAt);
		const used = [...new Set(notes.map(({ key }) => key))];
		for (const [i, key] of [...used, ...keys.filter((one) => !used.includes(one))].entries()) {
			const madeAt = notes.find((one) => one.key === key)?.text.madeAt ?? new Date();
			await insertKey(tx, { ...key, number: i + 1, sealedPrivateKey: null, madeAt });
		}
		for (const [i, one] of notes.entries()) await restore(tx, { one, before: notes[i - 1], number: i + 1 });
		return { keys: keys.length, checkpoints: notes.length };
	});
}

async function restore(
	tx: Tx,
	{ one, before, number }: { one: StoredNote; before: StoredNote | undefined; number: number },
): Promise<void> {
	const { objectKey, note, text, key } = one;
	const { size, root, previous, madeAt } = text;
	if (objectKey !== checkpointObject(number))
		throw new ArchiveContradictionError(`checkpoint ${number} is not in the store`);
	if (previous !== (before ? hashNote(before.note) : NOTHING_BEFORE) || text.origin !== (before ?? one).text.origin)
		throw new ArchiveContradictionError(`${objectKey} does not follow the one before it`);
	if (size > (await readTreeSize(tx)))
		throw new ArchiveContradictionError(`${objectKey} covers ${size} leaves, which are not there`);
	if (Buffer.from(await readRoot(tx, size)).toString("hex") !== root)
		throw new ArchiveContradictionError(`the first ${size} leaves have another root than ${objectKey}`);
	await insertCheckpoint(tx, { number, size, root, previous, madeAt, note, keyName: key.name, objectKey });
}

async function readKeys(archive: Archive): Promise<StoredKey[]> {
	const keys: StoredKey[] = [];
	for await (const { key } of archive.list(KEYS)) {
		const note = new TextDecoder().decode(await archive.get(key));
		keys.push({ ...readVerifierKey(note.split("\n", 1)[0] ?? ""), note });
	}
	return keys;
}

async function readNotes(archive: Archive, keys: readonly StoredKey[]): Promise<StoredNote[]> {
	const notes: StoredNote[] = [];
	for await (const { key: objectKey } of archive.list(CHECKPOINTS)) {
		const note = new TextDecoder().decode(await archive.get(objectKey));
		const { text, key } = openNote(note, keys);
		notes.push({ objectKey, note, text: readCheckpoint(text), key });
	}
	return notes;
}

function readOrigin(origin: string): { logId: string; environment: string } {
	const [, environment, logId] = /^sello\/archive\/([a-z-]+)\/([0-9a-f]{32})$/.exec(origin) ?? [];
	if (environment === undefined || logId === undefined)
		throw new ArchiveContradictionError(`the first checkpoint is of a log that is none of ours: ${origin}`);
	return { logId, environment };
}
