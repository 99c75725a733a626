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
import { type Environment, ID_PATTERN } from "../../platform/values";
import { lockCheckpoints, readLines } from "../checkpoints";
import { type Manifest, readManifest, SealedObjectError } from "../documents/seal";
import { createTree, encodeLeaf, hashLeaf, readRoot, readTreeSize } from "../merkle";
import { type Archive, ObjectMissingError, type StoredObject, sha256Hex } from "../object-store/archive";
import { eachAtOnce, inPacks } from "../verify/at-once";
import { matchRoots } from "../verify/check-checkpoints";
import { PROOF } from "../verify/check-objects";
import { type ArchiveReport, type VerifyProgress, verifyArchive } from "../verify/verify-archive";
import { type Proof, readProof, restoreProof } from "./restore-proof";
import {
	countRows,
	findLeafKeys,
	findRowWithoutLeaf,
	type RestoredRow,
	RestoreRefusedError,
	readNow,
	restoreLeaves,
	restoreRemovals,
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
		// Also blocks archiving until the transaction ends.
		await restoreLeaves(tx, []);
		const existing = await readTreeSize(tx);
		const orphan = await findRowWithoutLeaf(tx);
		if (orphan !== undefined) throw new RestoreRefusedError(`the index has the row ${orphan} without a leaf`);
		const lines = await restoreLines(tx, deps, proof);
		const rest = await restoreRest(tx, deps, { lines: lines.count, existing });
		const checkpoints = await restoreProof(tx, proof);
		await expectSignedRoot(tx, proof);
		return {
			objects: lines.objects + rest.leaves,
			leaves: lines.leaves + rest.leaves,
			withoutLine: rest.leaves,
			checkpoints,
		};
	});
	const report = await verifyArchive({ sql, archive, environment, ...(onProgress ? { onProgress } : {}) });
	return { restored, ...report };
}

async function restoreLines(
	tx: Tx,
	{ archive, environment }: RestoreDeps,
	{ checkpoints }: Proof,
): Promise<{ count: number; leaves: number; objects: number }> {
	const tree = createTree();
	const refuse = ({ detail }: { detail: string }) => {
		throw new RestoreRefusedError(detail);
	};
	const signed = matchRoots(
		checkpoints.map(({ number, size, root, objectKey }) => ({ number, size, root, key: objectKey })),
		refuse,
	);
	signed.onTree(tree);
	const now = await readNow(tx);
	const total = { leaves: 0, objects: 0 };
	for await (const lines of readLeaves(archive, PACK)) {
		for (const { leafIndex, docId, sha256, decidedAt } of lines) {
			if (leafIndex < tree.size()) continue;
			const data = { docId, sha256: Buffer.from(sha256, "hex"), decidedAt: new Date(decidedAt) };
			tree.append(hashLeaf(encodeLeaf(data)));
			signed.onTree(tree);
		}
		const rows: RestoredRow[] = [];
		const removed: RestoredRow[] = [];
		await eachAtOnce(lines, READS_MAX, async (line) => {
			const found = await describe(archive, line);
			if (!found) return;
			const { row, isMissing } = found;
			if (!isMissing) rows.push(row);
			else if (new Date(row.retainUntil) < now) removed.push(row);
			// The public sandbox deletes documents: a missing one was deleted after its line was written.
			else if (environment !== "public-sandbox") rows.push(row);
		});
		total.leaves += await restoreLeaves(tx, lines);
		total.objects += await restoreRows(tx, rows);
		await restoreRemovals(tx, removed);
	}
	signed.end(tree.size());
	return { count: tree.size(), ...total };
}

/** Undefined for a leaf whose object was gone when its line was written. */
async function describe(archive: Archive, line: Line): Promise<{ row: RestoredRow; isMissing: boolean } | undefined> {
	const { objectKey, docId, tenantId, sha256, bytes, decidedAt, retainUntil, versionId = null } = line;
	if (bytes === null || retainUntil === null) return undefined;
	const row = { objectKey, docId, tenantId, sha256, bytes, decidedAt, retainUntil, versionId };
	const read = await readObject(archive, objectKey, versionId);
	const isSame = read.state === "whole" && read.sha256 === sha256;
	const { encf, type, status } = isSame ? read.manifest : { encf: null, type: null, status: null };
	return { row: { ...row, encf, type, status }, isMissing: read.state === "missing" };
}

async function restoreRest(
	tx: Tx,
	{ archive, environment }: RestoreDeps,
	{ lines, existing }: { readonly lines: number; readonly existing: number },
): Promise<{ leaves: number }> {
	const found: RestoredRow[] = [];
	let seen = 0;
	for await (const pack of inPacks(archive.list(""), PACK)) {
		const documents = pack.filter(({ key }) => !key.startsWith(PROOF));
		const known = await findLeafKeys(
			tx,
			documents.map(({ key }) => key),
		);
		for (const leafIndex of known.values()) if (leafIndex >= lines) seen++;
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
	found.sort(
		(a, b) => compare(a.decidedAt, b.decidedAt) || compare(a.docId, b.docId) || compare(a.objectKey, b.objectKey),
	);
	let next = await readTreeSize(tx);
	for (let at = 0; at < found.length; at += PACK) {
		const rows = found.slice(at, at + PACK);
		await restoreRows(tx, rows);
		await restoreLeaves(
			tx,
			rows.map((row) => ({ ...row, leafIndex: next++ })),
		);
	}
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
	if (key !== `${tenantId}/${decidedAt.slice(0, 4)}/${docId}-${sha256.slice(0, 16)}.zip`) return undefined;
	return { objectKey: key, docId, tenantId, sha256, bytes, decidedAt, retainUntil, versionId, encf, type, status };
}

/** Checks that the restored nodes lead to the last signed root. */
async function expectSignedRoot(tx: Tx, { checkpoints }: Proof): Promise<void> {
	const last = checkpoints.at(-1);
	if (!last) return;
	const root = Buffer.from(await readRoot(tx, last.size)).toString("hex");
	if (root !== last.root)
		throw new RestoreRefusedError(`the restored index has the root ${root}, checkpoint ${last.number} ${last.root}`);
}

function compare(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}

const Instant = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" });
const Index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const Line = Type.Object({
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
const FORM = /^proof\/leaves\/(\d{12})-(\d{12})\.jsonl$/;

/** Reads the lines of leaves from the store in packs, in order. Throws RestoreRefusedError for a gap or a malformed line. */
async function* readLeaves(archive: Archive, packSize: number): AsyncGenerator<Line[]> {
	let next = 0;
	for await (const { key } of archive.list("proof/leaves/")) {
		const first = Number(FORM.exec(key)?.[1] ?? Number.NaN);
		if (Number.isNaN(first)) continue;
		if (first > next)
			throw new RestoreRefusedError(`the lines of leaves ${next} to ${first - 1} are missing from the store`);
		const lines = await readLinesOf(archive, key);
		for (const [i, one] of lines.entries()) {
			if (!line.Check(one) || one.leafIndex !== first + i)
				throw new RestoreRefusedError(`line ${i + 1} of ${key} is not the one of leaf ${first + i}`);
		}
		// A crash may have left lines twice. The tables are compared with both.
		for (let at = 0; at < lines.length; at += packSize) yield lines.slice(at, at + packSize);
		next = Math.max(next, first + lines.length);
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
