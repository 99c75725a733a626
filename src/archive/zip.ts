/** Writes a ZIP: the container by the library, the compression by the runtime's own, which takes a quarter of the time. */
import { crc32 } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";

/** ZIP dates are wall-clock dates: made from local parts, this one is the same in every time zone. */
const ONE_DATE = new Date(1980, 0, 1, 12);
/** Source: PKWARE's APPNOTE.TXT, 4.4.5. */
const DEFLATED = 8;

/** Entries in their order, all of one date, so that equal entries make equal bytes. */
export function toZip(entries: readonly (readonly [name: string, bytes: Uint8Array])[]): Uint8Array {
	const chunks: Uint8Array[] = [];
	const zip = new Zip((error, chunk) => {
		if (error) throw error;
		chunks.push(chunk);
	});
	for (const [filename, bytes] of entries) {
		const file: ZipInputFile = {
			filename,
			size: bytes.length,
			crc: crc32(bytes),
			compression: DEFLATED,
			mtime: ONE_DATE,
		};
		zip.add(file);
		file.ondata?.(null, Bun.deflateSync(new Uint8Array(bytes), { level: 6 }), true);
	}
	zip.end();
	return Buffer.concat(chunks);
}
