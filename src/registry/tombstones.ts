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
	/**
	 * Names the set: equal for equal sets, whatever the order in which they came about. A snapshot that was made free of a set of this name
	 * holds nothing erased, so its entries need not be asked for one by one.
	 */
	readonly fingerprint: () => string;
	/** Takes in one digest, in hex; false when it was known. */
	readonly add: (digest: string) => boolean;
	/** Takes in all that the database has. */
	readonly refresh: () => Promise<void>;
	/** All that a thread needs to ask the same questions. */
	readonly copy: () => TombstoneSet;
};

/** Plain data: it crosses to a thread. */
export type TombstoneSet = { readonly pepper: Uint8Array; readonly digests: readonly string[] };

export function createTombstones(sql: Sql, pepper: Uint8Array): Tombstones {
	const digests = new Set<string>();
	const digestOf = createDigest(pepper);
	// The digests are as good as random, so their exclusive or tells sets apart.
	const mixed = Buffer.alloc(16);
	let fingerprint = nameOf(0, mixed);
	const add = (digest: string): boolean => {
		if (digests.has(digest)) return false;
		digests.add(digest);
		Buffer.from(digest, "hex").forEach((byte, i) => {
			if (i < mixed.length) mixed[i] = (mixed[i] ?? 0) ^ byte;
		});
		fingerprint = nameOf(digests.size, mixed);
		return true;
	};
	return {
		digestOf,
		isErased: (digits) => digests.size > 0 && digests.has(digestOf(digits).toString("hex")),
		isEmpty: () => digests.size === 0,
		fingerprint: () => fingerprint,
		add,
		refresh: async () => {
			for (const digest of await listTombstones(sql)) add(digest);
		},
		copy: () => ({ pepper, digests: [...digests] }),
	};
}

const nameOf = (count: number, mixed: Buffer) => `${count}-${mixed.toString("hex")}`;

/** Asks a copy; undefined when it is empty, so that nobody computes digests in vain. */
export function askCopy({ pepper, digests }: TombstoneSet): ((digits: string) => boolean) | undefined {
	if (digests.length === 0) return undefined;
	const known = new Set(digests);
	const digestOf = createDigest(pepper);
	return (digits) => known.has(digestOf(digits).toString("hex"));
}

function createDigest(pepper: Uint8Array): (digits: string) => Buffer {
	const keyed = new Bun.CryptoHasher("sha256", pepper);
	return (digits) => keyed.copy().update(digits).digest();
}
