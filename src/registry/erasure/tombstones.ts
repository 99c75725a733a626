/**
 * The set of erased document numbers, known only by digest: HMAC-SHA256 under the pepper. Every load and every answer checks it, so that no
 * stale copy of the data brings an entry back. Reversed numbers stay in the set until an ingest returns the entry, in every process at
 * once.
 */
import type { Sql } from "../../platform/database";
import { createEnvelope, deriveKey } from "../../platform/secrets";
import { createDigest, type TombstoneSet } from "../index/index";
import { listTombstones } from "./tombstones-store";

export type Tombstones = {
	readonly digestOf: (digits: string) => Buffer;
	readonly isErased: (digits: string) => boolean;
	readonly isEmpty: () => boolean;
	/**
	 * Identifies the set, independently of the order of additions. A snapshot built without a set of this fingerprint holds nothing erased,
	 * so its entries need no check.
	 */
	readonly fingerprint: () => string;
	readonly add: (digest: string) => void;
	readonly refresh: () => Promise<void>;
	readonly copy: () => TombstoneSet;
	/** The same for other digests, in hex. */
	readonly copyOf: (digests: readonly string[]) => TombstoneSet;
	/** Encrypts an erased number while deltas must list its removal. */
	readonly sealNumber: (digits: string) => Uint8Array;
	readonly openNumber: (sealed: Uint8Array) => string;
};

export function createTombstones(sql: Sql, pepper: Uint8Array): Tombstones {
	return createTombstonesFrom(() => listTombstones(sql), pepper);
}

/** The same for digests that `list` reads, in hex. */
export function createTombstonesFrom(list: () => Promise<readonly string[]>, pepper: Uint8Array): Tombstones {
	const digests = new Set<string>();
	const digestOf = createDigest(pepper);
	// XOR of the digests, which are practically random; it adds and removes alike.
	const mixed = Buffer.alloc(MIXED_BYTES);
	let fingerprint = nameOf(0, mixed);
	const mix = (digest: string) => {
		mixInto(mixed, digest);
		fingerprint = nameOf(digests.size, mixed);
	};
	const take = (digest: string) => {
		if (digests.has(digest)) return;
		digests.add(digest);
		mix(digest);
	};
	/** Digests added during a read of the database, whose result may be older. */
	let addedMeanwhile = new Set<string>();
	const read = async (): Promise<void> => {
		addedMeanwhile = new Set();
		const standing = new Set(await list());
		for (const digest of standing) take(digest);
		for (const digest of [...digests]) {
			if (standing.has(digest) || addedMeanwhile.has(digest)) continue;
			digests.delete(digest);
			mix(digest);
		}
	};
	let reading: Promise<void> = Promise.resolve();
	const envelope = createEnvelope(deriveKey(pepper, "registry-erased-numbers"));
	return {
		digestOf,
		isErased: (digits) => digests.size > 0 && digests.has(digestOf(digits).toString("hex")),
		isEmpty: () => digests.size === 0,
		fingerprint: () => fingerprint,
		add: (digest) => {
			addedMeanwhile.add(digest);
			take(digest);
		},
		// One after another: an older result must not overwrite a newer one.
		refresh: () => {
			reading = reading.catch(() => undefined).then(read);
			return reading;
		},
		copy: () => ({ pepper, digests: [...digests], fingerprint }),
		copyOf: (others) => ({ pepper, digests: others, fingerprint: fingerprintOf(others) }),
		sealNumber: (digits) => envelope.seal(Buffer.from(digits), ERASED_NUMBER_CONTEXT),
		openNumber: (sealed) => envelope.open(sealed, ERASED_NUMBER_CONTEXT).toString(),
	};
}

export const ERASED_NUMBER_CONTEXT = "registry-erased-number";
const MIXED_BYTES = 16;

function fingerprintOf(digests: readonly string[]): string {
	const mixed = Buffer.alloc(MIXED_BYTES);
	for (const digest of digests) mixInto(mixed, digest);
	return nameOf(digests.length, mixed);
}

function mixInto(mixed: Buffer, digest: string): void {
	Buffer.from(digest, "hex").forEach((byte, i) => {
		if (i < mixed.length) mixed[i] = (mixed[i] ?? 0) ^ byte;
	});
}

const nameOf = (count: number, mixed: Buffer) => `${count}-${mixed.toString("hex")}`;
