import type { Sql, Tx } from "../database";
import type { Envelope } from "./envelope";
import { deriveKey } from "./kek";

export const contextOfKeptKey = (name: string): string => `kept-key|${name}`;

const PEPPER = "registry-tombstones";

type Deps = { readonly sql: Sql; readonly envelope: Envelope };

/**
 * The pepper of the registry's tombstones. It is derived from the key-encryption key of the first start, sealed and kept from then on, so it
 * is the same in every process for ever. Throws: SealedSecretError when none of the known keys opens it.
 */
export function keepTombstonePepper(deps: Deps, kek: Uint8Array): Promise<Buffer> {
	return keepKey(deps, PEPPER, kek);
}

/** The pepper as it is kept: sealed with the key-encryption key. Throws before it was first kept. */
export async function findSealedPepper(sql: Sql | Tx): Promise<Buffer> {
	const sealed = await selectKey(sql, PEPPER);
	if (!sealed) throw new Error("the pepper of the tombstones is not kept yet");
	return sealed;
}

/** Opens it again. Throws: SealedSecretError. */
export function openTombstonePepper(envelope: Envelope, sealed: Uint8Array): Buffer {
	return envelope.open(sealed, contextOfKeptKey(PEPPER));
}

/** The key that signs download links of exports; kept like the pepper. */
export function keepExportLinkKey(deps: Deps, kek: Uint8Array): Promise<Buffer> {
	return keepKey(deps, "archive-export-links", kek);
}

/** The key that signs seeds and tokens for the programs of counterparties; kept like the pepper. */
export function keepPeerKey(deps: Deps, kek: Uint8Array): Promise<Buffer> {
	return keepKey(deps, "peers", kek);
}

async function keepKey({ sql, envelope }: Deps, name: string, kek: Uint8Array): Promise<Buffer> {
	const place = contextOfKeptKey(name);
	const kept = (await selectKey(sql, name)) ?? (await insertKey(sql, name, envelope.seal(deriveKey(kek, name), place)));
	return envelope.open(kept, place);
}

async function selectKey(sql: Sql | Tx, name: string): Promise<Buffer | undefined> {
	const [row] = await sql<
		{ sealedKey: Buffer }[]
	>`select sealed_key as "sealedKey" from kept_keys where name = ${name}`;
	return row?.sealedKey;
}

/** Returns the key that is kept then: another process may have been faster. */
async function insertKey(sql: Sql, name: string, sealedKey: Uint8Array): Promise<Buffer> {
	await sql`insert into kept_keys (name, sealed_key) values (${name}, ${sealedKey}) on conflict (name) do nothing`;
	const kept = await selectKey(sql, name);
	if (!kept) throw new Error(`the key ${name} was kept and is not there`);
	return kept;
}
