/** All SQL of the registry's keys. */
import type { JWK } from "jose";
import { LOCKS, type Sql, type Tx } from "../../platform/database";

export type RegistryKeyRow = {
	readonly kid: string;
	readonly publicJwk: JWK;
	readonly sealedPrivateKey: Buffer;
};

export async function lockRegistryKeys(tx: Tx): Promise<void> {
	await tx`select pg_advisory_xact_lock(${LOCKS.registryKeys})`;
}

/** All keys, newest first. */
export async function selectRegistryKeys(sql: Sql | Tx): Promise<RegistryKeyRow[]> {
	return sql<RegistryKeyRow[]>`
		select kid, public_jwk as "publicJwk", sealed_private_key as "sealedPrivateKey"
		from registry_keys order by number desc`;
}

export async function insertRegistryKey(
	tx: Tx,
	key: { kid: string; publicJwk: Record<string, string>; sealedPrivateKey: Buffer; now: Date },
): Promise<void> {
	await tx`
		insert into registry_keys (kid, public_jwk, sealed_private_key, created_at)
		values (${key.kid}, ${tx.json(key.publicJwk)}, ${key.sealedPrivateKey}, ${key.now})`;
}
