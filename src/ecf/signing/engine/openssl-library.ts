/** The system's libcrypto, opened by `bun:ffi`: the functions that the engine calls, and nothing else of it. */
import { dlopen, FFIType, type Pointer } from "bun:ffi";
import { withFasterMultiplication } from "./multiplication";

/** The name carries the major version: another one would be another interface. */
export const OPENSSL_LIBRARY = "libcrypto.so.3";

const MAJOR = 3;
const VERSION_STRING = 6;
/** No operator's configuration file may change what is signed with; nothing is torn down while threads still sign. */
const INIT_NO_LOAD_CONFIG = 0x80;
const INIT_NO_ATEXIT = 0x80000;

const { ptr, i32, u32, i64, u64, cstring } = FFIType;
const FUNCTIONS = {
	OPENSSL_version_major: { args: [], returns: u32 },
	OpenSSL_version: { args: [i32], returns: cstring },
	OPENSSL_init_crypto: { args: [u64, ptr], returns: i32 },
	ERR_clear_error: { args: [], returns: FFIType.void },
	EVP_sha256: { args: [], returns: ptr },
	d2i_AutoPrivateKey: { args: [ptr, ptr, i64], returns: ptr },
	d2i_PUBKEY: { args: [ptr, ptr, i64], returns: ptr },
	EVP_PKEY_free: { args: [ptr], returns: FFIType.void },
	EVP_PKEY_CTX_new: { args: [ptr, ptr], returns: ptr },
	EVP_PKEY_CTX_free: { args: [ptr], returns: FFIType.void },
	EVP_PKEY_sign_init: { args: [ptr], returns: i32 },
	EVP_PKEY_verify_init: { args: [ptr], returns: i32 },
	EVP_PKEY_CTX_set_rsa_padding: { args: [ptr, i32], returns: i32 },
	EVP_PKEY_CTX_set_signature_md: { args: [ptr, ptr], returns: i32 },
	EVP_PKEY_sign: { args: [ptr, ptr, ptr, ptr, u64], returns: i32 },
	EVP_PKEY_verify: { args: [ptr, ptr, u64, ptr, u64], returns: i32 },
} as const;

export type OpensslFunctions = ReturnType<typeof dlopen<typeof FUNCTIONS>>["symbols"];
export type OpensslLibrary = {
	readonly functions: OpensslFunctions;
	readonly version: string;
	readonly sha256: Pointer;
};

/**
 * Opens the library. Throws an Error when it is not there, is none, or is of another version. It is never closed: keys and
 * the library's own clean-up at the end of a thread would be left without code.
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

/** An address that this runtime takes as one: beyond 53 bits it would tell a bigint, and null means that there is nothing. */
export function isPointer(address: Pointer | bigint | null): address is Pointer {
	return typeof address === "number";
}
