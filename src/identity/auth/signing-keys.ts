/**
 * The Ed25519 keys that sign tokens and receipts. They live in the database, so that all processes have the same ones; the
 * private part is sealed under the key-encryption key.
 *
 * One key signs. A rotation adds another and lets the old one verify for 24 hours more, far longer than any token lives.
 * A process learns a new key when the change is told to it, or when it meets a key id that it does not know; one that hears nothing
 * reads the keys each second, so that it neither signs with a key nor believes one that others have given up.
 */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { importJWK, type JWK } from "jose";
import { retryOnFailure, type Sql } from "../../platform/database";
import type { Envelope } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { orUnavailable } from "./refusal";
import { addKey, placeOfKey } from "./rotate-signing-keys";
import { lockSigningKeys, type SigningKeyRow, selectSigningKeys } from "./store";

export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject };

export type SigningKeys = {
	readonly signer: () => SigningKey;
	/** The public key of a key id in force; only these verify. Throws: service-unavailable. */
	readonly find: (kid: string) => Promise<CryptoKey | undefined>;
	/** The public keys in force. Source: RFC 7517. */
	readonly jwks: () => { readonly keys: readonly JWK[] };
	/** Reads the keys again because they have changed. Throws: service-unavailable. */
	readonly reload: () => Promise<void>;
};

type Deps = { readonly sql: Sql; readonly envelope: Envelope; readonly clock: Clock };
type Verifier = { readonly publicKey: CryptoKey; readonly jwk: JWK; readonly retireAt: Date | null };

/** Unknown key ids are free for anybody to make up, so they may not cause more reads than this. */
const RELOAD_EVERY_MS = 1_000;

/** Reads the keys, making the first one when there is none. */
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
		return verifier && (verifier.retireAt === null || verifier.retireAt > clock.now()) ? verifier : undefined;
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
		jwks: () => ({ keys: [...current.verifiers.keys()].flatMap((kid) => inForce(kid)?.jwk ?? []) }),
		reload: async () => {
			// A read that is on its way may have begun before the change.
			await reloading?.catch((err: unknown) => log.debug({ err }, "an earlier read of the signing keys failed"));
			await readOnce();
		},
	};
}

async function readKeys(
	deps: Deps,
	known: SigningKey | undefined,
): Promise<{ signer: SigningKey; verifiers: Map<string, Verifier> }> {
	const rows = await selectSigningKeys(deps.sql, deps.clock.now());
	const verifiers = new Map<string, Verifier>();
	for (const row of rows) {
		const publicKey = await importJWK(row.publicJwk, "EdDSA");
		if (publicKey instanceof Uint8Array) throw new Error(`the signing key ${row.kid} is not a public key`);
		verifiers.set(row.kid, { publicKey, jwk: row.publicJwk, retireAt: row.retireAt });
	}
	const [newest] = rows;
	if (!newest) throw new Error("there is no signing key in force: rotate the signing keys");
	const signer = known?.kid === newest.kid ? known : openKey(newest, deps.envelope);
	return { signer, verifiers };
}

function openKey(row: SigningKeyRow, envelope: Envelope): SigningKey {
	if (!row.sealedPrivateKey) throw new Error(`the signing key ${row.kid} has no private part: rotate the signing keys`);
	const secret = envelope.open(row.sealedPrivateKey, placeOfKey(row.kid));
	try {
		return { kid: row.kid, privateKey: createPrivateKey({ key: secret, format: "der", type: "pkcs8" }) };
	} finally {
		secret.fill(0);
	}
}
