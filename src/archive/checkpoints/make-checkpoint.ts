/**
 * Signs a checkpoint of all leaves.
 *
 *   key ──▶ lock ──▶ adopt notes in the store without a row ──▶ leaves' lines ──▶ roots recomputed ──▶ list of logs ──▶ signed note ──▶ row
 *                                                               └──────────────── into the store ──────────────────────────────┘
 *
 * Model: one number, one note. A note in the store is final; the row only makes it findable. So the note comes before the row, and a note
 * without a row, after a crash or in a restored database, is adopted instead of signing another one with its number. Names in the store depend on
 * numbers and sizes alone, so a second writer meets the first one's object and stops. A list of logs without a note, after a crash, is signed as it is.
 *
 * Checked before a signature: the tables' trees still have the last signed roots at the last signed sizes; every new leaf hashes to its data; grown
 * leaf by leaf from there, each root is the one that proofs will use. So each new tree begins with the old one, even if the tables were changed.
 * A contradiction is never signed.
 *
 * What fails: a crash between the steps leaves lines, a list or a note, which the next run finds. If the lock is lost with its connection, another
 * writer's bytes have the same name: ArchiveConflictError, and nothing is signed twice.
 */

import type { Sql, Tx } from "../../platform/database";
import { failpoint } from "../../platform/failpoints";
import { toHex } from "../../platform/values";
import {
	type CompletedSubtree,
	createTree,
	type GrowingTree,
	readConsistencyProof,
	readLeafHashes,
	readLogSizes,
	readRoots,
	verifyConsistency,
} from "../merkle";
import { type Archive, ObjectMissingError, sha256Hex } from "../object-store/archive";
import { ensureKey, openKey, originOf, putKey, replaceKey, type Signing } from "./keys";
import { writeLeaves } from "./leaf-lines";
import { readLogs, rootOver, type SignedLog, sizeOfLogs, writeLogs } from "./log-list";
import { ArchiveContradictionError, checkpointObject, logsObject, putProof } from "./proof-objects";
import {
	NOTHING_BEFORE,
	NoteError,
	openNote,
	readCheckpoint,
	signNote,
	toVerifierKey,
	writeCheckpoint,
} from "./signed-note";
import {
	type CheckpointRow,
	findKeys,
	findLog,
	findNewestCheckpoint,
	findPeaks,
	insertCheckpoint,
	lockCheckpoints,
} from "./store";

/**
 * The newest checkpoint, signed now unless `isEnough` accepts the existing one; `isEnough` is called under the lock. Throws
 * ArchiveContradictionError, and errors of the store.
 */
export async function makeCheckpoint(
	deps: Signing,
	isEnough: (newest: CheckpointRow, tx: Tx) => boolean | Promise<boolean>,
): Promise<CheckpointRow> {
	await ensureKey(deps);
	return deps.sql.begin(async (tx) => {
		await lockCheckpoints(tx);
		const adopted = await adoptNotes(tx, deps, await findNewestCheckpoint(tx));
		const begun = await readText(deps.archive, logsObject(nextAfter(adopted)));
		const newest = begun === undefined ? adopted : await sign(tx, deps, adopted, begun);
		return newest && (await isEnough(newest, tx)) ? newest : sign(tx, deps, newest, undefined);
	});
}

function nextAfter(before: CheckpointRow | undefined): number {
	return (before?.number ?? 0) + 1;
}

/** `begun` is the list of logs of an earlier attempt. */
async function sign(
	tx: Tx,
	deps: Signing,
	before: CheckpointRow | undefined,
	begun: string | undefined,
): Promise<CheckpointRow> {
	const { archive, clock } = deps;
	const [log, [row]] = [await findLog(tx), await findKeys(tx)];
	if (!log || !row) throw new Error("the archive has no key");
	const key = openKey(row, deps.envelope);
	const number = nextAfter(before);
	const listed = logsObject(number);
	const sizes = begun === undefined ? await readLogSizes(tx) : readLogs(begun, listed).map(({ size }) => size);
	const logs = await growTo(tx, deps, { before, sizes });
	const list = writeLogs(logs);
	if (begun !== undefined && begun !== list)
		throw new ArchiveContradictionError(`${listed} in the store has other roots than the tables`);
	failpoint("checkpoint-leaves");
	if (begun === undefined) await putProof(archive, clock.now(), listed, Buffer.from(list));
	failpoint("checkpoint-listed");
	const [size, root] = [sizeOfLogs(logs), rootOver(logs)];
	const madeAt = new Date(Math.max(clock.now().getTime(), before?.madeAt.getTime() ?? 0));
	const previous = before ? hashNote(before.note) : NOTHING_BEFORE;
	const note = signNote(writeCheckpoint({ origin: originOf(log), size, root, previous, madeAt }), key);
	const objectKey = checkpointObject(number);
	if (before?.keyName !== key.name) await putKey(deps, key);
	await putProof(archive, clock.now(), objectKey, Buffer.from(note));
	failpoint("checkpoint-written");
	const made = { number, size, logs, root, previous, madeAt, note, keyName: key.name, objectKey };
	await insertCheckpoint(tx, made);
	return made;
}

/** Writes the lines of new leaves and returns the logs with their new roots. */
async function growTo(
	tx: Tx,
	{ archive, clock }: Signing,
	{ before, sizes }: { readonly before: CheckpointRow | undefined; readonly sizes: readonly number[] },
): Promise<SignedLog[]> {
	const reached = await readLogSizes(tx);
	for (const [log, size] of sizes.entries()) {
		const from = before?.logs[log]?.size ?? 0;
		if (size < from)
			throw new ArchiveContradictionError(
				`checkpoint ${before?.number} has ${from} leaves of log ${log}, the tables ${size}`,
			);
		if (size > (reached[log] ?? 0))
			throw new ArchiveContradictionError(`the store lists ${size} leaves of log ${log}, which the tables do not have`);
	}
	if (before) await checkRoots(tx, before.logs, `checkpoint ${before.number}`);
	const grown: SignedLog[] = [];
	for (const [log, size] of sizes.entries()) {
		const signed = before?.logs[log];
		if (signed?.size === size) {
			grown.push(signed);
			continue;
		}
		const tree = await loadTree(tx, log, signed?.size ?? 0);
		if (signed && toHex(tree.root()) !== signed.root)
			throw new ArchiveContradictionError(
				`the first ${signed.size} leaves of log ${log} have another root than checkpoint ${before?.number}`,
			);
		await writeLeaves({ sql: tx, archive, clock }, { log, to: size, tree });
		grown.push({ size, root: toHex(tree.root()) });
	}
	await checkGrowth(tx, { before, logs: grown });
	return grown;
}

/** Compares the roots that the tables' nodes lead to. Throws: ArchiveContradictionError. */
async function checkRoots(sql: Sql | Tx, logs: readonly SignedLog[], of: string): Promise<void> {
	const roots = await readRoots(
		sql,
		logs.map(({ size }) => size),
	).catch((error: unknown) => {
		throw new ArchiveContradictionError(`the tables do not have the leaves of ${of}: ${String(error)}`);
	});
	const at = logs.findIndex(({ root }, log) => root !== toHex(roots[log] ?? new Uint8Array()));
	if (at >= 0)
		throw new ArchiveContradictionError(`the first ${logs[at]?.size} leaves of log ${at} have another root than ${of}`);
}

/** Proofs use the tables' nodes, so these must lead to the same roots. */
async function checkGrowth(
	sql: Sql | Tx,
	{ before, logs }: { before: CheckpointRow | undefined; logs: readonly SignedLog[] },
): Promise<void> {
	await checkRoots(sql, logs, "the leaves themselves");
	for (const [log, { size, root }] of logs.entries()) {
		const signed = before?.logs[log];
		if (!signed || (signed.size === size && signed.root === root)) continue;
		const proof = await readConsistencyProof(sql, log, signed.size, size);
		const [root1, root2] = [Buffer.from(signed.root, "hex"), Buffer.from(root, "hex")];
		if (!verifyConsistency({ size1: signed.size, size2: size, root1, root2, proof }))
			throw new ArchiveContradictionError(
				`${size} leaves of log ${log} do not begin with those of checkpoint ${before?.number}`,
			);
	}
}

/** Writes rows for notes in the store that have none. Returns the newest checkpoint. Throws: ArchiveContradictionError. */
async function adoptNotes(tx: Tx, deps: Signing, known: CheckpointRow | undefined): Promise<CheckpointRow | undefined> {
	let newest = known;
	for (;;) {
		const number = (newest?.number ?? 0) + 1;
		const note = await readText(deps.archive, checkpointObject(number));
		if (note === undefined) return newest;
		newest = await checkNote(tx, deps.archive, { number, note, before: newest });
		await insertCheckpoint(tx, newest);
	}
}

async function checkNote(
	tx: Tx,
	archive: Archive,
	{ number, note, before }: { number: number; note: string; before: CheckpointRow | undefined },
): Promise<CheckpointRow> {
	const objectKey = checkpointObject(number);
	const refuse = (fault: string): never => {
		throw new ArchiveContradictionError(`${objectKey} in the store ${fault}`);
	};
	const log = await findLog(tx);
	const { text, keyName } = await readSigned(tx, note).catch((error) => {
		if (error instanceof NoteError) return refuse(`is ${error.message}`);
		throw error;
	});
	const { origin, size, root, previous, madeAt } = text;
	if (!log || origin !== originOf(log)) refuse("is of another log");
	if (previous !== (before ? hashNote(before.note) : NOTHING_BEFORE))
		refuse(`does not follow checkpoint ${number - 1}`);
	const list = await readText(archive, logsObject(number));
	const logs = list === undefined ? refuse("has no list of logs") : readLogs(list, logsObject(number));
	if (sizeOfLogs(logs) !== size || rootOver(logs) !== root) refuse("is not of its list of logs");
	await checkGrowth(tx, { before, logs });
	return { number, size, logs, root, previous, madeAt, note, keyName, objectKey };
}

async function readSigned(tx: Tx, note: string) {
	const { text, key } = openNote(note, await findKeys(tx));
	return { text: readCheckpoint(text), keyName: key.name };
}

async function readText(archive: Archive, objectKey: string): Promise<string | undefined> {
	try {
		return new TextDecoder().decode(await archive.get(objectKey));
	} catch (error) {
		if (error instanceof ObjectMissingError) return undefined;
		throw error;
	}
}

/** SHA-256 of a whole note in hex. */
export function hashNote(note: string): string {
	return sha256Hex(note);
}

/** Leaves of the smallest subtree that has a node in the tables; the rest is read from the leaves. */
const LEAVES_MAX = 16;

/** Loads the tree of a log's first `size` leaves from the tables. Throws ArchiveContradictionError if a node is missing. */
async function loadTree(sql: Sql | Tx, log: number, size: number): Promise<GrowingTree> {
	const below = size % LEAVES_MAX;
	const peaks: CompletedSubtree[] = await findPeaks(sql, log, size);
	const tree = createTree(peaks);
	if (tree.size() !== size - below)
		throw new ArchiveContradictionError(`log ${log} has nodes of ${tree.size()} leaves only, where there are ${size}`);
	// Not from their seals, which may have been dropped.
	for (const hash of await readLeafHashes(sql, log, size - below, size)) tree.append(hash);
	return tree;
}

type RotatedKey = {
	readonly name: string;
	/** In the form for verifiers. */
	readonly key: string;
	/** The number of the first checkpoint that it signed, which covers all leaves. */
	readonly checkpoint: number;
	readonly size: number;
};

/** Replaces the signing key and signs a checkpoint with the new one. Former keys verify for ever. */
export async function rotateKey(deps: Signing): Promise<RotatedKey> {
	const key = await replaceKey(deps);
	const { number, size } = await makeCheckpoint(deps, (newest) => newest.keyName === key.name);
	return { name: key.name, key: toVerifierKey(key), checkpoint: number, size };
}
