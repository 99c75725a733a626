/** Packs a folder so that the same files give the same bytes on every machine: sorted names, one date, no owner. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { type Zippable, zipSync } from "fflate";
import { pack } from "tar-stream";

type Entry = { readonly name: string; readonly bytes: Uint8Array; readonly mode: number };

/** Below `prefix`, in the order of their names. */
function readEntries(folder: string, prefix: string): Entry[] {
	const names = [...new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true })].sort();
	return names.map((name) => {
		const bytes = readFileSync(join(folder, name));
		return { name: `${prefix}${name}`, bytes, mode: bytes.subarray(0, 2).toString() === "#!" ? 0o755 : 0o644 };
	});
}

/** Source: npm packs everything below `package/`. */
export async function packTarball(folder: string): Promise<Uint8Array> {
	const tar = pack();
	for (const { name, bytes, mode } of readEntries(folder, "package/")) {
		tar.entry({ name, mode, uid: 0, gid: 0, mtime: new Date(0) }, Buffer.from(bytes));
	}
	tar.finalize();
	const pieces: Buffer[] = [];
	for await (const piece of tar) pieces.push(piece as Buffer);
	const coded = gzipSync(Buffer.concat(pieces), { level: constants.Z_BEST_COMPRESSION });
	// The header's last byte names the operating system; 255 is "unknown". Source: RFC 1952, 2.3.1.
	coded[9] = 255;
	return coded;
}

const UNIX = 3;

export function packZip(folder: string, prefix = ""): Uint8Array {
	// fflate writes local time, and ZIP knows none before 1980.
	const mtime = new Date(1980, 0, 1);
	const files: Zippable = {};
	for (const { name, bytes, mode } of readEntries(folder, prefix)) {
		// The upper half holds the type and mode of Unix; 0o100000 is a regular file.
		files[name] = [bytes, { level: 9, mtime, os: UNIX, attrs: ((0o100000 | mode) << 16) >>> 0 }];
	}
	return zipSync(files);
}
