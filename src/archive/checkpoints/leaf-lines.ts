/**
 * Leaves as JSON Lines in the write-once store, from which the index and the order of the leaves can be restored.
 *
 * A crash may leave lines that no checkpoint covers yet. They are found by the index of their first leaf and compared with the tables. Writing
 * them again could give other bytes, since a document's retention may have been extended in the meantime.
 */
import type { Sql, Tx } from "../../platform/database";
import type { Clock } from "../../platform/values";
import { encodeLeaf, type GrowingTree, hashLeaf } from "../merkle";
import type { Archive } from "../object-store/archive";
import { ArchiveContradictionError, leavesFrom, leavesObject, leavesOf, putProof } from "./proof-objects";
import { findLeaves, type LeafRow } from "./store";

export type LeafLine = {
	readonly log: number;
	readonly leafIndex: number;
	readonly tenantId: string;
	readonly chainIndex: number;
	readonly docId: string;
	readonly objectKey: string;
	/** Hex. */
	readonly sha256: string;
	/** Null if the object had already been removed. */
	readonly bytes: number | null;
	readonly decidedAt: string;
	readonly retainUntil: string | null;
	/** The version's id in S3; absent for files. */
	readonly versionId?: string;
};

type Writing = { readonly sql: Sql | Tx; readonly archive: Archive; readonly clock: Clock };

const LINES_MAX = 10_000;
/** Members of a line that never change. */
const FIXED = ["log", "leafIndex", "tenantId", "chainIndex", "docId", "objectKey", "sha256", "decidedAt"] as const;

/** Writes the lines of a log's leaves up to but not including `to`, and appends them to its tree. Throws: ArchiveContradictionError. */
export async function writeLeaves(
	deps: Writing,
	{ log, to, tree }: { readonly log: number; readonly to: number; readonly tree: GrowingTree },
): Promise<void> {
	for (let first = tree.size(); first < to; ) {
		const existing = await findExisting(deps.archive, log, first);
		const last = existing?.last ?? Math.min(first + LINES_MAX, to) - 1;
		if (last >= to)
			throw new ArchiveContradictionError(
				`the store has lines of leaf ${last} of log ${log}, the tables only ${to} leaves`,
			);
		const leaves = await findLeaves(deps.sql, log, first, last + 1);
		for (const leaf of leaves) tree.append(checkLeaf(leaf));
		const lines = leaves.map(toLine);
		if (lines.length !== last + 1 - first)
			throw new ArchiveContradictionError(`leaves of log ${log} from ${first} on are missing`);
		if (existing) checkExisting(existing.key, readLines(await deps.archive.get(existing.key)), lines);
		else await putProof(deps.archive, deps.clock.now(), leavesObject(log, first, last), encode(lines));
		first = last + 1;
	}
}

/** Throws SyntaxError for a line that is not JSON. */
export function readLines(bytes: Uint8Array): LeafLine[] {
	const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	return text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as LeafLine);
}

async function findExisting(
	archive: Archive,
	log: number,
	first: number,
): Promise<{ key: string; last: number } | undefined> {
	for await (const { key } of archive.list(leavesFrom(log, first))) {
		const place = leavesOf(key);
		if (place) return { key, last: place.last };
	}
	return undefined;
}

function checkLeaf({ log, leafIndex, docId, sha256, decidedAt, leafHash }: LeafRow): Uint8Array {
	const hash = hashLeaf(encodeLeaf({ docId, sha256: Buffer.from(sha256, "hex"), decidedAt }));
	if (Buffer.from(hash).toString("hex") !== leafHash)
		throw new ArchiveContradictionError(`leaf ${leafIndex} of log ${log} has the hash of another document`);
	return hash;
}

function checkExisting(key: string, existing: readonly LeafLine[], lines: readonly LeafLine[]): void {
	if (existing.length !== lines.length || !lines.every((line, i) => isSameLine(line, existing[i])))
		throw new ArchiveContradictionError(`${key} holds other leaves than the tables`);
}

/** True if both are lines of the same leaf; dates of retention may differ. */
function isSameLine(line: LeafLine, other: LeafLine | undefined): boolean {
	return FIXED.every((name) => line[name] === other?.[name]);
}

export function toLine(row: LeafRow): LeafLine {
	const { log, leafIndex, tenantId, chainIndex, docId, objectKey, sha256, bytes, versionId } = row;
	return {
		...{ log, leafIndex, tenantId, chainIndex, docId, objectKey, sha256, bytes },
		decidedAt: row.decidedAt.toISOString(),
		retainUntil: row.retainUntil?.toISOString() ?? null,
		...(versionId === null ? {} : { versionId }),
	};
}

function encode(lines: readonly LeafLine[]): Uint8Array {
	return new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
