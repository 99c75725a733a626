/**
 * Reads again what was signed: every checkpoint in the tables and in the store, the keys, and the lines of all leaves that are covered. Whether the
 * tables' tree is the one of the documents is the archive's verification to say; here it is whether the tree is the one that was signed.
 */
import type { Sql } from "../../database";
import { type Archive, ObjectMissingError } from "../archive";
import { readRoot } from "../merkle";
import { NOTHING_BEFORE, readCheckpoint } from "./checkpoint-text";
import { originOf } from "./keys";
import { isSameLine, readLines, toLine } from "./leaf-lines";
import { hashNote } from "./make-checkpoint";
import { CHECKPOINTS, keyObject, LEAVES, leavesOf, numberOf } from "./proof-objects";
import { NoteError, openNote } from "./signed-note";
import { type CheckpointRow, findCheckpoints, findKeys, findLeaves, findLog, hasSigned, type KeyRow } from "./store";

export type CheckpointFault = {
	/** The object in the store that is concerned, or the one that says what the tables do not. */
	readonly key: string;
	/** What is wrong, in one sentence. */
	readonly detail: string;
};

type Deps = { readonly sql: Sql; readonly archive: Archive };

const PAGE = 500;

/** Everything that is wrong with what was signed; nothing when nothing was signed yet. */
export async function* verifyCheckpoints(deps: Deps): AsyncGenerator<CheckpointFault> {
	const keys = await findKeys(deps.sql);
	let newest: CheckpointRow | undefined;
	for (;;) {
		const page = await findCheckpoints(deps.sql, newest?.number ?? 0, PAGE);
		for (const row of page) {
			for (const detail of await judge(deps, { row, before: newest, keys })) yield { key: row.objectKey, detail };
			newest = row;
		}
		if (page.length < PAGE) break;
	}
	yield* verifyNotesWithoutRow(deps, newest?.number ?? 0);
	// A key that has signed nothing need not stand in the store yet.
	for (const { name, note } of newest ? keys : []) {
		const detail = differs(await read(deps.archive, keyObject(name)), note, "the key");
		if (detail !== undefined && (await hasSigned(deps.sql, name))) yield { key: keyObject(name), detail };
	}
	if (newest) yield* verifyLines(deps, newest.size);
}

async function judge(
	{ sql, archive }: Deps,
	{ row, before, keys }: { row: CheckpointRow; before: CheckpointRow | undefined; keys: readonly KeyRow[] },
): Promise<string[]> {
	const which = `checkpoint ${row.number}`;
	const faults = [differs(await read(archive, row.objectKey), row.note, which)];
	const log = await findLog(sql);
	try {
		const { text, key } = openNote(row.note, keys);
		const said = readCheckpoint(text);
		const previous = before ? hashNote(before.note) : NOTHING_BEFORE;
		if (said.previous !== previous) faults.push(`${which} does not follow the one before it`);
		if (log && said.origin !== originOf(log)) faults.push(`${which} is of another log`);
		const isAsSaid =
			said.size === row.size &&
			said.root === row.root &&
			said.previous === row.previous &&
			said.madeAt.getTime() === row.madeAt.getTime() &&
			key.name === row.keyName;
		if (!isAsSaid) faults.push(`the row of ${which} says something else than its note`);
		if ((await rootAt(sql, said.size)) !== said.root)
			faults.push(
				`the tree of ${said.size} leaves has not the root that ${which} has signed: leaves or nodes were changed since`,
			);
	} catch (error) {
		if (!(error instanceof NoteError)) throw error;
		faults.push(`${which} is ${error.message}`);
	}
	return faults.flatMap((fault) => fault ?? []);
}

/** A note that lost its row to a crash is taken over at the next signing, if it can be. */
async function* verifyNotesWithoutRow({ sql, archive }: Deps, known: number): AsyncGenerator<CheckpointFault> {
	const keys = await findKeys(sql);
	for await (const { key } of archive.list(CHECKPOINTS)) {
		const number = numberOf(key);
		if (number !== undefined && number <= known) continue;
		try {
			const { size, root } = readCheckpoint(openNote((await read(archive, key)) ?? "", keys).text);
			if (number === undefined) yield { key, detail: "a checkpoint under a name that none has" };
			else if ((await rootAt(sql, size)) !== root)
				yield {
					key,
					detail: `signed for a tree of ${size} leaves that the tables do not have: they were restored or changed`,
				};
		} catch (error) {
			if (!(error instanceof NoteError)) throw error;
			yield { key, detail: `an object without a row, ${error.message}` };
		}
	}
}

/** Undefined where leaves or nodes are missing. */
async function rootAt(sql: Sql, size: number): Promise<string | undefined> {
	try {
		return Buffer.from(await readRoot(sql, size)).toString("hex");
	} catch (error) {
		if (error instanceof Error && /^the tree has no /.test(error.message)) return undefined;
		throw error;
	}
}

/** Every covered leaf stands in the store's lines, once or more often, and nothing else does. */
async function* verifyLines({ sql, archive }: Deps, size: number): AsyncGenerator<CheckpointFault> {
	let next = 0;
	for await (const { key } of archive.list(LEAVES)) {
		const place = leavesOf(key);
		if (!place) yield { key, detail: "an object that holds no leaves" };
		else {
			if (place.first > next) yield { key, detail: `the lines of leaves ${next} to ${place.first - 1} are missing` };
			const lines = (await findLeaves(sql, place.first, place.last + 1)).map(toLine);
			const kept = await archive.get(key).then(parse, () => undefined);
			if (!kept) yield { key, detail: "the lines of leaves cannot be read" };
			else if (kept.length !== lines.length || !lines.every((line, i) => isSameLine(line, kept[i])))
				yield { key, detail: `the lines of leaves ${place.first} to ${place.last} are not those of the tables` };
			next = Math.max(next, place.last + 1);
		}
	}
	if (next < size) yield { key: LEAVES, detail: `the lines of leaves ${next} to ${size - 1} are missing` };
}

function parse(bytes: Uint8Array) {
	try {
		return readLines(bytes);
	} catch (error) {
		if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
		throw error;
	}
}

async function read(archive: Archive, key: string): Promise<string | undefined> {
	try {
		return new TextDecoder().decode(await archive.get(key));
	} catch (error) {
		if (error instanceof ObjectMissingError) return undefined;
		throw error;
	}
}

function differs(kept: string | undefined, expected: string, what: string): string | undefined {
	if (kept === undefined) return `${what} is not in the store`;
	return kept === expected ? undefined : `${what} in the store is another one than in the tables`;
}
