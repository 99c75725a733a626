/**
 * Which document numbers are erased, known only by digest: HMAC-SHA256 under the pepper. Asked at every load and again for
 * every entry that is about to be served, so no stale copy of the data brings an entry back.
 *
 * What was reversed is dropped when the set is read again, which every process does at an ingest: the entry returns with it and not before.
 */
import type { Sql } from "../../database";
import { listTombstones } from "./tombstones-store";

export type Tombstones = {
	readonly digestOf: (digits: string) => Buffer;
	readonly isErased: (digits: string) => boolean;
	readonly isEmpty: () => boolean;
	/**
	 * Names the set: equal for equal sets, whatever the order in which they came about. A snapshot that was made free of a set of this name
	 * holds nothing erased, so its entries need not be asked for one by one.
	 */
	readonly fingerprint: () => string;
	/** Takes in one digest, in hex. */
	readonly add: (digest: string) => void;
	/** Becomes what the database has. */
	readonly refresh: () => Promise<void>;
	/** All that a thread needs to ask the same questions. */
	readonly copy: () => TombstoneSet;
};

/** Plain data: it crosses to a thread. */
export type TombstoneSet = { readonly pepper: Uint8Array; readonly digests: readonly string[] };

export function createTombstones(sql: Sql, pepper: Uint8Array): Tombstones {
	const digests = new Set<string>();
	const digestOf = createDigest(pepper);
	// The digests are as good as random, so their exclusive or tells sets apart; it takes one in and out alike.
	const mixed = Buffer.alloc(16);
	let fingerprint = nameOf(0, mixed);
	/** Takes part of the name in or out, once the set has changed. */
	const mix = (digest: string) => {
		Buffer.from(digest, "hex").forEach((byte, i) => {
			if (i < mixed.length) mixed[i] = (mixed[i] ?? 0) ^ byte;
		});
		fingerprint = nameOf(digests.size, mixed);
	};
	const take = (digest: string) => {
		if (digests.has(digest)) return;
		digests.add(digest);
		mix(digest);
	};
	/** What was added while the database was being read: its answer may be older than that. */
	let addedMeanwhile = new Set<string>();
	const read = async (): Promise<void> => {
		addedMeanwhile = new Set();
		const standing = new Set(await listTombstones(sql));
		for (const digest of standing) take(digest);
		for (const digest of [...digests]) {
			if (standing.has(digest) || addedMeanwhile.has(digest)) continue;
			digests.delete(digest);
			mix(digest);
		}
	};
	let reading: Promise<void> = Promise.resolve();
	return {
		digestOf,
		isErased: (digits) => digests.size > 0 && digests.has(digestOf(digits).toString("hex")),
		isEmpty: () => digests.size === 0,
		fingerprint: () => fingerprint,
		add: (digest) => {
			addedMeanwhile.add(digest);
			take(digest);
		},
		// One after another: an older answer must not undo a newer one.
		refresh: () => {
			reading = reading.catch(() => undefined).then(read);
			return reading;
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
