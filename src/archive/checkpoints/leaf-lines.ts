/**
 * Leaves as JSON Lines in the write-once store, so that the index and the order of the leaves can be had from the archive alone.
 *
 * A crash may leave lines that no checkpoint covers yet. They are found by their first leaf's index, held against the tables, and gone on
 * from: the same lines would not always be the same bytes, because a document's retention may have been extended since.
 */
import type { Sql, Tx } from "../../platform/database";
import type { Clock } from "../../platform/values";
import { encodeLeaf, type GrowingTree, hashLeaf } from "../merkle";
import type { Archive } from "../object-store/archive";
import { ArchiveContradictionError, keepProof, leavesFrom, leavesObject, leavesOf } from "./proof-objects";
import { findLeaves, type LeafRow } from "./store";

export type LeafLine = {
	readonly leafIndex: number;
	readonly tenantId: string;
	readonly chainIndex: number;
	readonly docId: string;
	readonly objectKey: string;
	/** Hex. */
	readonly sha256: string;
	/** Null where the public sandbox had forgotten the document before. */
	readonly bytes: number | null;
	readonly decidedAt: string;
	readonly retainUntil: string | null;
	/** What S3 calls the version; absent in files. */
	readonly versionId?: string;
};

type Deps = { readonly sql: Sql | Tx; readonly archive: Archive; readonly clock: Clock };

const LINES_MAX = 10_000;
/** What a line says that never changes. */
const FIXED = ["leafIndex", "tenantId", "chainIndex", "docId", "objectKey", "sha256", "decidedAt"] as const;

/** Writes the lines of leaves `from` to `to`, without `to`, and lets the tree grow by them. Throws: ArchiveContradictionError. */
export async function writeLeaves(
	deps: Deps,
	{ from, to, tree }: { readonly from: number; readonly to: number; readonly tree: GrowingTree },
): Promise<void> {
	for (let first = from; first < to; ) {
		const standing = await findStanding(deps.archive, first);
		const last = standing?.last ?? Math.min(first + LINES_MAX, to) - 1;
		if (last >= to)
			throw new ArchiveContradictionError(`the store has lines of leaf ${last}, the tables only ${to} leaves`);
		const leaves = await findLeaves(deps.sql, first, last + 1);
		for (const leaf of leaves) tree.append(checkLeaf(leaf));
		const lines = leaves.map(toLine);
		if (lines.length !== last + 1 - first) throw new ArchiveContradictionError(`leaves from ${first} on are missing`);
		if (standing) checkStanding(standing.key, readLines(await deps.archive.get(standing.key)), lines);
		else await keepProof(deps.archive, deps.clock.now(), leavesObject(first, last), encode(lines));
		first = last + 1;
	}
}

/** Throws: SyntaxError for what is no JSON. */
export function readLines(bytes: Uint8Array): LeafLine[] {
	const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	return text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as LeafLine);
}

async function findStanding(archive: Archive, first: number): Promise<{ key: string; last: number } | undefined> {
	for await (const { key } of archive.list(leavesFrom(first))) {
		const place = leavesOf(key);
		if (place) return { key, last: place.last };
	}
	return undefined;
}

/** The leaf's hash, made again. */
function checkLeaf({ leafIndex, docId, sha256, decidedAt, leafHash }: LeafRow): Uint8Array {
	const hash = hashLeaf(encodeLeaf({ docId, sha256: Buffer.from(sha256, "hex"), decidedAt }));
	if (Buffer.from(hash).toString("hex") !== leafHash)
		throw new ArchiveContradictionError(`leaf ${leafIndex} has the hash of another document`);
	return hash;
}

function checkStanding(key: string, standing: readonly LeafLine[], lines: readonly LeafLine[]): void {
	if (standing.length !== lines.length || !lines.every((line, i) => isSameLine(line, standing[i])))
		throw new ArchiveContradictionError(`${key} holds other leaves than the tables`);
}

/** True when both tell of the same leaf; dates of retention may differ. */
function isSameLine(line: LeafLine, other: LeafLine | undefined): boolean {
	return FIXED.every((name) => line[name] === other?.[name]);
}

/** What the store is told of a leaf. */
export function toLine(row: LeafRow): LeafLine {
	const { leafIndex, tenantId, chainIndex, docId, objectKey, sha256, bytes, versionId } = row;
	return {
		...{ leafIndex, tenantId, chainIndex, docId, objectKey, sha256, bytes },
		decidedAt: row.decidedAt.toISOString(),
		retainUntil: row.retainUntil?.toISOString() ?? null,
		...(versionId === null ? {} : { versionId }),
	};
}

function encode(lines: readonly LeafLine[]): Uint8Array {
	return new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
