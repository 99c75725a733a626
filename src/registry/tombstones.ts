/**
 * Which document numbers were erased, known only by digest: HMAC-SHA256 under the pepper. Asked at every load and again for
 * every entry that is about to be served, so no stale copy of the data brings an entry back.
 */
import type { Sql } from "../database";
import { listTombstones } from "./store";

export type Tombstones = {
	readonly digestOf: (digits: string) => Buffer;
	readonly isErased: (digits: string) => boolean;
	readonly isEmpty: () => boolean;
	/** Takes in one digest, in hex; false when it was known. */
	readonly add: (digest: string) => boolean;
	/** Takes in all that the database has. */
	readonly refresh: () => Promise<void>;
};

export function createTombstones(sql: Sql, pepper: Uint8Array): Tombstones {
	const keyed = new Bun.CryptoHasher("sha256", pepper);
	const digests = new Set<string>();
	return {
		digestOf: (digits) => keyed.copy().update(digits).digest(),
		isErased: (digits) => digests.size > 0 && digests.has(keyed.copy().update(digits).digest("hex")),
		isEmpty: () => digests.size === 0,
		add: (digest) => {
			const isNew = !digests.has(digest);
			digests.add(digest);
			return isNew;
		},
		refresh: async () => {
			for (const digest of await listTombstones(sql)) digests.add(digest);
		},
	};
}
