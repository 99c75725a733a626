/**
 * Checks what was signed: every checkpoint's signature, its predecessor, its copy in the store, and the keys. Returns the signed roots, to compare
 * them with the leaves.
 */

import type { Sql } from "../../platform/database";
import {
	ArchiveContradictionError,
	type CheckpointRow,
	type CheckpointText,
	checkpointObject,
	checkpointOf,
	findCheckpoints,
	findKeys,
	findLog,
	findNewestCheckpoint,
	hashNote,
	type KeyRow,
	keyObject,
	logsObject,
	NOTHING_BEFORE,
	NoteError,
	openNote,
	originOf,
	readCheckpoint,
	readLogs,
	rootOver,
	type SignedLog,
	sizeOfLogs,
	writeLogs,
} from "../checkpoints";
import { type GrowingTree, isSameHash, LOG_COUNT } from "../merkle";
import { type Archive, ObjectMissingError } from "../object-store/archive";
import type { ReportFault } from "./fault";

const PAGE = 1_000;

/** Returns the number of rows, and the signed roots of each log in the order of their sizes. */
export async function checkCheckpoints(
	{ sql, archive }: { readonly sql: Sql; readonly archive: Archive },
	report: ReportFault,
): Promise<{ readonly rows: number; readonly roots: readonly (readonly SignedRoot[])[] }> {
	const [keys, log] = [await findKeys(sql), await findLog(sql)];
	const origin = log && originOf(log);
	const roots: SignedRoot[][] = Array.from({ length: LOG_COUNT }, () => []);
	const signers = new Set<string>();
	let before: CheckpointRow | undefined;
	for (;;) {
		const page = await findCheckpoints(sql, before?.number ?? 0, PAGE);
		for (const row of page) {
			const key = row.objectKey;
			for (const detail of await findAllDefects(archive, row, { before, keys, origin }))
				report({ docId: null, key, fault: "checkpoint", detail: `checkpoint ${row.number} ${detail}` });
			addRoots(roots, row);
			signers.add(row.keyName);
			before = row;
		}
		if (page.length < PAGE) break;
	}
	for (const { name, note } of keys) {
		// A key is written to the store before its first signature.
		const defects = signers.has(name) ? await findCopyDefects(archive, keyObject(name), note) : [];
		for (const detail of defects)
			report({ docId: null, key: keyObject(name), fault: "checkpoint", detail: `the key ${name} ${detail}` });
	}
	const rows = before?.number ?? 0;
	for (const unlisted of await readUnlisted({ archive, keys, last: rows }, report)) addRoots(roots, unlisted);
	for (const ofLog of roots) ofLog.sort((a, b) => a.size - b.size || a.number - b.number);
	return { rows, roots };
}

export type CheckedCheckpoint = { readonly row: CheckpointRow; readonly defects: readonly string[] };

/** The newest checkpoints, newest first, each with what is wrong with it. */
export async function checkNewest(
	{ sql, archive }: { readonly sql: Sql; readonly archive: Archive },
	count: number,
): Promise<CheckedCheckpoint[]> {
	const [keys, log, newest] = await Promise.all([findKeys(sql), findLog(sql), findNewestCheckpoint(sql)]);
	if (!newest) return [];
	const origin = log && originOf(log);
	// With the one before the first, which it must name.
	const rows = await findCheckpoints(sql, Math.max(0, newest.number - count - 1), count + 1);
	const checked = await Promise.all(
		rows.map(async (row, at) => {
			const known = { before: rows[at - 1], keys, origin };
			return { row, defects: await findAllDefects(archive, row, known) };
		}),
	);
	return checked.slice(newest.number > count ? 1 : 0).toReversed();
}

async function findAllDefects(archive: Archive, row: CheckpointRow, known: Known): Promise<string[]> {
	const copies = await Promise.all([
		findCopyDefects(archive, row.objectKey, row.note),
		findCopyDefects(archive, logsObject(row.number), writeLogs(row.logs)),
	]);
	return [...findDefects(row, known), ...copies.flat()];
}

type Signed = Pick<CheckpointRow, "number" | "objectKey" | "logs">;

/** Adds the roots that differ from the ones before; a checkpoint repeats those of most logs. */
function addRoots(roots: readonly SignedRoot[][], { number, objectKey: key, logs }: Signed): void {
	for (const [log, { size, root }] of logs.entries()) {
		const before = roots[log]?.at(-1);
		if (before?.size !== size || before.root !== root) roots[log]?.push({ number, size, root, key });
	}
}

type Known = {
	readonly before: CheckpointRow | undefined;
	readonly keys: readonly KeyRow[];
	readonly origin: string | undefined;
};

function findDefects(row: CheckpointRow, { before, keys, origin }: Known): string[] {
	let text: CheckpointText;
	let signer: string;
	try {
		const opened = openNote(row.note, keys);
		text = readCheckpoint(opened.text);
		signer = opened.key.name;
	} catch (error) {
		if (error instanceof NoteError) return [`is ${error.message}`];
		throw error;
	}
	const previous = before ? hashNote(before.note) : NOTHING_BEFORE;
	return [
		...(row.number === (before?.number ?? 0) + 1 ? [] : [`follows ${before ? `checkpoint ${before.number}` : "none"}`]),
		...(row.objectKey === checkpointObject(row.number) ? [] : ["is in the store under another number"]),
		...(text.origin === origin ? [] : [`is of the log ${text.origin}`]),
		...(text.previous === previous && row.previous === previous ? [] : ["does not name the one before it"]),
		...(text.size === row.size &&
		text.root === row.root &&
		text.madeAt.getTime() === row.madeAt.getTime() &&
		signer === row.keyName
			? []
			: ["differs between its row and its note"]),
		...(sizeOfLogs(row.logs) === row.size && rootOver(row.logs) === row.root ? [] : ["is not of its logs"]),
		...(before && row.logs.some(({ size }, log) => size < (before.logs[log]?.size ?? 0))
			? ["covers fewer leaves than the one before it"]
			: []),
	];
}

async function findCopyDefects(archive: Archive, key: string, note: string): Promise<string[]> {
	try {
		return Buffer.from(await archive.get(key)).equals(Buffer.from(note)) ? [] : ["has another copy in the store"];
	} catch (error) {
		return [
			error instanceof ObjectMissingError ? "has no copy in the store" : "has a copy in the store that cannot be read",
		];
	}
}

/**
 * Checks objects of the proof that have no row. A signed note is valid without one: it lost its row in a crash and will be adopted by the next
 * checkpoint, or the database is an older copy, which its roots then show. A list of logs without a note is of a checkpoint that was begun.
 */
async function readUnlisted(
	{ archive, keys, last }: { archive: Archive; keys: readonly KeyRow[]; last: number },
	report: ReportFault,
): Promise<Signed[]> {
	const expected = new Set(keys.map(({ name }) => keyObject(name)));
	const found: Signed[] = [];
	for await (const { key } of archive.list("proof/")) {
		const number = checkpointOf(key) ?? 0;
		if (key.startsWith("proof/leaves/") || expected.has(key) || (number >= 1 && number <= last)) continue;
		const logs = number > last ? await readSigned(archive, number, keys) : undefined;
		if (!logs) report({ docId: null, key, fault: "strange", detail: "an object of the proof without a row" });
		else if (key === checkpointObject(number)) found.push({ number, objectKey: key, logs });
	}
	return found;
}

/** The logs of a checkpoint without a row; undefined if they are none, or are signed otherwise. */
async function readSigned(
	archive: Archive,
	number: number,
	keys: readonly KeyRow[],
): Promise<readonly SignedLog[] | undefined> {
	const read = async (key: string) => new TextDecoder().decode(await archive.get(key));
	try {
		const logs = readLogs(await read(logsObject(number)), logsObject(number));
		const note = await read(checkpointObject(number)).catch(() => undefined);
		if (note === undefined) return logs;
		const { size, root } = readCheckpoint(openNote(note, keys).text);
		return sizeOfLogs(logs) === size && rootOver(logs) === root ? logs : undefined;
	} catch (error) {
		if (error instanceof NoteError || error instanceof ObjectMissingError || error instanceof ArchiveContradictionError)
			return undefined;
		throw error;
	}
}

/** A root of one log. */
type SignedRoot = {
	readonly number: number;
	readonly size: number;
	/** Hex. */
	readonly root: string;
	readonly key: string;
};

/** Compares the signed roots of a log with its tree while it grows. Reports the first difference; all later roots differ too. */
export function matchRoots(log: number, roots: readonly SignedRoot[], report: ReportFault) {
	let at = 0;
	let isDifferent = false;
	return {
		onTree(tree: Pick<GrowingTree, "size" | "root">): void {
			for (let signed = roots[at]; signed && signed.size <= tree.size(); signed = roots[++at]) {
				const made = tree.root();
				if (isDifferent || isSameHash(made, Buffer.from(signed.root, "hex"))) continue;
				isDifferent = true;
				const detail = `checkpoint ${signed.number} has the root ${signed.root} of ${signed.size} leaves of log ${log}, the leaves have ${Buffer.from(made).toString("hex")}`;
				report({ docId: null, key: signed.key, fault: "checkpoint", detail });
			}
		},
		end(treeSize: number): void {
			for (const { number, size, key } of roots) {
				if (size <= treeSize) continue;
				const detail = `checkpoint ${number} covers ${size} leaves of log ${log}, there are ${treeSize}`;
				report({ docId: null, key, fault: "checkpoint", detail });
			}
		},
	};
}
