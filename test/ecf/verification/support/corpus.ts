/** The corpus as it lies on the disk. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CorpusEntry, CORPUS_NOW as NOW } from "../../../../scripts/generate-attacks";

export const CORPUS = join(import.meta.dir, "../corpus");
export const CORPUS_NOW = new Date(NOW);

export function readCorpus(): CorpusEntry[] {
	return JSON.parse(readFileSync(join(CORPUS, "manifest.json"), "utf8"));
}

export function readCorpusFile(file: string): Uint8Array {
	const bytes = new Uint8Array(readFileSync(join(CORPUS, file)));
	return file.endsWith(".gz") ? Bun.gunzipSync(bytes) : bytes;
}
