/** A file of files, written one after another. The same entries in the same order make the same bytes. */
import type { Written } from "./sink";

export type Pack = {
	readonly add: (name: string, bytes: Uint8Array) => Promise<void>;
	/** The same for a file that was measured when it was written. */
	readonly addFile: (name: string, path: string, written: Written) => Promise<void>;
	/** Writes what belongs to the end. */
	readonly finish: () => Promise<void>;
};

/** Of every entry: what stands in an export has dates of its own, inside. */
export const ONE_DATE = new Date("1980-01-01T00:00:00Z");

export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
	for await (const piece of Bun.file(path).stream()) yield piece;
}
