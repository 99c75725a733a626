/**
 * The Ed25519 keys that sign tokens. They are in the database, so all processes share them; the private part is sealed under the
 * key-encryption key.
 *
 * One key signs. A rotation adds another and lets the old one verify for 24 more hours, far longer than any token lives. A process learns
 * of a new key by a notification or by an unknown key id. Without notifications it reads the keys every second, so that it neither signs
 * with nor accepts a retired key.
 */
import type { KeyObject } from "node:crypto";
import { importJWK, type JWK } from "jose";
import { retryOnFailure, type Sql, type Tx } from "../../platform/database";
import { createSealedKey, type Envelope, openSealedKey, toPublicJwk } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { type Actor, operatorActor, recordAudit } from "../audit-log";
import { orUnavailable } from "./refusal";
import { randomBase62 } from "./secret";
import {
	earlierTime,
	endReceiptKeys,
	insertSigningKey,
	lockSigningKeys,
	retireSigningKeys,
	type SigningKeyRow,
	selectSigningKeys,
} from "./store";

export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject };

export type SigningKeys = {
	readonly signer: () => SigningKey;
	/** The public key of a key id in force; no other key verifies. Throws: service-unavailable. */
	readonly find: (kid: string) => Promise<CryptoKey | undefined>;
	/** The public keys in force. Source: RFC 7517. */
	readonly publicKeys: () => readonly JWK[];
	/** The public keys that signed receipts before these had keys of their own. They verify no token any more. */
	readonly receiptKeys: () => readonly JWK[];
	/** Reads the keys again after a change. Throws: service-unavailable. */
	readonly reload: () => Promise<void>;
};

type Deps = { readonly sql: Sql; readonly envelope: Envelope; readonly clock: Clock };
type Verifier = Pick<SigningKeyRow, "retireAt" | "signedReceipts"> & {
	readonly publicKey: CryptoKey;
	readonly jwk: JWK;
};

/** Callers can invent key ids, so unknown ones cause no more reads than this. */
const RELOAD_EVERY_MS = 1_000;

/** Reads the keys, and creates the first one when there is none. */
export async function openSigningKeys(deps: Deps & { log: Log; onChanged: () => void }): Promise<SigningKeys> {
	const { sql, envelope, clock, log, onChanged } = deps;
	await sql.begin(async (tx) => {
		await lockSigningKeys(tx);
		const [newest] = await selectSigningKeys(tx, clock.now());
		if (newest?.retireAt !== null) await addKey(tx, deps);
	});

	let current = await readKeys(deps, undefined);
	let reloadedAt = Number.NEGATIVE_INFINITY;
	let reloading: Promise<void> | undefined;

	const readAgain = async (): Promise<void> => {
		const begunAt = performance.now();
		current = await orUnavailable(() => retryOnFailure(() => readKeys({ sql, envelope, clock }, current.signer)));
		reloadedAt = begunAt;
		onChanged();
	};
	const readOnce = (): Promise<void> => {
		reloading ??= readAgain().finally(() => {
			reloading = undefined;
		});
		return reloading;
	};
	const inForce = (kid: string): Verifier | undefined => {
		const verifier = current.verifiers.get(kid);
		return verifier && isInForce(verifier, clock.now()) ? verifier : undefined;
	};

	return {
		signer: () => current.signer,
		find: async (kid) => {
			if (!current.verifiers.has(kid)) {
				if (reloading) await reloading;
				else if (performance.now() - reloadedAt >= RELOAD_EVERY_MS) await readOnce();
			}
			return inForce(kid)?.publicKey;
		},
		publicKeys: () => [...current.verifiers.keys()].flatMap((kid) => inForce(kid)?.jwk ?? []),
		receiptKeys: () =>
			[...current.verifiers.values()].flatMap(({ jwk, signedReceipts }) => (signedReceipts ? [jwk] : [])),
		reload: async () => {
			// A read that is under way may have started before the change.
			await reloading?.catch((err: unknown) =>
				log.debug({ event: "signing-key.earlier_read_failed", err }, "an earlier read of the signing keys failed"),
			);
			await readOnce();
		},
	};
}

async function readKeys(
	deps: Deps,
	known: SigningKey | undefined,
): Promise<{ signer: SigningKey; verifiers: Map<string, Verifier> }> {
	const now = deps.clock.now();
	const rows = await selectSigningKeys(deps.sql, now);
	const verifiers = new Map<string, Verifier>();
	for (const row of rows) {
		const publicKey = await importJWK(row.publicJwk, "EdDSA");
		if (publicKey instanceof Uint8Array) throw new Error(`the signing key ${row.kid} is not a public key`);
		const { kid, publicJwk: jwk, retireAt, signedReceipts } = row;
		verifiers.set(kid, { publicKey, jwk, retireAt, signedReceipts });
	}
	const newest = rows.find((row) => isInForce(row, now));
	if (!newest) throw new Error("there is no signing key in force: rotate the signing keys");
	const signer = known?.kid === newest.kid ? known : openKey(newest, deps.envelope);
	return { signer, verifiers };
}

function openKey(row: SigningKeyRow, envelope: Envelope): SigningKey {
	if (!row.sealedPrivateKey) throw new Error(`the signing key ${row.kid} has no private part: rotate the signing keys`);
	return { kid: row.kid, privateKey: openSealedKey(envelope, row.sealedPrivateKey, contextOfKey(row.kid)) };
}

function isInForce({ retireAt }: Pick<SigningKeyRow, "retireAt">, now: Date): boolean {
	return retireAt === null || retireAt > now;
}

/**
 * New signing keys: for the first start, on a schedule, or by the operator.
 *
 *   rotate ──► a new key signs from now on; the former ones verify for 24 more hours
 *   rotate at once ──► the former ones verify nothing any more, so every issued token ends. For a key that was stolen
 */

export type RotatedSigningKeys = {
	readonly kid: string;
	/** The former keys, and until when they verify. */
	readonly former: readonly { readonly kid: string; readonly retireAt: string }[];
};

const OVERLAP_MS = 24 * 3600 * 1000;
/** Gap: how often keys rotate by themselves. A month is as long as a refresh token lives. */
const AGE_MAX_MS = 30 * OVERLAP_MS;

export function rotateSigningKey(
	deps: Deps,
	options: { readonly atOnce?: boolean; readonly actor?: Actor } = {},
): Promise<RotatedSigningKeys> {
	return deps.sql.begin(async (tx) => {
		await lockSigningKeys(tx);
		return rotate(tx, deps, options);
	});
}

/** The same when the current key is a month old; otherwise undefined. */
export function rotateWhenDue(deps: Deps): Promise<RotatedSigningKeys | undefined> {
	return deps.sql.begin(async (tx) => {
		await lockSigningKeys(tx);
		const now = deps.clock.now();
		const [newest] = await selectSigningKeys(tx, now);
		const isDue = newest?.retireAt !== null || now.getTime() - newest.createdAt.getTime() >= AGE_MAX_MS;
		return isDue ? rotate(tx, deps, {}) : undefined;
	});
}

async function rotate(
	tx: Tx,
	deps: Deps,
	{ atOnce = false, actor = operatorActor() }: { readonly atOnce?: boolean; readonly actor?: Actor },
): Promise<RotatedSigningKeys> {
	const now = deps.clock.now();
	const retireAt = atOnce ? await earlierTime(tx, now) : new Date(now.getTime() + OVERLAP_MS);
	const retired = await retireSigningKeys(tx, retireAt);
	// A receipt under a key that was stolen proves nothing.
	if (atOnce)
		await endReceiptKeys(
			tx,
			retired.map(({ kid }) => kid),
		);
	const kid = await addKey(tx, deps);
	await recordAudit(tx, { at: now, actor, action: "signing-key.rotate", subject: kid, details: { atOnce } });
	return { kid, former: retired.map((key) => ({ kid: key.kid, retireAt: key.retireAt.toISOString() })) };
}

/** Creates a key in a transaction that holds the signing-keys lock; returns its id. */
export async function addKey(tx: Tx, deps: Pick<Deps, "envelope" | "clock">): Promise<string> {
	const now = deps.clock.now();
	const kid = `${now.toISOString().slice(0, 7)}-${randomBase62(8)}`;
	const { publicKey, sealedPrivateKey } = createSealedKey(deps.envelope, () => contextOfKey(kid));
	await insertSigningKey(tx, { kid, publicJwk: toPublicJwk(kid, publicKey), sealedPrivateKey, now });
	return kid;
}

/** The context under which a key's private part is sealed. */
export function contextOfKey(kid: string): string {
	return `token-key|${kid}`;
}
