/**
 * The key derivation of PKCS#12, which is older than PBKDF2: a repeated hash of the purpose, the salt and the password.
 *
 *   A = H^rounds( D · S · P )      D the purpose, S salt and P password, each repeated to whole blocks
 *   key = A₁ · A₂ · …              for each further one a block of A, and one, is added to each block of S · P
 *
 * node-forge hashes in JavaScript, twenty times as slow: a container with the allowed number of rounds blocked a signing thread for seconds.
 *
 * Source: RFC 7292, appendix B.2 and B.3.
 */

/** 1 a key, 2 an IV, 3 a MAC key. */
export type Pkcs12Purpose = 1 | 2 | 3;

export type Pkcs12Hash = {
	readonly name: string;
	/** Bytes of a digest, and of the input of one step. */
	readonly bytes: number;
	readonly block: number;
	readonly digest: (data: Uint8Array, into: Uint8Array) => unknown;
};

export const SHA1: Pkcs12Hash = {
	name: "sha1",
	bytes: 20,
	block: 64,
	digest: (data, into) => Bun.SHA1.hash(data, into),
};

/** The hashes that containers use for their MAC, by identifier. */
export const PKCS12_HASHES: Readonly<Record<string, Pkcs12Hash>> = {
	"1.3.14.3.2.26": SHA1,
	"2.16.840.1.101.3.4.2.1": {
		name: "sha256",
		bytes: 32,
		block: 64,
		digest: (data, into) => Bun.SHA256.hash(data, into),
	},
	"2.16.840.1.101.3.4.2.2": {
		name: "sha384",
		bytes: 48,
		block: 128,
		digest: (data, into) => Bun.SHA384.hash(data, into),
	},
	"2.16.840.1.101.3.4.2.3": {
		name: "sha512",
		bytes: 64,
		block: 128,
		digest: (data, into) => Bun.SHA512.hash(data, into),
	},
};

type Derivation = {
	readonly hash: Pkcs12Hash;
	readonly password: string;
	readonly salt: Uint8Array;
	readonly purpose: Pkcs12Purpose;
	readonly iterations: number;
	readonly bytes: number;
};

export function derivePkcs12({ hash, password, salt, purpose, iterations, bytes }: Derivation): Buffer {
	const { block } = hash;
	// UTF-16 with a terminating zero.
	const spelt = Buffer.from(`${password}\0`, "utf16le").swap16();
	const repeated = Buffer.concat([toBlocks(salt, block), toBlocks(spelt, block)]);
	const key = Buffer.alloc(Math.ceil(bytes / hash.bytes) * hash.bytes);
	let [digest, next] = [Buffer.alloc(hash.bytes), Buffer.alloc(hash.bytes)];
	for (let at = 0; at < key.length; at += hash.bytes) {
		if (at > 0) addToBlocks(repeated, digest, block);
		hash.digest(Buffer.concat([Buffer.alloc(block, purpose), repeated]), digest);
		for (let round = 1; round < iterations; round++) {
			hash.digest(digest, next);
			[digest, next] = [next, digest];
		}
		digest.copy(key, at);
	}
	return key.subarray(0, bytes);
}

/** Repeated to whole blocks; empty if the input is empty. */
function toBlocks(bytes: Uint8Array, block: number): Buffer {
	const length = Math.ceil(bytes.length / block) * block;
	return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, bytes);
}

/** Adds a digest, repeated to a block, plus one, to each block, as numbers without carry. */
function addToBlocks(blocks: Buffer, digest: Uint8Array, block: number): void {
	const summand = Buffer.alloc(block, digest);
	for (let start = 0; start < blocks.length; start += block) {
		let carry = 1;
		for (let i = block - 1; i >= 0; i--) {
			carry += (blocks[start + i] ?? 0) + (summand[i] ?? 0);
			blocks[start + i] = carry & 0xff;
			carry >>= 8;
		}
	}
}
