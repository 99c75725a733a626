/** The set of erased document numbers in the form that crosses to a thread: keyed digests only. */

export type IsErased = (digits: string) => boolean;

/** Plain data, so that it can cross to a thread. */
export type TombstoneSet = {
	readonly pepper: Uint8Array;
	readonly digests: readonly string[];
	/** See `Tombstones.fingerprint`. */
	readonly fingerprint: string;
};

/** Checks numbers against a copy; undefined if it is empty, which saves computing digests. */
export function createErasedCheck({ pepper, digests }: TombstoneSet): IsErased | undefined {
	if (digests.length === 0) return undefined;
	const known = new Set(digests);
	const digestOf = createDigest(pepper);
	return (digits) => known.has(digestOf(digits).toString("hex"));
}

export function createDigest(pepper: Uint8Array): (digits: string) => Buffer {
	const keyed = new Bun.CryptoHasher("sha256", pepper);
	return (digits) => keyed.copy().update(digits).digest();
}
