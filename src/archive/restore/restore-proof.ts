/** Gives the database back the log, the keys' public parts and the checkpoints. A restored key signs nothing: the next checkpoint makes a new one. */
import type { Tx } from "../../platform/database";
import {
	type CheckpointRow,
	findCheckpoints,
	findKeys,
	findLog,
	insertCheckpoint,
	insertKey,
	insertLog,
} from "../checkpoints/store";
import type { Proof } from "./read-proof";
import { RestoreRefusedError } from "./refused";

const PAGE = 1_000;

/** Answers how many checkpoints were new. Throws RestoreRefusedError for what stands otherwise. */
export async function restoreProof(tx: Tx, proof: Proof): Promise<number> {
	const { logId, environment, checkpoints } = proof;
	const [first] = checkpoints;
	const log = await findLog(tx);
	if (log && logId !== log.logId) {
		const own = logId === undefined ? "has no checkpoint" : `is the log ${logId}`;
		if (logId !== undefined || (await findCheckpoints(tx, 0, 1)).length > 0)
			throw new RestoreRefusedError(`the database is of the log ${log.logId}, the archive ${own}`);
	}
	if (!first || logId === undefined || environment === undefined) return 0;
	if (!log) await insertLog(tx, { logId, environment }, first.madeAt);
	await restoreKeys(tx, proof);
	return restoreCheckpoints(tx, checkpoints);
}

async function restoreKeys(tx: Tx, { keys }: Proof): Promise<void> {
	const standing = await findKeys(tx);
	let number = standing[0]?.number ?? 0;
	for (const { name, publicKey, note, madeAt } of keys) {
		const same = standing.find((key) => key.name === name);
		if (same && !Buffer.from(same.publicKey).equals(publicKey))
			throw new RestoreRefusedError(`the database has another key ${name}`);
		if (same) continue;
		number++;
		await insertKey(tx, { number, name, publicKey, sealedPrivateKey: null, note, madeAt });
	}
}

async function restoreCheckpoints(tx: Tx, checkpoints: readonly CheckpointRow[]): Promise<number> {
	let added = 0;
	let standing: CheckpointRow[] = [];
	for (const [i, checkpoint] of checkpoints.entries()) {
		if (i % PAGE === 0) standing = await findCheckpoints(tx, i, PAGE);
		const same = standing[i % PAGE];
		if (same && same.note !== checkpoint.note)
			throw new RestoreRefusedError(`the database has another checkpoint ${checkpoint.number}`);
		if (same) continue;
		await insertCheckpoint(tx, checkpoint);
		added++;
	}
	const [surplus] = await findCheckpoints(tx, checkpoints.length, 1);
	if (surplus) throw new RestoreRefusedError(`the database has checkpoint ${surplus.number}, the store does not`);
	return added;
}
