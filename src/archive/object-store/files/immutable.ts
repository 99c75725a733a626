/**
 * The file system's immutable flag, `chattr +i`. Neither the owner nor root can write, rename, remove or link a file until the flag is cleared.
 * Set through `ioctl`, since a process for each object would cost more than the object.
 */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { constants, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../../platform/database";

// Source: linux/fs.h, as 64-bit x86 and ARM number them.
const GET_FLAGS = 0x80086601n;
const SET_FLAGS = 0x40086602n;
const IMMUTABLE = 0x10;

const FUNCTIONS = { ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 } } as const;

export type FileFlags = {
	/** False if it is impossible: another file system, or a process without CAP_LINUX_IMMUTABLE. */
	readonly setImmutable: (fd: number) => boolean;
	/** False as above; true for a file without the flag. */
	readonly clearImmutable: (fd: number) => boolean;
	readonly isImmutable: (fd: number) => boolean;
};

/** Undefined if the system has no such flag. */
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
			// The other C library, or none. Without one there is no flag, and the caller logs that.
		}
	}
	return undefined;
}

/** Removes the file of a key, or all files below it, immutable ones too. */
export async function eraseFiles(folder: string, key: string): Promise<void> {
	const path = join(folder, key);
	try {
		await rm(path, { recursive: true, force: true });
	} catch (error) {
		if (codeOf(error) !== "EPERM") throw error;
		await clearFlags(path);
		await rm(path, { recursive: true, force: true });
	}
}

/** Clears the immutable flag of a file, or of all files below a folder. */
async function clearFlags(path: string): Promise<void> {
	const flags = openFileFlags();
	const below = await readdir(path, { recursive: true, withFileTypes: true }).catch((error) => {
		if (codeOf(error) === "ENOTDIR") return undefined;
		throw error;
	});
	const files = below?.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) ?? [path];
	for (const each of files) {
		const file = await open(each, constants.O_RDONLY | constants.O_NOFOLLOW);
		try {
			flags?.clearImmutable(file.fd);
		} finally {
			await file.close();
		}
	}
}
