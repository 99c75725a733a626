/**
 * Checks what was signed: every checkpoint's signature, its predecessor, its copy in the store, and the keys. Returns the signed roots, to compare
 * them with the leaves.
 */

import type { Sql } from "../../platform/database";
import {
	type CheckpointRow,
	type CheckpointText,
	checkpointObject,
	findCheckpoints,
	findKeys,
	findLog,
	hashNote,
	type KeyRow,
	keyObject,
	NOTHING_BEFORE,
	NoteError,
	openNote,
	originOf,
	readCheckpoint,
} from "../checkpoints";
import { type GrowingTree, isSameHash } from "../merkle";
import { type Archive, ObjectMissingError } from "../object-store/archive";
import type { ReportFault } from "./fault";

const PAGE = 1_000;

/** Returns the number of rows, and all signed roots in the order of their sizes. */
export async function checkCheckpoints(
	{ sql, archive }: { readonly sql: Sql; readonly archive: Archive },
	report: ReportFault,
): Promise<{ readonly rows: number; readonly roots: readonly SignedRoot[] }> {
	const [keys, log] = [await findKeys(sql), await findLog(sql)];
	const origin = log && originOf(log);
	const roots: SignedRoot[] = [];
	const signers = new Set<string>();
	let before: CheckpointRow | undefined;
	for (;;) {
		const page = await findCheckpoints(sql, before?.number ?? 0, PAGE);
		for (const row of page) {
			const key = row.objectKey;
			for (const detail of [
				...findDefects(row, { before, keys, origin }),
				...(await findCopyDefects(archive, key, row.note)),
			])
				report({ docId: null, key, fault: "checkpoint", detail: `checkpoint ${row.number} ${detail}` });
			roots.push({ number: row.number, size: row.size, root: row.root, key });
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
	const rows = roots.length;
	roots.push(...(await readUnlisted({ archive, keys, last: before?.number ?? 0 }, report)));
	return { rows, roots: roots.sort((a, b) => a.size - b.size || a.number - b.number) };
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
		...(before && row.size < before.size ? ["covers fewer leaves than the one before it"] : []),
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
 * checkpoint, or the database is an older copy, which its root then shows.
 */
async function readUnlisted(
	{ archive, keys, last }: { archive: Archive; keys: readonly KeyRow[]; last: number },
	report: ReportFault,
): Promise<SignedRoot[]> {
	const expected = new Set(keys.map(({ name }) => keyObject(name)));
	const roots: SignedRoot[] = [];
	for await (const { key } of archive.list("proof/")) {
		const number = Number(/^proof\/checkpoints\/(\d{12})\.txt$/.exec(key)?.[1] ?? 0);
		if (key.startsWith("proof/leaves/") || expected.has(key) || (number >= 1 && number <= last)) continue;
		const signed = number > last ? await readSigned(archive, key, keys) : undefined;
		if (signed) roots.push({ number, size: signed.size, root: signed.root, key });
		else report({ docId: null, key, fault: "strange", detail: "an object of the proof without a row" });
	}
	return roots;
}

async function readSigned(archive: Archive, key: string, keys: readonly KeyRow[]): Promise<CheckpointText | undefined> {
	try {
		return readCheckpoint(openNote(new TextDecoder().decode(await archive.get(key)), keys).text);
	} catch (error) {
		if (error instanceof NoteError || error instanceof ObjectMissingError) return undefined;
		throw error;
	}
}

type SignedRoot = {
	readonly number: number;
	readonly size: number;
	/** Hex. */
	readonly root: string;
	readonly key: string;
};

/** Compares signed roots with a tree while it grows. Reports the first difference; all later roots differ too. */
export function matchRoots(roots: readonly SignedRoot[], report: ReportFault) {
	let at = 0;
	let isDifferent = false;
	return {
		onTree(tree: Pick<GrowingTree, "size" | "root">): void {
			for (let signed = roots[at]; signed && signed.size <= tree.size(); signed = roots[++at]) {
				const made = tree.root();
				if (isDifferent || isSameHash(made, Buffer.from(signed.root, "hex"))) continue;
				isDifferent = true;
				const detail = `checkpoint ${signed.number} has the root ${signed.root} of ${signed.size} leaves, the leaves have ${Buffer.from(made).toString("hex")}`;
				report({ docId: null, key: signed.key, fault: "checkpoint", detail });
			}
		},
		end(treeSize: number): void {
			for (const { number, size, key } of roots) {
				if (size <= treeSize) continue;
				const detail = `checkpoint ${number} covers ${size} leaves, there are ${treeSize}`;
				report({ docId: null, key, fault: "checkpoint", detail });
			}
		},
	};
}
