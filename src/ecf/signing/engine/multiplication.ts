/**
 * Which of its two multiplications OpenSSL takes for RSA, where the processor leaves a choice.
 *
 * OpenSSL prefers 64-bit words (MULX, ADX) to vectors (AVX2) wherever there are both, which was measured on processors with one unit for
 * such vectors. Zen 3 has two and no AVX-512 yet: a signature by vectors takes a tenth less there, a verification half as long again, which is
 * a fiftieth of a signature (bench/tried.md). Processors with AVX-512 IFMA have a third way, faster than both, that OpenSSL takes by itself.
 *
 * OpenSSL reads OPENSSL_ia32cap once, when it is loaded, from the C library's environment, which the runtime's own does not write to. So the variable
 * stands there for the length of the loading and no longer. An operator who has set it is not overruled. A thread that comes later, while others
 * look names up and read their zone, finds the library there and leaves the environment alone: it is not made to be written beside readers.
 *
 * Source: OpenSSL's manual, OPENSSL_ia32cap(3).
 */
import { dlopen, FFIType } from "bun:ffi";
import { readFileSync } from "node:fs";

const VARIABLE = "OPENSSL_ia32cap";
/** Bit 19 of the second vector: ADX, without which OpenSSL takes vectors. */
const WITHOUT_ADX = ":~0x80000";
/** Zen 3, and Zen 4 with AVX-512. */
const ZEN_FAMILY = 25;
const C_LIBRARY = "libc.so.6";

/** Loads the library so that it takes the faster one. Never throws for a reason of its own. */
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

/** What OpenSSL is told of a processor that `/proc/cpuinfo` describes; undefined where it decides for itself. */
export function chooseCapabilities(processor: string): string | undefined {
	const tell = (name: string) => new RegExp(`^${name}\\s*: (.*)$`, "m").exec(processor)?.[1] ?? "";
	const flags = new Set(tell("flags").split(" "));
	const isZen3 =
		tell("vendor_id") === "AuthenticAMD" && Number(tell("cpu family")) === ZEN_FAMILY && !flags.has("avx512ifma");
	return isZen3 && flags.has("avx2") ? WITHOUT_ADX : undefined;
}

/** Empty where there is no such file. */
function read(path: string): string {
	try {
		return readFileSync(path, "latin1");
	} catch {
		return "";
	}
}

type Environment = { readonly set: (name: string, value: string) => void; readonly unset: (name: string) => void };

/** Undefined with a C library of another name. */
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
