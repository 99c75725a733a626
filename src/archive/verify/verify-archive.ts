/**
 * Reads the whole archive again and names everything that is not as it was.
 *
 *   leaves in their order ──▶ hash, link, nodes, root          rows without a leaf ──▶ told
 *        ├─ row of the index ──▶ same document, digest, time   nodes without leaves ──▶ told
 *        └─ object in the store ──▶ bytes, manifest            the store's list ──▶ objects that no row knows
 *   checkpoints ──▶ signatures, their chain, their roots, their copies in the store, the lines of leaves there
 *
 * Model: nothing is believed because it stands beside something else that agrees. The index is read in pages, several objects at a time, and no
 * page is kept, so a million objects need no more memory than a thousand. The service may go on meanwhile: what is judged are the leaves
 * that stood when the verification began.
 */
import type { Sql } from "../../platform/database";
import type { Environment } from "../../platform/values";
import { growTree, readTreeSize } from "../merkle";
import type { Archive } from "../object-store/archive";
import { eachAtOnce } from "./at-once";
import { checkCheckpoints, matchRoots } from "./check-checkpoints";
import { checkLeaves, checkLines } from "./check-leaves";
import { checkObject, checkStrange, type Expected, type ObjectFinding } from "./check-objects";
import type { ArchiveFault, Tell } from "./fault";
import {
	countObjects,
	findByDigest,
	findKnownKeys,
	findNodes,
	findRowsWithoutLeaf,
	findSurplusNodes,
	findVerifiedLeaves,
	type VerifiedLeaf,
} from "./store";

export type ArchiveReport = {
	/** Rows of the index. */
	readonly objects: number;
	/** Those whose objects are as they were archived. */
	readonly verified: number;
	/** Signed ones. */
	readonly checkpoints: number;
	readonly treeSize: number;
	/** Hex, made again from all leaves; null when leaves are missing. */
	readonly root: string | null;
	readonly faults: readonly ArchiveFault[];
};

type VerifyDeps = {
	readonly sql: Sql;
	readonly archive: Archive;
	readonly environment: Environment;
	readonly onProgress?: (progress: VerifyProgress) => void;
};

export type VerifyProgress = { readonly objects: number; readonly of: number; readonly faults: number };

const PAGE = 1_024;
const READS_MAX = 16;

export async function verifyArchive(deps: VerifyDeps): Promise<ArchiveReport> {
	const { sql, archive, environment, onProgress } = deps;
	// Where documents are forgotten, leaves stay behind.
	const isForgetful = environment === "public-sandbox";
	const faults: ArchiveFault[] = [];
	const tell: Tell = (fault) => faults.push(fault);
	const count = { objects: 0, verified: 0 };
	// What was signed before the leaves are counted covers no more than are there.
	const { rows: checkpoints, roots } = await checkCheckpoints({ sql, archive }, tell);
	const [treeSize, of] = [await readTreeSize(sql), await countObjects(sql)];
	const signed = matchRoots(roots, tell);
	signed.onTree(growTree());

	async function checkObjects(expected: readonly Expected[]): Promise<void> {
		const findings: ObjectFinding[] = [];
		await eachAtOnce(expected, READS_MAX, async (one) => {
			const finding = await checkObject(archive, one);
			if (finding) findings.push(finding);
			if (one.row) count.objects++;
			if (one.row && !finding) count.verified++;
		});
		await tellFindings(sql, findings, tell);
		onProgress?.({ objects: count.objects, of: Math.max(of, count.objects), faults: faults.length });
	}

	const check = checkLeaves(tell, signed.onTree);
	for (let from = 0; from < treeSize; ) {
		const leaves = await findVerifiedLeaves(sql, { from, to: treeSize, limit: PAGE, isForgetful });
		await check.take(leaves, (nodes) => findNodes(sql, nodes));
		for (const leaf of leaves) checkRow(leaf, tell);
		await checkObjects(leaves.filter((leaf) => leaf.row || !leaf.isLetGo).map(toExpected));
		from = (leaves.at(-1)?.leafIndex ?? treeSize) + 1;
	}
	check.end(treeSize);
	signed.end(treeSize);
	await checkLines({ sql, archive }, Math.min(treeSize, roots.at(-1)?.size ?? 0), tell);

	for (let after = ""; ; ) {
		const rows = await findRowsWithoutLeaf(sql, { after, limit: PAGE });
		for (const { docId, objectKey } of rows)
			tell({ docId, key: objectKey, fault: "leaf", detail: "the index has the object, the tree has no leaf of it" });
		await checkObjects(rows.map((row) => ({ ...row, row })));
		const last = rows.at(-1);
		if (!last) break;
		after = last.objectKey;
	}
	for (const { level, index } of await findSurplusNodes(sql, PAGE)) {
		const detail = `node ${index} of level ${level} stands over leaves that are not there`;
		tell({ docId: null, key: null, fault: "node", detail });
	}
	await checkStrange({ sql, archive, isForgetful }, tell);
	const root = check.root();
	return { ...count, checkpoints, treeSize, root: root ? Buffer.from(root).toString("hex") : null, faults };
}

/** Tells what a changed object holds where that is another document. */
async function tellFindings(sql: Sql, findings: readonly ObjectFinding[], tell: Tell): Promise<void> {
	const owners = await findByDigest(
		sql,
		findings.flatMap(({ found }) => found ?? []),
	);
	// What was let go while we looked has lost its row too.
	const lost = findings.flatMap(({ lostKey }) => lostKey ?? []);
	const known = await findKnownKeys(sql, lost);
	for (const { fault, found, lostKey } of findings) {
		if (lostKey !== undefined && !known.get(lostKey)?.hasRow) continue;
		const owner = found === undefined ? undefined : owners.get(found);
		tell(owner ? { ...fault, detail: `${fault.detail}: those of document ${owner.docId}` } : fault);
	}
}

function checkRow(leaf: VerifiedLeaf, tell: Tell): void {
	const { docId, objectKey: key, row, leafIndex } = leaf;
	if (!row) {
		const detail = `leaf ${leafIndex} has no row in the index`;
		if (!leaf.isLetGo) tell({ docId, key, fault: "row", detail });
		return;
	}
	const differing = [
		...(row.docId === docId ? [] : [`document ${row.docId}, not ${docId}`]),
		...(row.tenantId === leaf.tenantId ? [] : [`tenant ${row.tenantId}, not ${leaf.tenantId}`]),
		...(row.sha256 === toHex(leaf.sha256) ? [] : [`the digest ${row.sha256}, not ${toHex(leaf.sha256)}`]),
		...(row.decidedAt.getTime() === leaf.decidedAt.getTime()
			? []
			: [`the decision at ${row.decidedAt.toISOString()}, not ${leaf.decidedAt.toISOString()}`]),
	];
	if (differing.length === 0) return;
	tell({
		docId,
		key,
		fault: "row",
		detail: `the index's row differs from leaf ${leafIndex}: it has ${differing.join(", ")}`,
	});
}

function toExpected({ objectKey, docId, tenantId, sha256, decidedAt, row }: VerifiedLeaf): Expected {
	return { objectKey, docId, tenantId, sha256: toHex(sha256), decidedAt, row };
}

function toHex(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("hex");
}
