/**
 * Reads the whole archive again and reports everything that is not as it was archived.
 *
 *   leaves in order ──▶ hash, link, nodes, root                rows without a leaf ──▶ reported
 *        ├─ row of the index ──▶ same document, digest, time   nodes without leaves ──▶ reported
 *        └─ object in the store ──▶ bytes, manifest            the store's list ──▶ objects without a row
 *   checkpoints ──▶ signatures, their chain, their roots, their copies in the store, the lines of leaves there
 *
 * Model: every value is checked on its own, even if another one agrees with it. The index is read in pages and no page is kept, so a million objects
 * need no more memory than a thousand. The service may run during a verification, which checks the leaves that existed at its start.
 */

import type { Sql } from "../../platform/database";
import { type Environment, toHex } from "../../platform/values";
import { createTree, readTreeSize } from "../merkle";
import type { Archive } from "../object-store/archive";
import { eachAtOnce } from "./at-once";
import { checkCheckpoints, matchRoots } from "./check-checkpoints";
import { checkLeaves, checkLines } from "./check-leaves";
import { checkObject, checkUnknownObjects, type Expected, type ObjectFinding } from "./check-objects";
import type { ArchiveFault, ReportFault } from "./fault";
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
	readonly objects: number;
	/** Rows whose objects are as they were archived. */
	readonly verified: number;
	readonly checkpoints: number;
	readonly treeSize: number;
	/** Hex, recomputed from all leaves; null if some are missing. */
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
	// The public sandbox deletes documents, but not their leaves.
	const isForgetful = environment === "public-sandbox";
	const faults: ArchiveFault[] = [];
	const report: ReportFault = (fault) => faults.push(fault);
	const count = { objects: 0, verified: 0 };
	// Checkpoints signed before the leaves are counted cover no more leaves than the count.
	const { rows: checkpoints, roots } = await checkCheckpoints({ sql, archive }, report);
	const [treeSize, of] = [await readTreeSize(sql), await countObjects(sql)];
	const signed = matchRoots(roots, report);
	signed.onTree(createTree());

	async function checkObjects(expected: readonly Expected[]): Promise<void> {
		const findings: ObjectFinding[] = [];
		await eachAtOnce(expected, READS_MAX, async (one) => {
			const finding = await checkObject(archive, one);
			if (finding) findings.push(finding);
			if (one.row) count.objects++;
			if (one.row && !finding) count.verified++;
		});
		await reportFindings(sql, findings, report);
		onProgress?.({ objects: count.objects, of: Math.max(of, count.objects), faults: faults.length });
	}

	const check = checkLeaves(report, signed.onTree);
	for (let from = 0; from < treeSize; ) {
		const leaves = await findVerifiedLeaves(sql, { from, to: treeSize, limit: PAGE, isForgetful });
		await check.take(leaves, (nodes) => findNodes(sql, nodes));
		for (const leaf of leaves) checkRow(leaf, report);
		await checkObjects(leaves.filter((leaf) => leaf.row || !leaf.isLetGo).map(toExpected));
		from = (leaves.at(-1)?.leafIndex ?? treeSize) + 1;
	}
	check.end(treeSize);
	signed.end(treeSize);
	await checkLines({ sql, archive }, Math.min(treeSize, roots.at(-1)?.size ?? 0), report);

	for (let after = ""; ; ) {
		const rows = await findRowsWithoutLeaf(sql, { after, limit: PAGE });
		for (const { docId, objectKey } of rows)
			report({ docId, key: objectKey, fault: "leaf", detail: "the index has the object, the tree has no leaf of it" });
		await checkObjects(rows.map((row) => ({ ...row, row })));
		const last = rows.at(-1);
		if (!last) break;
		after = last.objectKey;
	}
	for (const { level, index } of await findSurplusNodes(sql, PAGE)) {
		const detail = `node ${index} of level ${level} covers leaves that do not exist`;
		report({ docId: null, key: null, fault: "node", detail });
	}
	await checkUnknownObjects({ sql, archive, isForgetful }, report);
	const root = check.root();
	return { ...count, checkpoints, treeSize, root: root ? Buffer.from(root).toString("hex") : null, faults };
}

/** Reports findings, and names the document whose bytes a changed object has. */
async function reportFindings(sql: Sql, findings: readonly ObjectFinding[], report: ReportFault): Promise<void> {
	const owners = await findByDigest(
		sql,
		findings.flatMap(({ found }) => found ?? []),
	);
	// An object removed during the check has lost its row too.
	const lost = findings.flatMap(({ lostKey }) => lostKey ?? []);
	const known = await findKnownKeys(sql, lost);
	for (const { fault, found, lostKey } of findings) {
		if (lostKey !== undefined && !known.get(lostKey)?.hasRow) continue;
		const owner = found === undefined ? undefined : owners.get(found);
		report(owner ? { ...fault, detail: `${fault.detail}: those of document ${owner.docId}` } : fault);
	}
}

function checkRow(leaf: VerifiedLeaf, report: ReportFault): void {
	const { docId, objectKey: key, row, leafIndex } = leaf;
	if (!row) {
		const detail = `leaf ${leafIndex} has no row in the index`;
		if (!leaf.isLetGo) report({ docId, key, fault: "row", detail });
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
	report({
		docId,
		key,
		fault: "row",
		detail: `the index's row differs from leaf ${leafIndex}: it has ${differing.join(", ")}`,
	});
}

function toExpected({ objectKey, docId, tenantId, sha256, decidedAt, row }: VerifiedLeaf): Expected {
	return { objectKey, docId, tenantId, sha256: toHex(sha256), decidedAt, row };
}
