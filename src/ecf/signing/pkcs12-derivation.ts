/**
 * The key derivation of PKCS#12, older than PBKDF2 and its own: a hash of what it is for, the salt and the password, hashed again and again.
 *
 *   A = H^rounds( D · S · P )      D the purpose, S salt and P password, each repeated to whole blocks
 *   key = A₁ · A₂ · …              for each further one a block of A, and one, is added to each block of S · P
 *
 * Why no library: the one at hand hashes in the language itself, twenty times as slow. A container that asks for what is allowed kept
 * a signing thread for seconds, and whoever issued waited.
 *
 * Source: RFC 7292, appendix B.2 and B.3.
 */

/** 1 a key, 2 an IV, 3 a MAC key. */
export type Pkcs12Purpose = 1 | 2 | 3;

export type Pkcs12Hash = {
	readonly name: string;
	/** Bytes of a digest, and of what is hashed in one step. */
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

/** By their identifiers, those that containers have their MAC by. */
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
	// In UTF-16, its end as a zero.
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

/** As often as it takes for whole blocks; nothing of nothing. */
function toBlocks(bytes: Uint8Array, block: number): Buffer {
	const length = Math.ceil(bytes.length / block) * block;
	return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, bytes);
}

/** Adds a digest, repeated to a block, and one to each block, as numbers without what carries over. */
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
