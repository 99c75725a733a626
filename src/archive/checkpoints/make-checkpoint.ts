/**
 * Signs a checkpoint of all leaves.
 *
 *   key ──▶ lock ──▶ adopt notes in the store without a row ──▶ leaves' lines ──▶ root recomputed ──▶ signed note ──▶ row
 *                                                               └──── into the store ────┘           into the store
 *
 * Model: one number, one note. A note in the store is final; the row only makes it findable. So the note comes before the row, and a note
 * without a row, after a crash or in a restored database, is adopted instead of signing another one with its number. Names in the store depend on
 * numbers and sizes alone, so a second writer meets the first one's object and stops.
 *
 * Checked before a signature: the tables' tree still has the last signed root at the last signed size; every new leaf hashes to its data; grown
 * leaf by leaf from there, the root is the one that proofs will use. So the new tree begins with the old one, even if the tables were changed.
 * A contradiction is never signed.
 *
 * What fails: a crash between the steps leaves lines or a note, which the next run finds. If the lock is lost with its connection, another writer's
 * bytes have the same name: ArchiveConflictError, and nothing is signed twice.
 */

import type { Sql, Tx } from "../../platform/database";
import { failpoint } from "../../platform/failpoints";
import { toHex } from "../../platform/values";
import {
	type CompletedSubtree,
	createTree,
	type GrowingTree,
	readConsistencyProof,
	readRoot,
	readTreeSize,
	verifyConsistency,
} from "../merkle";
import { type Archive, ObjectMissingError, sha256Hex } from "../object-store/archive";
import { ensureKey, openKey, originOf, putKey, replaceKey, type Signing } from "./keys";
import { writeLeaves } from "./leaf-lines";
import { ArchiveContradictionError, checkpointObject, putProof } from "./proof-objects";
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
	findLeaves,
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
		const newest = await adoptNotes(tx, deps, await findNewestCheckpoint(tx));
		return newest && (await isEnough(newest, tx)) ? newest : sign(tx, deps, newest);
	});
}

async function sign(tx: Tx, deps: Signing, before: CheckpointRow | undefined): Promise<CheckpointRow> {
	const { archive, clock } = deps;
	const [log, [row]] = [await findLog(tx), await findKeys(tx)];
	if (!log || !row) throw new Error("the archive has no key");
	const key = openKey(row, deps.envelope);
	const size = await readTreeSize(tx);
	const root = await growTo(tx, deps, { before, size });
	const madeAt = new Date(Math.max(clock.now().getTime(), before?.madeAt.getTime() ?? 0));
	const previous = before ? hashNote(before.note) : NOTHING_BEFORE;
	const note = signNote(writeCheckpoint({ origin: originOf(log), size, root, previous, madeAt }), key);
	const number = (before?.number ?? 0) + 1;
	const objectKey = checkpointObject(number);
	if (before?.keyName !== key.name) await putKey(deps, key);
	await putProof(archive, clock.now(), objectKey, Buffer.from(note));
	failpoint("checkpoint-written");
	const made = { number, size, root, previous, madeAt, note, keyName: key.name, objectKey };
	await insertCheckpoint(tx, made);
	return made;
}

/** Writes the lines of new leaves and returns the new root. */
async function growTo(
	tx: Tx,
	{ archive, clock }: Signing,
	{ before, size }: { readonly before: CheckpointRow | undefined; readonly size: number },
): Promise<string> {
	const from = before?.size ?? 0;
	if (size < from)
		throw new ArchiveContradictionError(`checkpoint ${before?.number} has ${from} leaves, the tables ${size}`);
	const tree = await loadTree(tx, from);
	if (before && toHex(tree.root()) !== before.root)
		throw new ArchiveContradictionError(`the first ${from} leaves have another root than checkpoint ${before.number}`);
	await writeLeaves({ sql: tx, archive, clock }, { from, to: size, tree });
	failpoint("checkpoint-leaves");
	const root = toHex(tree.root());
	await checkRoot(tx, { before, size, root });
	return root;
}

/** Proofs use the tables' nodes, so these must lead to the same root. */
async function checkRoot(
	sql: Sql | Tx,
	{ before, size, root }: { before: CheckpointRow | undefined; size: number; root: string },
): Promise<void> {
	const root2 = await readRoot(sql, size);
	if (toHex(root2) !== root)
		throw new ArchiveContradictionError(`the nodes of ${size} leaves have another root than the leaves`);
	if (!before) return;
	const proof = await readConsistencyProof(sql, before.size, size);
	if (!verifyConsistency({ size1: before.size, size2: size, root1: Buffer.from(before.root, "hex"), root2, proof }))
		throw new ArchiveContradictionError(`${size} leaves do not begin with those of checkpoint ${before.number}`);
}

/** Writes rows for notes in the store that have none. Returns the newest checkpoint. Throws: ArchiveContradictionError. */
async function adoptNotes(tx: Tx, deps: Signing, known: CheckpointRow | undefined): Promise<CheckpointRow | undefined> {
	let newest = known;
	for (;;) {
		const number = (newest?.number ?? 0) + 1;
		const note = await readNote(deps.archive, checkpointObject(number));
		if (note === undefined) return newest;
		newest = await checkNote(tx, { number, note, before: newest });
		await insertCheckpoint(tx, newest);
	}
}

async function checkNote(
	tx: Tx,
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
	if (size > (await readTreeSize(tx))) refuse(`covers ${size} leaves, which the tables do not have`);
	await checkRoot(tx, { before, size, root });
	return { number, size, root, previous, madeAt, note, keyName, objectKey };
}

async function readSigned(tx: Tx, note: string) {
	const { text, key } = openNote(note, await findKeys(tx));
	return { text: readCheckpoint(text), keyName: key.name };
}

async function readNote(archive: Archive, objectKey: string): Promise<string | undefined> {
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

/** Loads the tree of the first `size` leaves from the tables. Throws ArchiveContradictionError if a node is missing. */
async function loadTree(sql: Sql | Tx, size: number): Promise<GrowingTree> {
	const below = size % LEAVES_MAX;
	const peaks: CompletedSubtree[] = await findPeaks(sql, size);
	const tree = createTree(peaks);
	if (tree.size() !== size - below)
		throw new ArchiveContradictionError(`there are nodes of ${tree.size()} leaves only, where there are ${size}`);
	for (const leaf of await findLeaves(sql, size - below, size)) tree.append(Buffer.from(leaf.leafHash, "hex"));
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
