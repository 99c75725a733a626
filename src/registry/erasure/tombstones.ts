/**
 * Which document numbers are erased, known only by digest: HMAC-SHA256 under the pepper. Asked at every load and again for
 * every entry that is about to be served, so no stale copy of the data brings an entry back.
 *
 * What was reversed stays in the set until an ingest has taken the entry again: it returns with that run, in every process, and not before.
 */
import type { Sql } from "../../platform/database";
import { createDigest, type TombstoneSet } from "../index/index";
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
	/** The same of other digests, in hex, than those in force. */
	readonly copyOf: (digests: readonly string[]) => TombstoneSet;
};

export function createTombstones(sql: Sql, pepper: Uint8Array): Tombstones {
	const digests = new Set<string>();
	const digestOf = createDigest(pepper);
	// The digests are as good as random, so their exclusive or tells sets apart; it takes one in and out alike.
	const mixed = Buffer.alloc(MIXED_BYTES);
	let fingerprint = nameOf(0, mixed);
	/** Once the set has changed. */
	const mix = (digest: string) => {
		mixInto(mixed, digest);
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
		copy: () => ({ pepper, digests: [...digests], fingerprint }),
		copyOf: (others) => ({ pepper, digests: others, fingerprint: fingerprintOf(others) }),
	};
}

const MIXED_BYTES = 16;

function fingerprintOf(digests: readonly string[]): string {
	const mixed = Buffer.alloc(MIXED_BYTES);
	for (const digest of digests) mixInto(mixed, digest);
	return nameOf(digests.length, mixed);
}

/** Takes part of a set's name in or out. */
function mixInto(mixed: Buffer, digest: string): void {
	Buffer.from(digest, "hex").forEach((byte, i) => {
		if (i < mixed.length) mixed[i] = (mixed[i] ?? 0) ^ byte;
	});
}

const nameOf = (count: number, mixed: Buffer) => `${count}-${mixed.toString("hex")}`;
