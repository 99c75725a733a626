/**
 * Recomputes the trees and the chains from the index's rows and compares them with the tables and with the lines in the store.
 *
 *   row's data ──▶ leaf ──▶ nodes of 16 leaves and more ──▶ root
 *        └── with the previous link ──▶ its link
 *
 * Each cause is reported once: differences above a wrong leaf or node are not reported again.
 *
 * Seals that were dropped after their retention leave gaps. Their leaves' hashes are in the tables, and what they are made of in the store's lines.
 */

import type { Sql } from "../../platform/database";
import { findLeaves, type LeafLine, type LeafRow, type LeavesPlace, leavesOf, readLines } from "../checkpoints";
import {
	createTree,
	encodeLeaf,
	type GrowingTree,
	hashLeaf,
	isSameHash,
	LEVEL_MIN,
	NO_LINK,
	nextLink,
	readLeafHashes,
} from "../merkle";
import type { Archive } from "../object-store/archive";
import type { ReportFault } from "./fault";
import type { VerifiedLeaf } from "./store";

/** What was dropped of a log. */
export type Removals = {
	readonly seals: number;
	readonly tenantIds: ReadonlySet<string>;
	/** The hashes of leaves, as the tree has them. */
	readonly readHashes: (from: number, to: number) => Promise<Uint8Array[]>;
};

const NONE: Removals = { seals: 0, tenantIds: new Set(), readHashes: async () => [] };

type KeptNode = { readonly level: number; readonly index: number; readonly hash: Uint8Array };

/** A leaf, undefined if its seal was dropped, its hash, recomputed if there is one, and the nodes that it completes. */
type Grown = { readonly leaf?: VerifiedLeaf; readonly hash: Uint8Array; readonly nodes: readonly KeptNode[] };

/** Returns the stored nodes at these positions: `level/index` → hash. */
type FindKept = (nodes: readonly KeptNode[]) => Promise<ReadonlyMap<string, Uint8Array>>;

type LeafCheck = {
	/** Checks the next leaves. */
	readonly take: (leaves: readonly VerifiedLeaf[], findKept: FindKept) => Promise<void>;
	/** Reports missing leaves at the end, given their expected number. */
	readonly end: (treeSize: number, findKept: FindKept) => Promise<void>;
	/** The log's root over all leaves; undefined if some are missing. */
	readonly root: () => Uint8Array | undefined;
};

/** Checks one log. Calls `onLeaf` with the tree after each leaf, unless one is missing. */
export function checkLeaves(
	log: number,
	report: ReportFault,
	onLeaf: (tree: GrowingTree) => void = () => undefined,
	removals: Removals = NONE,
): LeafCheck {
	const tree = createTree();
	let next = 0;
	let isWhole = true;
	let lastFaultyLeaf = -1;
	/** Of the dropped seals, those that no gap has explained yet. */
	let dropped = removals.seals;

	const missing = (to: number) => {
		const which = to - next === 1 ? `leaf ${next} is` : `leaves ${next} to ${to - 1} are`;
		report({
			docId: null,
			key: null,
			fault: "gap",
			detail: `${which} missing in log ${log}: nothing after that can be proved`,
		});
		isWhole = false;
	};

	function append(hash: Uint8Array): readonly KeptNode[] {
		next++;
		if (!isWhole) return [];
		const nodes = tree.append(hash).filter(({ level }) => level >= LEVEL_MIN);
		onLeaf(tree);
		return nodes;
	}

	/** The leaves up to but not including `to`, which have no seals. */
	async function bridge(to: number): Promise<Grown[]> {
		if (to <= next) return [];
		if (to - next > dropped) {
			missing(to);
			next = to;
			return [];
		}
		dropped -= to - next;
		return (await removals.readHashes(next, to)).map((hash) => ({ hash, nodes: append(hash) }));
	}

	function grow(leaf: VerifiedLeaf): Grown {
		const hash = hashLeaf(encodeLeaf(leaf));
		// A second row of a leaf; one of the two has not its hash.
		return { leaf, hash, nodes: leaf.leafIndex < next ? [] : append(hash) };
	}

	async function growAll(leaves: readonly VerifiedLeaf[]): Promise<Grown[]> {
		const grown: Grown[] = [];
		for (const leaf of leaves) grown.push(...(await bridge(leaf.leafIndex)), grow(leaf));
		return grown;
	}

	async function checkGrown(grown: readonly Grown[], findKept: FindKept): Promise<void> {
		const nodes = grown.flatMap((one) => one.nodes);
		const kept = nodes.length > 0 ? await findKept(nodes) : new Map<string, Uint8Array>();
		for (const { leaf, hash, nodes: above } of grown) {
			if (leaf) checkLeaf(leaf, hash);
			for (const node of above) checkNode(node, kept.get(`${node.level}/${node.index}`));
		}
	}

	function checkLeaf(leaf: VerifiedLeaf, hash: Uint8Array): void {
		if (!leaf.leafHash || !isSameHash(hash, leaf.leafHash)) {
			lastFaultyLeaf = leaf.leafIndex;
			report({
				...nameOf(leaf),
				fault: "leaf",
				detail: `leaf ${leaf.leafIndex} of log ${log} has not the hash of its document`,
			});
		}
		const broken = findBrokenLink(leaf, removals.tenantIds.has(leaf.tenantId));
		if (broken !== undefined) report({ ...nameOf(leaf), fault: "chain", detail: broken });
	}

	function checkNode({ level, index, hash }: KeptNode, kept: Uint8Array | undefined): void {
		if (kept && isSameHash(kept, hash)) return;
		const from = index * 2 ** level;
		if (lastFaultyLeaf >= from) return;
		const to = from + 2 ** level - 1;
		// If the leaves are wrong, all nodes above differ too.
		if (kept) lastFaultyLeaf = to;
		const what = kept ? "is not the one of its leaves" : "is missing";
		const detail = `node ${index} of level ${level} in log ${log}, over leaves ${from} to ${to}, ${what}`;
		report({ docId: null, key: null, fault: "node", detail });
	}

	return {
		take: async (leaves, findKept) => checkGrown(await growAll(leaves), findKept),
		end: async (treeSize, findKept) => checkGrown(await bridge(treeSize), findKept),
		root: () => (isWhole ? tree.root() : undefined),
	};
}

function findBrokenLink(leaf: VerifiedLeaf, mayLackPrevious: boolean): string | undefined {
	const { chainIndex, previousHash, previousLeafIndex, leafIndex } = leaf;
	const which = `link ${chainIndex} of tenant ${leaf.tenantId}`;
	// The link before that of an object that is there is never dropped.
	if (previousHash === null && leaf.kept === null && mayLackPrevious) return undefined;
	if (chainIndex > 0 && previousHash === null) return `${which} follows no link: the one before it is missing`;
	if (previousLeafIndex !== null && previousLeafIndex >= leafIndex)
		return `${which} is an earlier leaf than the link before it`;
	const expected = nextLink(previousHash ?? NO_LINK, leaf);
	return isSameHash(expected, leaf.chainHash)
		? undefined
		: `${which} is not the one of its document and the link before it`;
}

function nameOf({ docId, objectKey }: VerifiedLeaf) {
	return { docId, key: objectKey };
}

/** Checks the lines of leaves in the store, from which the index can be restored. `covered` has for each log how many leaves must have lines. */
export async function checkLines(
	{ sql, archive }: { readonly sql: Sql; readonly archive: Archive },
	covered: readonly number[],
	report: ReportFault,
): Promise<void> {
	const next = covered.map(() => 0);
	const expectFrom = (log: number, to: number) => {
		const from = next[log] ?? 0;
		if (from >= to) return;
		const detail = `the store has no lines of leaves ${from} to ${to - 1} of log ${log}`;
		report({ docId: null, key: null, fault: "checkpoint", detail });
	};
	for await (const { key } of archive.list("proof/leaves/")) {
		const place = leavesOf(key);
		if (!place) {
			report({ docId: null, key, fault: "strange", detail: "an object among the lines of leaves that has none" });
			continue;
		}
		const { log, first, last } = place;
		expectFrom(log, Math.min(first, covered[log] ?? 0));
		next[log] = Math.max(next[log] ?? 0, last + 1);
		const lines = await archive.get(key).then(readLines, () => undefined);
		const detail = lines ? await findDifference(sql, place, lines) : "the lines cannot be read";
		if (detail !== undefined) report({ docId: null, key, fault: "checkpoint", detail });
	}
	for (const [log, size] of covered.entries()) expectFrom(log, size);
}

async function findDifference(
	sql: Sql,
	{ log, first, last }: LeavesPlace,
	lines: readonly LeafLine[],
): Promise<string | undefined> {
	if (lines.length !== last - first + 1) return `there are ${lines.length} lines for ${last - first + 1} leaves`;
	const leaves = new Map((await findLeaves(sql, log, first, last + 1)).map((leaf) => [leaf.leafIndex, leaf]));
	const hashes = await readLeafHashes(sql, log, first, last + 1);
	if (hashes.length < lines.length) return `there are lines of leaves from ${first + hashes.length} on, and no leaves`;
	const at = lines.findIndex((line, i) => {
		const leaf = leaves.get(first + i);
		return leaf ? !isLineOf(line, log, leaf) : !isMadeOf(hashes[i], line);
	});
	return at < 0 ? undefined : `the line of leaf ${first + at} differs from the leaf`;
}

function isLineOf(line: LeafLine, log: number, leaf: LeafRow): boolean {
	return (
		line.log === log &&
		line.leafIndex === leaf.leafIndex &&
		line.tenantId === leaf.tenantId &&
		line.chainIndex === leaf.chainIndex &&
		line.docId === leaf.docId &&
		line.objectKey === leaf.objectKey &&
		line.sha256 === leaf.sha256 &&
		line.decidedAt === leaf.decidedAt.toISOString()
	);
}

function isMadeOf(hash: Uint8Array | undefined, { docId, sha256, decidedAt }: LeafLine): boolean {
	const made = hashLeaf(encodeLeaf({ docId, sha256: Buffer.from(sha256, "hex"), decidedAt: new Date(decidedAt) }));
	return hash !== undefined && isSameHash(made, hash);
}
