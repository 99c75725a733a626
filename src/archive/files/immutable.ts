/**
 * The file system's own flag for what nobody may change, `chattr +i`: not written, not renamed, not removed, no second name, by its owner
 * or by root, until the flag is taken off again. Set through `ioctl`, since a process for each object would cost more than the object.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";

// Source: linux/fs.h, as 64-bit x86 and ARM number them.
const GET_FLAGS = 0x80086601n;
const SET_FLAGS = 0x40086602n;
const IMMUTABLE = 0x10;

const FUNCTIONS = { ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 } } as const;

export type FileFlags = {
	/** False where it cannot be done: another file system, or a process without the right to (CAP_LINUX_IMMUTABLE). */
	readonly setImmutable: (fd: number) => boolean;
	/** False as above; taking it off what does not have it is done. */
	readonly clearImmutable: (fd: number) => boolean;
	readonly isImmutable: (fd: number) => boolean;
};

/** Undefined where the system knows no such flag. */
export function openFileFlags(): FileFlags | undefined {
	const library = openLibrary();
	if (!library) return undefined;
	const { ioctl } = library.symbols;
	// The kernel takes 32 bits, its header says a long.
	const flags = new Uint32Array(2);
	const address = ptr(flags);
	const read = (fd: number) => (ioctl(fd, GET_FLAGS, address) === 0 ? (flags[0] ?? 0) : undefined);
	const write = (fd: number, value: number) => {
		flags[0] = value;
		return ioctl(fd, SET_FLAGS, address) === 0;
	};
	return {
		setImmutable(fd) {
			const now = read(fd);
			return now !== undefined && ((now & IMMUTABLE) !== 0 || write(fd, now | IMMUTABLE));
		},
		clearImmutable(fd) {
			const now = read(fd);
			return now !== undefined && ((now & IMMUTABLE) === 0 || write(fd, now & ~IMMUTABLE));
		},
		isImmutable: (fd) => ((read(fd) ?? 0) & IMMUTABLE) !== 0,
	};
}

function openLibrary() {
	if (process.platform !== "linux" || (process.arch !== "x64" && process.arch !== "arm64")) return undefined;
	for (const name of ["libc.so.6", `libc.musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`]) {
		try {
			return dlopen(name, FUNCTIONS);
		} catch {
			// The other C library, or none: then there is no flag, which who asked for it is told.
		}
	}
	return undefined;
}
