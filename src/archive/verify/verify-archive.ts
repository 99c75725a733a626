/**
 * Reads the whole archive again and reports everything that is not as it was archived.
 *
 *   rows of each log in order ──▶ leaf, link, nodes, root      rows without a leaf ──▶ reported
 *        └─ object in the store ──▶ bytes, manifest            nodes without leaves ──▶ reported
 *                                                              the store's list ──▶ objects without a row
 *   checkpoints ──▶ signatures, their chain, their roots, their copies in the store, the lines of leaves there
 *
 * Model: every value is checked on its own, even if another one agrees with it. The index is read in pages and no page is kept, so a million objects
 * need no more memory than a thousand. The service may run during a verification, which checks the leaves that existed at its start.
 */

import type { Sql } from "../../platform/database";
import { toHex } from "../../platform/values";
import { createTree, type LogState, type Piece, readLeafHashes, readLogSizes, rootOfLogs } from "../merkle";
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
	findRemovals,
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
	/** The leaves of all logs. */
	readonly treeSize: number;
	/** Hex, over all logs, recomputed from all leaves; null if some are missing. */
	readonly root: string | null;
	readonly faults: readonly ArchiveFault[];
};

type VerifyDeps = {
	readonly sql: Sql;
	readonly archive: Archive;
	readonly onProgress?: (progress: VerifyProgress) => void;
};

export type VerifyProgress = { readonly objects: number; readonly of: number; readonly faults: number };

const PAGE = 1_024;
const READS_MAX = 16;

export async function verifyArchive(deps: VerifyDeps): Promise<ArchiveReport> {
	const { sql, archive, onProgress } = deps;
	const faults: ArchiveFault[] = [];
	const report: ReportFault = (fault) => faults.push(fault);
	const count = { objects: 0, verified: 0 };
	// Checkpoints signed before the leaves are counted cover no more leaves than the count.
	const { rows: checkpoints, roots } = await checkCheckpoints({ sql, archive }, report);
	const [sizes, of, removals] = [await readLogSizes(sql), await countObjects(sql), await findRemovals(sql)];

	async function checkObjects(expected: readonly Expected[]): Promise<void> {
		const findings: ObjectFinding[] = [];
		await eachAtOnce(expected, READS_MAX, async (one) => {
			const finding = await checkObject(archive, one);
			if (finding) findings.push(finding);
			count.objects++;
			if (!finding) count.verified++;
		});
		await reportFindings(sql, findings, report);
		onProgress?.({ objects: count.objects, of: Math.max(of, count.objects), faults: faults.length });
	}

	async function checkLog(log: number, size: number): Promise<LogState | undefined> {
		const signed = matchRoots(log, roots[log] ?? [], report);
		signed.onTree(createTree());
		const dropped = removals.filter((one) => one.log === log);
		const findKept = (nodes: readonly Piece[]) => findNodes(sql, log, nodes);
		const check = checkLeaves(log, report, signed.onTree, {
			seals: dropped.reduce((sum, { seals }) => sum + seals, 0),
			tenantIds: new Set(dropped.map(({ tenantId }) => tenantId)),
			readHashes: (from, to) => readLeafHashes(sql, log, from, to),
		});
		for (let from = 0; from < size; ) {
			const leaves = await findVerifiedLeaves(sql, { log, from, to: size, limit: PAGE });
			await check.take(leaves, findKept);
			await checkObjects(leaves.flatMap(toExpected));
			from = (leaves.at(-1)?.leafIndex ?? size) + 1;
		}
		await check.end(size, findKept);
		signed.end(size);
		const root = check.root();
		return root && { size, root };
	}

	const states: (LogState | undefined)[] = [];
	for (const [log, size] of sizes.entries()) states.push(await checkLog(log, size));
	const covered = sizes.map((size, log) => Math.min(size, roots[log]?.at(-1)?.size ?? 0));
	await checkLines({ sql, archive }, covered, report);
	for (const { docId, objectKey: key } of await findRowsWithoutLeaf(sql, PAGE))
		report({ docId, key, fault: "leaf", detail: "the index has the object, its tree has no leaf of it" });
	for (const { log, level, index } of await findSurplusNodes(sql, PAGE)) {
		const detail = `node ${index} of level ${level} in log ${log} covers leaves that do not exist`;
		report({ docId: null, key: null, fault: "node", detail });
	}
	await checkUnknownObjects({ sql, archive }, report);
	const whole = states.filter((state) => state !== undefined);
	const root = whole.length === states.length ? toHex(rootOfLogs(whole)) : null;
	return { ...count, checkpoints, treeSize: sizes.reduce((sum, size) => sum + size, 0), root, faults };
}

/** Reports findings, and names the document whose bytes a changed object has. */
async function reportFindings(sql: Sql, findings: readonly ObjectFinding[], report: ReportFault): Promise<void> {
	const owners = await findByDigest(
		sql,
		findings.flatMap(({ found }) => found ?? []),
	);
	// It may have been removed during the check.
	const lost = findings.flatMap(({ lostKey }) => lostKey ?? []);
	const known = await findKnownKeys(sql, lost);
	for (const { fault, found, lostKey } of findings) {
		if (lostKey !== undefined && known.get(lostKey)?.isRemoved !== false) continue;
		const owner = found === undefined ? undefined : owners.get(found);
		report(owner ? { ...fault, detail: `${fault.detail}: those of document ${owner.docId}` } : fault);
	}
}

function toExpected({ objectKey, docId, tenantId, sha256, decidedAt, kept }: VerifiedLeaf): Expected[] {
	return kept ? [{ objectKey, docId, tenantId, sha256: toHex(sha256), decidedAt, kept }] : [];
}
