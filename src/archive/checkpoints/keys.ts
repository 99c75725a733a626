/**
 * The Ed25519 keys that sign checkpoints and receipts, and the log that they sign for. Made at first need, in the database, so that all processes
 * have the same ones; the private part is sealed under the key-encryption key, the public part stands in the write-once store too.
 *
 * The newest key signs; every key verifies for ever, because what it has signed is kept for ten years. A new key's public part is signed by
 * the key before it: who knows one key can believe the next.
 */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { operatorActor, recordAudit } from "../../identity/audit-log";
import type { Sql, Tx } from "../../platform/database";
import type { Envelope } from "../../platform/secrets";
import type { Clock, Environment } from "../../platform/values";
import type { Archive } from "../object-store/archive";
import { ArchiveContradictionError, keepProof, keyObject } from "./proof-objects";
import { signNote, toVerifierKey } from "./signed-note";
import { findKeys, findLog, insertKey, insertLog, type KeyRow, type LogRow, lockCheckpoints } from "./store";

export type KeyDeps = {
	readonly sql: Sql;
	readonly archive: Archive;
	readonly envelope: Envelope;
	readonly environment: Environment;
	readonly clock: Clock;
};

/** A key that can sign. */
export type SigningKey = KeyRow & { readonly privateKey: KeyObject };

/** Source: c2sp.org/tlog-checkpoint: what a log calls itself in every checkpoint. */
export function originOf({ environment, logId }: LogRow): string {
	return `sello/archive/${environment}/${logId}`;
}

/** Makes a key when there is none that can sign. In a transaction of its own: what a key signs must never outlive its row. */
export async function ensureKey(deps: KeyDeps): Promise<void> {
	const [known] = await findKeys(deps.sql);
	if (known?.sealedPrivateKey) return;
	await deps.sql.begin(async (tx) => {
		await lockCheckpoints(tx);
		const [newest] = await findKeys(tx);
		if (!newest?.sealedPrivateKey) await addKey(tx, deps);
	});
}

/** Makes a new key that signs from now on; the operator did it. */
export async function replaceKey(deps: KeyDeps): Promise<KeyRow> {
	const key = await deps.sql.begin(async (tx) => {
		await lockCheckpoints(tx);
		const added = await addKey(tx, deps);
		const did = { actor: operatorActor(), action: "archive-key.rotate", subject: added.name, details: {} };
		await recordAudit(tx, { at: added.madeAt, ...did });
		return added;
	});
	await keepKey(deps, key);
	return key;
}

/** Writes the public part into the store, where it stands before the key signs anything. */
export function keepKey({ archive, clock }: KeyDeps, { name, note }: KeyRow): Promise<void> {
	return keepProof(archive, clock.now(), keyObject(name), Buffer.from(note));
}

/** Opens the private part of a key. Throws: SealedSecretError, and an Error where there is none. */
export function openKey(row: KeyRow, envelope: Envelope): SigningKey {
	if (!row.sealedPrivateKey)
		throw new Error(`the archive's key ${row.name} has no private part: rotate the archive's key`);
	const secret = envelope.open(row.sealedPrivateKey, placeOfArchiveKey(row.name));
	try {
		return { ...row, privateKey: createPrivateKey({ key: secret, format: "der", type: "pkcs8" }) };
	} finally {
		secret.fill(0);
	}
}

/** Within a transaction that holds the lock. Throws: ArchiveContradictionError. */
async function addKey(tx: Tx, deps: KeyDeps): Promise<KeyRow> {
	const madeAt = deps.clock.now();
	const log = (await findLog(tx)) ?? (await addLog(tx, deps, madeAt));
	const [former] = await findKeys(tx);
	const pair = generateKeyPairSync("ed25519");
	const publicKey = new Uint8Array(pair.publicKey.export({ format: "der", type: "spki" }).subarray(-32));
	const digest = createHash("sha256").update(publicKey).digest("hex");
	const name = `${originOf(log)}/${digest.slice(0, 8)}`;
	const secret = pair.privateKey.export({ format: "der", type: "pkcs8" });
	const sealedPrivateKey = deps.envelope.seal(secret, placeOfArchiveKey(name));
	secret.fill(0);
	const line = `${toVerifierKey({ name, publicKey })}\n`;
	// Nobody can vouch for the first key, nor for one whose predecessor is lost.
	const note = former?.sealedPrivateKey ? signNote(line, openKey(former, deps.envelope)) : line;
	const row = { number: (former?.number ?? 0) + 1, name, publicKey, sealedPrivateKey, note, madeAt };
	await insertKey(tx, row);
	return row;
}

async function addLog(tx: Tx, { archive, environment }: KeyDeps, madeAt: Date): Promise<LogRow> {
	// Another log's first checkpoint would meet the standing one under its name, and a restored index could not be told from a second log.
	for await (const { key } of archive.list("proof/"))
		throw new ArchiveContradictionError(
			`the store has ${key}, and the database knows no log: run admin archive restore`,
		);
	const log = { logId: randomBytes(16).toString("hex"), environment };
	await insertLog(tx, log, madeAt);
	return log;
}

/** What the private part of a key is sealed for. */
export function placeOfArchiveKey(name: string): string {
	return `archive-key|${name}`;
}
