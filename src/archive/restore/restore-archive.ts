/**
 * Restores the database's index from the archive alone.
 *
 *   proof/keys, proof/checkpoints ──▶ whose log, which roots were signed ─────────────────────────┐
 *   proof/leaves ──▶ leaves in their order ──▶ tree ──▶ the root at each checkpoint is the signed one ┤ one transaction
 *        └─ their sealed objects ──▶ number, type, status                                             │
 *   sealed objects without a line ──▶ in the order of (decidedAt, docId) behind them ─────────────────┘──▶ everything is verified
 *
 * Model: the order of the leaves was signed, so it comes from the lines, and the roots prove that it is the same. Leaves after the last checkpoint
 * have no published order; they get one. A row whose object is damaged or missing is restored from its line, because other proofs depend on its
 * leaf. The verification at the end reports the damage.
 *
 * Existing rows must agree with the archive, otherwise nothing is changed. So a second run changes nothing, and an older copy of the database is
 * completed.
 *
 * Not restored: invoices, companies, API keys, private parts of keys, the time at which an object was archived, and a retention extended after the
 * lines were written if the store has no dates.
 */

import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import type { Sql, Tx } from "../../platform/database";
import { type Environment, ID_PATTERN, toHex } from "../../platform/values";
import { leavesOf, lockCheckpoints, readLines, type SignedLog } from "../checkpoints";
import { type Manifest, readManifest, SealedObjectError } from "../documents/seal";
import { createTree, encodeLeaf, hashLeaf, LOG_COUNT, readLogSizes, readRoots } from "../merkle";
import {
	type Archive,
	ObjectMissingError,
	type StoredObject,
	sealedObjectKey,
	sha256Hex,
} from "../object-store/archive";
import { eachAtOnce, inPacks } from "../verify/at-once";
import { matchRoots } from "../verify/check-checkpoints";
import { PROOF } from "../verify/check-objects";
import { findKnownKeys, findRowsWithoutLeaf } from "../verify/store";
import { type ArchiveReport, type VerifyProgress, verifyArchive } from "../verify/verify-archive";
import { type Proof, readProof, restoreProof } from "./restore-proof";
import {
	appendRows,
	countRows,
	lockLeaves,
	type PlacedRow,
	type RestoredRow,
	RestoreRefusedError,
	readNow,
	restoreRows,
} from "./store";

type RestoreDeps = {
	readonly sql: Sql;
	readonly archive: Archive;
	readonly environment: Environment;
	readonly onProgress?: (progress: VerifyProgress) => void;
};

/** What was new, and the result of the verification afterwards. */
type RestoreReport = ArchiveReport & {
	readonly restored: {
		/** Rows of the index. */
		readonly objects: number;
		readonly leaves: number;
		/** Leaves of objects without a line. */
		readonly withoutLine: number;
		readonly checkpoints: number;
	};
};

const PACK = 1_000;
const READS_MAX = 16;

/** Throws RestoreRefusedError, and changes nothing, if the archive's proof does not hold or the database has another index. */
export async function restoreArchive(deps: RestoreDeps): Promise<RestoreReport> {
	const { sql, archive, environment, onProgress } = deps;
	const proof = await readProof(archive);
	if (proof.environment !== undefined && proof.environment !== environment)
		throw new RestoreRefusedError(
			`the archive is of the environment ${proof.environment}, this deployment is ${environment}`,
		);
	const restored = await sql.begin(async (tx) => {
		await lockCheckpoints(tx);
		await lockLeaves(tx);
		const existing = await readLogSizes(tx);
		const [orphan] = await findRowsWithoutLeaf(tx, 1);
		if (orphan !== undefined)
			throw new RestoreRefusedError(`the index has the row of ${orphan.objectKey} without a leaf`);
		const lines = await restoreLines(tx, deps, { proof, existing });
		const rest = await restoreRest(tx, deps, { lines: lines.sizes, existing });
		const checkpoints = await restoreProof(tx, proof);
		await expectSignedRoots(tx, proof);
		return {
			objects: lines.objects + rest.leaves,
			leaves: lines.leaves + rest.leaves,
			withoutLine: rest.leaves,
			checkpoints,
		};
	});
	const report = await verifyArchive({ sql, archive, ...(onProgress ? { onProgress } : {}) });
	return { restored, ...report };
}

async function restoreLines(
	tx: Tx,
	{ archive, environment }: RestoreDeps,
	{ proof: { checkpoints }, existing }: { readonly proof: Proof; readonly existing: readonly number[] },
): Promise<{ sizes: readonly number[]; leaves: number; objects: number }> {
	const refuse = ({ detail }: { detail: string }) => {
		throw new RestoreRefusedError(detail);
	};
	const logs = existing.map((_, log) => {
		const roots = checkpoints.map((row) => ({ number: row.number, key: row.objectKey, ...stateOf(row, log) }));
		const [tree, signed] = [createTree(), matchRoots(log, roots, refuse)];
		signed.onTree(tree);
		return { tree, signed };
	});
	const now = await readNow(tx);
	const total = { leaves: 0, objects: 0 };
	for await (const { log, lines } of readLeaves(archive, PACK)) {
		const { tree, signed } = logs[log] ?? refuse({ detail: `there is no log ${log}` });
		for (const { leafIndex, docId, sha256, decidedAt } of lines) {
			if (leafIndex < tree.size()) continue;
			const data = { docId, sha256: Buffer.from(sha256, "hex"), decidedAt: new Date(decidedAt) };
			tree.append(hashLeaf(encodeLeaf(data)));
			signed.onTree(tree);
		}
		const rows: PlacedRow[] = [];
		await eachAtOnce(lines, READS_MAX, async (line) => {
			const { row, isMissing } = await describe(archive, line);
			const isOver = row.retainUntil === null || new Date(row.retainUntil) < now;
			// The public sandbox deletes documents: a missing one was deleted after its line was written.
			rows.push({ ...row, isRemoved: isMissing && (isOver || environment === "public-sandbox") });
		});
		rows.sort((a, b) => a.leafIndex - b.leafIndex);
		const [size] = [(await readLogSizes(tx))[log] ?? 0];
		await restoreRows(tx, size, rows);
		const added = rows.filter(({ leafIndex }) => leafIndex >= size);
		total.leaves += added.length;
		total.objects += added.filter(({ isRemoved }) => !isRemoved).length;
	}
	for (const { tree, signed } of logs) signed.end(tree.size());
	return { sizes: logs.map(({ tree }) => tree.size()), ...total };
}

function stateOf({ number, logs }: Proof["checkpoints"][number], log: number): SignedLog {
	const state = logs[log];
	if (!state) throw new Error(`checkpoint ${number} has no log ${log}`);
	return state;
}

async function describe(
	archive: Archive,
	line: Line,
): Promise<{ row: Omit<PlacedRow, "isRemoved">; isMissing: boolean }> {
	const { log, leafIndex, chainIndex, objectKey, docId, tenantId, sha256, bytes, decidedAt, retainUntil } = line;
	const versionId = line.versionId ?? null;
	const row = { log, leafIndex, chainIndex, docId, tenantId, sha256, bytes, decidedAt, retainUntil, versionId };
	const nothing = { encf: null, type: null, status: null };
	if (bytes === null || retainUntil === null)
		return { row: { ...row, bytes: null, retainUntil: null, ...nothing }, isMissing: true };
	const read = await readObject(archive, objectKey, versionId);
	const isSame = read.state === "whole" && read.sha256 === sha256;
	const { encf, type, status } = isSame ? read.manifest : nothing;
	return { row: { ...row, encf, type, status }, isMissing: read.state === "missing" };
}

async function restoreRest(
	tx: Tx,
	{ archive, environment }: RestoreDeps,
	{ lines, existing }: { readonly lines: readonly number[]; readonly existing: readonly number[] },
): Promise<{ leaves: number }> {
	const found: RestoredRow[] = [];
	let seen = 0;
	for await (const pack of inPacks(archive.list(""), PACK)) {
		const documents = pack.filter(({ key }) => !key.startsWith(PROOF));
		const known = await findKnownKeys(
			tx,
			documents.map(({ key }) => key),
		);
		for (const { log, leafIndex, isRemoved } of known.values())
			if (!isRemoved && leafIndex >= (lines[log] ?? 0)) seen++;
		const unknown = documents.filter(({ key }) => !known.has(key));
		await eachAtOnce(unknown, READS_MAX, async (object) => {
			const row = await readRow(archive, object, environment);
			if (row) found.push(row);
		});
	}
	const expected = await countRows(tx, lines, existing);
	if (seen < expected)
		throw new RestoreRefusedError(
			`the index has ${expected - seen} more objects than the archive: it is another archive's, or they are lost`,
		);
	found.sort((a, b) => compare(a.decidedAt, b.decidedAt) || compare(a.docId, b.docId) || compare(a.sha256, b.sha256));
	for (let at = 0; at < found.length; at += PACK) await appendRows(tx, found.slice(at, at + PACK));
	return { leaves: found.length };
}

/** Undefined for an object that is not a whole document of this archive. The verification reports it. */
async function readRow(
	archive: Archive,
	{ key, versionId: version }: StoredObject,
	environment: Environment,
): Promise<RestoredRow | undefined> {
	const versionId = version ?? null;
	const read = await readObject(archive, key, versionId);
	if (read.state !== "whole" || read.manifest.environment !== environment) return undefined;
	const { docId, tenantId, decidedAt, retainUntil, encf, type, status } = read.manifest;
	const { sha256, bytes } = read;
	// The key names the tenant and the digest. A copy under another key belongs to no document.
	if (key !== sealedObjectKey({ tenantId, docId, sha256, decidedAt: new Date(decidedAt) })) return undefined;
	const described = { encf, type, status, isRemoved: false };
	return { docId, tenantId, sha256, bytes, decidedAt, retainUntil, versionId, ...described };
}

/** Checks that the restored nodes lead to the last signed roots. */
async function expectSignedRoots(tx: Tx, { checkpoints }: Proof): Promise<void> {
	const last = checkpoints.at(-1);
	if (!last) return;
	const roots = await readRoots(
		tx,
		last.logs.map(({ size }) => size),
	);
	for (const [log, { root }] of last.logs.entries()) {
		const restored = toHex(roots[log] ?? new Uint8Array());
		if (restored !== root)
			throw new RestoreRefusedError(
				`log ${log} of the restored index has the root ${restored}, checkpoint ${last.number} ${root}`,
			);
	}
}

function compare(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}

const Instant = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" });
const Index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const Line = Type.Object({
	log: Type.Integer({ minimum: 0, maximum: LOG_COUNT - 1 }),
	leafIndex: Index,
	tenantId: Type.String({ pattern: ID_PATTERN }),
	chainIndex: Index,
	docId: Type.String({ pattern: ID_PATTERN }),
	objectKey: Type.String({ minLength: 1 }),
	sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
	bytes: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
	decidedAt: Instant,
	retainUntil: Type.Union([Instant, Type.Null()]),
	versionId: Type.Optional(Type.String()),
});
type Line = Static<typeof Line>;

const line = TypeCompiler.Compile(Line);

/** Reads the lines of leaves from the store in packs, log by log in order. Throws RestoreRefusedError for a gap or a malformed line. */
async function* readLeaves(archive: Archive, packSize: number): AsyncGenerator<{ log: number; lines: Line[] }> {
	const next = new Map<number, number>();
	for await (const { key } of archive.list("proof/leaves/")) {
		const { log, first } = leavesOf(key) ?? {};
		if (log === undefined || first === undefined) continue;
		const expected = next.get(log) ?? 0;
		if (first > expected)
			throw new RestoreRefusedError(
				`the lines of leaves ${expected} to ${first - 1} of log ${log} are missing from the store`,
			);
		const lines = await readLinesOf(archive, key);
		for (const [i, one] of lines.entries()) {
			if (!line.Check(one) || one.log !== log || one.leafIndex !== first + i)
				throw new RestoreRefusedError(`line ${i + 1} of ${key} is not the one of leaf ${first + i}`);
		}
		// A crash may have left lines twice. The tables are compared with both.
		for (let at = 0; at < lines.length; at += packSize) yield { log, lines: lines.slice(at, at + packSize) };
		next.set(log, Math.max(expected, first + lines.length));
	}
}

async function readLinesOf(archive: Archive, key: string): Promise<Line[]> {
	const bytes = await archive.get(key);
	try {
		return readLines(bytes);
	} catch (error) {
		throw new RestoreRefusedError(`${key} does not hold lines of leaves`, error);
	}
}

type ReadObject =
	| { readonly state: "whole"; readonly manifest: Manifest; readonly sha256: string; readonly bytes: number }
	/** Not a sealed object, or not readable. */
	| { readonly state: "damaged" | "missing" };

async function readObject(archive: Archive, key: string, versionId: string | null): Promise<ReadObject> {
	let bytes: Uint8Array;
	try {
		bytes = await archive.get(key, versionId);
	} catch (error) {
		// The verification reports why it cannot be read. Reading continues with the others.
		return { state: error instanceof ObjectMissingError ? "missing" : "damaged" };
	}
	try {
		const manifest = readManifest(bytes);
		return { state: "whole", manifest, sha256: sha256Hex(bytes), bytes: bytes.length };
	} catch (error) {
		if (error instanceof SealedObjectError) return { state: "damaged" };
		throw error;
	}
}
