/**
 * The Ed25519 keys that sign checkpoints and receipts, and the log that they sign for. They are created at first need in the database, so all
 * processes share them. The private part is sealed under the key-encryption key; the public part is in the write-once store too.
 *
 * The newest key signs. Every key verifies for ever, because its signatures are kept for ten years. The previous key signs a new key's public
 * part, so a verifier that knows one key can trust the next.
 */

import { type KeyObject, randomBytes } from "node:crypto";
import { operatorActor, recordAudit } from "../../identity/audit-log";
import type { Sql, Tx } from "../../platform/database";
import { createSealedKey, type Envelope, openSealedKey } from "../../platform/secrets";
import type { Log, Metrics } from "../../platform/telemetry";
import type { Clock, Environment } from "../../platform/values";
import { type Archive, sha256Hex } from "../object-store/archive";
import { ArchiveContradictionError, keyObject, putProof } from "./proof-objects";
import { signNote, toVerifierKey } from "./signed-note";
import { findKeys, findLog, insertKey, type KeyRow, type LogRow, lockCheckpoints } from "./store";

export type CheckpointsDeps = {
	readonly sql: Sql;
	readonly archive: Archive;
	readonly envelope: Envelope;
	readonly environment: Environment;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "archiveContradictions">;
};

export type Signing = Omit<CheckpointsDeps, "log" | "metrics">;

export type SigningKey = KeyRow & { readonly privateKey: KeyObject };

/** The name of a log in its checkpoints. Source: c2sp.org/tlog-checkpoint. */
export function originOf({ environment, logId }: LogRow): string {
	return `sello/archive/${environment}/${logId}`;
}

/** Creates a key if none can sign. It has a transaction of its own, since a signature must never outlive its key's row. */
export async function ensureKey(deps: Signing): Promise<void> {
	const [known] = await findKeys(deps.sql);
	if (known?.sealedPrivateKey) return;
	await deps.sql.begin(async (tx) => {
		await lockCheckpoints(tx);
		const [newest] = await findKeys(tx);
		if (!newest?.sealedPrivateKey) await addKey(tx, deps);
	});
}

/** Creates a new key that signs from now on, for the operator. */
export async function replaceKey(deps: Signing): Promise<KeyRow> {
	const key = await deps.sql.begin(async (tx) => {
		await lockCheckpoints(tx);
		const added = await addKey(tx, deps);
		const did = { actor: operatorActor(), action: "archive-key.rotate", subject: added.name, details: {} };
		await recordAudit(tx, { at: added.madeAt, ...did });
		return added;
	});
	await putKey(deps, key);
	return key;
}

/** Writes the public part into the store, before the key signs anything. */
export function putKey({ archive, clock }: Signing, { name, note }: KeyRow): Promise<void> {
	return putProof(archive, clock.now(), keyObject(name), Buffer.from(note));
}

/** Opens the private part of a key. Throws SealedSecretError, and an Error if there is none. */
export function openKey(row: KeyRow, envelope: Envelope): SigningKey {
	if (!row.sealedPrivateKey)
		throw new Error(`the archive's key ${row.name} has no private part: rotate the archive's key`);
	return { ...row, privateKey: openSealedKey(envelope, row.sealedPrivateKey, archiveKeyContext(row.name)) };
}

/** Within a transaction that holds the lock. Throws: ArchiveContradictionError. */
async function addKey(tx: Tx, deps: Signing): Promise<KeyRow> {
	const madeAt = deps.clock.now();
	const log = (await findLog(tx)) ?? (await nameLog(deps));
	const [former] = await findKeys(tx);
	const nameOf = (key: Uint8Array) => `${originOf(log)}/${sha256Hex(key).slice(0, 8)}`;
	const { publicKey, sealedPrivateKey } = createSealedKey(deps.envelope, (key) => archiveKeyContext(nameOf(key)));
	const name = nameOf(publicKey);
	const line = `${toVerifierKey({ name, publicKey })}\n`;
	// Nothing can sign the first key, or a key whose predecessor lost its private part.
	const note = former?.sealedPrivateKey ? signNote(line, openKey(former, deps.envelope)) : line;
	const row = { number: (former?.number ?? 0) + 1, name, publicKey, sealedPrivateKey, note, madeAt };
	await insertKey(tx, row);
	return row;
}

async function nameLog({ archive, environment }: Signing): Promise<LogRow> {
	// A second log's first checkpoint would conflict with the existing one, and a restored index would look like a second log.
	for await (const { key } of archive.list("proof/"))
		throw new ArchiveContradictionError(`the store has ${key}, and the database has no log: run admin archive restore`);
	return { logId: randomBytes(16).toString("hex"), environment };
}

/** The context that a key's private part is sealed for. */
export function archiveKeyContext(name: string): string {
	return `archive-key|${name}`;
}
