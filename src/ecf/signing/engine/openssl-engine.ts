/**
 * RSA by the system's OpenSSL 3. Where the processor has AVX-512 IFMA, it signs about twice as fast as the runtime.
 *
 * The runtime computes the digest, which is equally fast there; OpenSSL gets 32 bytes. Each key has one prepared context for each operation. Digest,
 * signature and its length are in buffers with fixed addresses, so that an operation is a single foreign call. A thread runs one operation at a time.
 *
 * Freeing a key overwrites its private numbers (EVP_PKEY_free does that) and releases the memory at once.
 */
import { dlopen, FFIType, type Pointer, ptr } from "bun:ffi";
import { FreedKeyError, type RsaEngine } from "./engine";
import { withFasterMultiplication } from "./multiplication";

/** The size of a signature by a key of 8192 bits. Longer ones are refused. */
const SIGNATURE_BYTES_MAX = 1_024;
const DIGEST_BYTES = 32;
const PKCS1_PADDING = 1;

export function createOpensslEngine({ functions, version, sha256 }: OpensslLibrary): RsaEngine {
	const digest = new Uint8Array(DIGEST_BYTES);
	const signature = new Uint8Array(SIGNATURE_BYTES_MAX);
	const length = new BigUint64Array(1);
	const [digestAt, signatureAt, lengthAt] = [ptr(digest), ptr(signature), ptr(length)];

	function importKey(kind: "private" | "public", der: Uint8Array): KeyInUse {
		const read = kind === "private" ? functions.d2i_AutoPrivateKey : functions.d2i_PUBKEY;
		const init = kind === "private" ? functions.EVP_PKEY_sign_init : functions.EVP_PKEY_verify_init;
		const cursor = new BigUint64Array([BigInt(ptr(der))]);
		const key = expectPointer(read(null, cursor, der.length), kind);
		const context = functions.EVP_PKEY_CTX_new(key, null);
		const isReady =
			isPointer(context) &&
			init(context) === 1 &&
			// Fails for every key that is not RSA.
			functions.EVP_PKEY_CTX_set_rsa_padding(context, PKCS1_PADDING) === 1 &&
			functions.EVP_PKEY_CTX_set_signature_md(context, sha256) === 1;
		if (isReady) return { key, context };
		functions.EVP_PKEY_CTX_free(context);
		functions.EVP_PKEY_free(key);
		throw refuse(kind);
	}

	function expectPointer(address: Pointer | bigint | null, kind: string): Pointer {
		if (!isPointer(address)) throw refuse(kind);
		return address;
	}

	function refuse(kind: string): Error {
		functions.ERR_clear_error();
		return new Error(`OpenSSL finds no RSA key in the bytes of a ${kind} key`);
	}

	return {
		name: `openssl-${version}`,
		importPair({ pkcs8Der, spkiDer }) {
			const own = importKey("private", pkcs8Der);
			let keys: { own: KeyInUse; certified: KeyInUse } | undefined;
			try {
				keys = { own, certified: importKey("public", spkiDer) };
			} catch (error) {
				freeKey(functions, own);
				throw error;
			}
			return {
				sign(data) {
					if (!keys) throw new FreedKeyError();
					Bun.SHA256.hash(data, digest);
					length[0] = BigInt(SIGNATURE_BYTES_MAX);
					const done = functions.EVP_PKEY_sign(keys.own.context, signatureAt, lengthAt, digestAt, DIGEST_BYTES);
					if (done !== 1) {
						functions.ERR_clear_error();
						throw new Error("OpenSSL does not sign with the key");
					}
					return signature.slice(0, Number(length[0]));
				},
				verify(data, other) {
					if (!keys) throw new FreedKeyError();
					if (other.length > SIGNATURE_BYTES_MAX) return false;
					Bun.SHA256.hash(data, digest);
					signature.set(other);
					const { context } = keys.certified;
					const found = functions.EVP_PKEY_verify(context, signatureAt, other.length, digestAt, DIGEST_BYTES);
					if (found !== 1) functions.ERR_clear_error();
					return found === 1;
				},
				free() {
					if (!keys) return;
					const { own: first, certified } = keys;
					keys = undefined;
					freeKey(functions, first);
					freeKey(functions, certified);
				},
			};
		},
	};
}

type KeyInUse = { readonly key: Pointer; readonly context: Pointer };

function freeKey(functions: OpensslFunctions, { key, context }: KeyInUse): void {
	functions.EVP_PKEY_CTX_free(context);
	functions.EVP_PKEY_free(key);
}

/** The name includes the major version, because another one has another interface. */
export const OPENSSL_LIBRARY = "libcrypto.so.3";

const MAJOR = 3;
const VERSION_STRING = 6;
/** No configuration file of the operator may change how signing works, and no tear-down may run while threads still sign. */
const INIT_NO_LOAD_CONFIG = 0x80;
const INIT_NO_ATEXIT = 0x80000;

const { ptr: pointer, i32, u32, i64, u64, cstring } = FFIType;
const FUNCTIONS = {
	OPENSSL_version_major: { args: [], returns: u32 },
	OpenSSL_version: { args: [i32], returns: cstring },
	OPENSSL_init_crypto: { args: [u64, pointer], returns: i32 },
	ERR_clear_error: { args: [], returns: FFIType.void },
	EVP_sha256: { args: [], returns: pointer },
	d2i_AutoPrivateKey: { args: [pointer, pointer, i64], returns: pointer },
	d2i_PUBKEY: { args: [pointer, pointer, i64], returns: pointer },
	EVP_PKEY_free: { args: [pointer], returns: FFIType.void },
	EVP_PKEY_CTX_new: { args: [pointer, pointer], returns: pointer },
	EVP_PKEY_CTX_free: { args: [pointer], returns: FFIType.void },
	EVP_PKEY_sign_init: { args: [pointer], returns: i32 },
	EVP_PKEY_verify_init: { args: [pointer], returns: i32 },
	EVP_PKEY_CTX_set_rsa_padding: { args: [pointer, i32], returns: i32 },
	EVP_PKEY_CTX_set_signature_md: { args: [pointer, pointer], returns: i32 },
	EVP_PKEY_sign: { args: [pointer, pointer, pointer, pointer, u64], returns: i32 },
	EVP_PKEY_verify: { args: [pointer, pointer, u64, pointer, u64], returns: i32 },
} as const;

export type OpensslFunctions = ReturnType<typeof dlopen<typeof FUNCTIONS>>["symbols"];
export type OpensslLibrary = {
	readonly functions: OpensslFunctions;
	readonly version: string;
	readonly sha256: Pointer;
};

/**
 * Opens the library. Throws an Error if it is missing, is not a library, or is another version. It is never closed, because keys and OpenSSL's own
 * clean-up at the end of a thread need its code.
 */
export function openOpenssl(path: string = OPENSSL_LIBRARY): OpensslLibrary {
	const { symbols: functions } = withFasterMultiplication(path, () => dlopen(path, FUNCTIONS));
	const major = functions.OPENSSL_version_major();
	if (major !== MAJOR) throw new Error(`expected OpenSSL ${MAJOR}, got ${major}`);
	if (functions.OPENSSL_init_crypto(INIT_NO_LOAD_CONFIG | INIT_NO_ATEXIT, null) !== 1) {
		throw new Error("OpenSSL does not start");
	}
	const sha256 = functions.EVP_sha256();
	if (!isPointer(sha256)) throw new Error("OpenSSL has no SHA-256");
	return { functions, version: String(functions.OpenSSL_version(VERSION_STRING)), sha256 };
}

/** The runtime represents addresses as numbers; beyond 53 bits it returns a bigint, and null means nothing. */
export function isPointer(address: Pointer | bigint | null): address is Pointer {
	return typeof address === "number";
}
