/**
 * Selects the multiplication that OpenSSL uses for RSA, on processors where it has a choice.
 *
 * OpenSSL prefers 64-bit words (MULX, ADX) to vectors (AVX2) if the processor has both. That choice was measured on processors with one vector unit.
 * Zen 3 has two, and no AVX-512: with vectors a signature takes a tenth less and a verification half as long again, which is a fiftieth of a
 * signature (bench/tried.md). Processors with AVX-512 IFMA have a third way, faster than both, which OpenSSL selects itself.
 *
 * OpenSSL reads OPENSSL_ia32cap once, when it is loaded, from the C library's environment, which the runtime does not write to. So the variable is
 * set only while the library loads. A value that the operator has set is kept. A later thread finds the library loaded and leaves the environment
 * alone, because writing it while other threads read it is unsafe.
 *
 * Source: OpenSSL's manual, OPENSSL_ia32cap(3).
 */
import { dlopen, FFIType } from "bun:ffi";
import { readFileSync } from "node:fs";

const VARIABLE = "OPENSSL_ia32cap";
/** Bit 19 of the second vector: ADX. Without it OpenSSL uses vectors. */
const WITHOUT_ADX = ":~0x80000";
/** Zen 3, and Zen 4 with AVX-512. */
const ZEN_FAMILY = 25;
const C_LIBRARY = "libc.so.6";

/** Loads the library so that it uses the faster multiplication. Never throws itself. */
export function withFasterMultiplication<T>(library: string, load: () => T): T {
	const capabilities = process.env[VARIABLE] === undefined ? chooseCapabilities(read("/proc/cpuinfo")) : undefined;
	if (capabilities === undefined || read("/proc/self/maps").includes(library)) return load();
	const environment = openEnvironment();
	environment?.set(VARIABLE, capabilities);
	try {
		return load();
	} finally {
		environment?.unset(VARIABLE);
	}
}

/** The value of the variable for a processor that `/proc/cpuinfo` describes; undefined to let OpenSSL decide. */
export function chooseCapabilities(processor: string): string | undefined {
	const fieldOf = (name: string) => new RegExp(`^${name}\\s*: (.*)$`, "m").exec(processor)?.[1] ?? "";
	const flags = new Set(fieldOf("flags").split(" "));
	const isZen3 =
		fieldOf("vendor_id") === "AuthenticAMD" && Number(fieldOf("cpu family")) === ZEN_FAMILY && !flags.has("avx512ifma");
	return isZen3 && flags.has("avx2") ? WITHOUT_ADX : undefined;
}

/** Empty if the file does not exist. */
function read(path: string): string {
	try {
		return readFileSync(path, "latin1");
	} catch {
		return "";
	}
}

type Environment = { readonly set: (name: string, value: string) => void; readonly unset: (name: string) => void };

/** Undefined if the C library has another name. */
function openEnvironment(): Environment | undefined {
	try {
		const { symbols } = dlopen(C_LIBRARY, {
			setenv: { args: [FFIType.ptr, FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
			unsetenv: { args: [FFIType.ptr], returns: FFIType.i32 },
		});
		return {
			set: (name, value) => void symbols.setenv(toC(name), toC(value), 1),
			unset: (name) => void symbols.unsetenv(toC(name)),
		};
	} catch {
		return undefined;
	}
}

function toC(text: string): Buffer {
	return Buffer.from(`${text}\0`);
}
