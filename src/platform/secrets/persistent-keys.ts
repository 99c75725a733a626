import type { Sql } from "../database";
import type { Envelope } from "./envelope";
import { deriveKey } from "./kek";
import { insertKeptKey, selectKeptKey } from "./store";

/** Where a kept key is sealed for. */
export const placeOfKeptKey = (name: string): string => `kept-key|${name}`;

type Deps = { readonly sql: Sql; readonly envelope: Envelope };

/**
 * The pepper of the registry's tombstones, the same in every process and for ever: derived from the key-encryption key of its day, kept sealed
 * from then on. Throws SealedSecretError when none of the known keys opens it.
 */
export function keepTombstonePepper(deps: Deps, kek: Uint8Array): Promise<Buffer> {
	return keepKey(deps, "registry-tombstones", (name) => deriveKey(kek, name));
}

/** The key of the addresses under which exports are downloaded, likewise. */
export function keepExportLinkKey(deps: Deps, kek: Uint8Array): Promise<Buffer> {
	return keepKey(deps, "archive-export-links", (name) => deriveKey(kek, name));
}

/** The key of what other taxpayers' programs get from us to show again, likewise. */
export function keepPeerKey(deps: Deps, kek: Uint8Array): Promise<Buffer> {
	return keepKey(deps, "peers", (name) => deriveKey(kek, name));
}

async function keepKey({ sql, envelope }: Deps, name: string, make: (name: string) => Buffer): Promise<Buffer> {
	const place = placeOfKeptKey(name);
	const kept = (await selectKeptKey(sql, name)) ?? (await insertKeptKey(sql, name, envelope.seal(make(name), place)));
	return envelope.open(kept, place);
}
