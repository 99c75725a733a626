/**
 * Writes the corpus of hostile signed documents that the verifier's tests read, with genuine ones beside them.
 *
 *   bun scripts/generate-attacks.ts [--out DIR]
 *
 * The same bytes on every machine: keys derive from words, dates are fixed, signatures use no randomness. Only certificates and documents
 * are written, no secrets. Files above 64 KiB are compressed.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { attacks, genuineDocuments, identities } from "./attacks";

export type CorpusEntry = {
	/** Path in the corpus folder; compressed if it ends with .gz. */
	readonly file: string;
	readonly kind: string;
	readonly shows: string;
	/** Absent for a genuine document. */
	readonly fault?: string;
	/** Present if only the mathematics is wrong. */
	readonly isMath?: true;
};

export type CorpusFile = { readonly entry: CorpusEntry; readonly bytes: Uint8Array };

/** The verification time of the corpus. */
export const CORPUS_NOW = "2026-11-21T12:00:00.000Z";

const PLAIN_BYTES_MAX = 64 * 1024;

/** Every document of the corpus, uncompressed. */
export function makeCorpus(): CorpusFile[] {
	const toFile = (folder: string, name: string, document: string | Uint8Array, rest: Omit<CorpusEntry, "file">) => {
		const bytes = typeof document === "string" ? new TextEncoder().encode(document) : document;
		const file = `${folder}/${name}.xml${bytes.byteLength > PLAIN_BYTES_MAX ? ".gz" : ""}`;
		return { entry: { file, ...rest }, bytes };
	};
	return [
		...genuineDocuments.map(({ name, shows, document }) =>
			toFile("genuine", name, document, { kind: "genuine", shows }),
		),
		...Object.entries(attacks).flatMap(([kind, list]) =>
			list.map(({ name, shows, fault, document, isMath }) =>
				toFile(kind, name, document, { kind, shows, fault, ...(isMath ? { isMath: true } : {}) }),
			),
		),
	];
}

/** The trust bundle for the corpus. */
export function makeBundle(): string {
	const base64 = identities.authority.certificateDer.toString("base64").replace(/.{1,64}/g, "$&\n");
	return `-----BEGIN CERTIFICATE-----\n${base64}-----END CERTIFICATE-----\n`;
}

function write(out: string): void {
	const corpus = makeCorpus();
	for (const kind of new Set(corpus.map(({ entry }) => entry.kind))) {
		rmSync(join(out, kind), { recursive: true, force: true });
		mkdirSync(join(out, kind), { recursive: true });
	}
	for (const { entry, bytes } of corpus) {
		const isLong = entry.file.endsWith(".gz");
		writeFileSync(join(out, entry.file), isLong ? Bun.gzipSync(new Uint8Array(bytes), { level: 9 }) : bytes);
	}
	writeFileSync(join(out, "trusted.pem"), makeBundle());
	writeFileSync(
		join(out, "manifest.json"),
		`${JSON.stringify(
			corpus.map(({ entry }) => entry),
			null,
			"\t",
		)}\n`,
	);
	const hostile = corpus.filter(({ entry }) => entry.fault !== undefined).length;
	console.log(`${hostile} hostile and ${corpus.length - hostile} genuine documents in ${out}`);
}

if (import.meta.main) {
	const { values } = parseArgs({ options: { out: { type: "string" } } });
	write(values.out ?? join(import.meta.dir, "../test/ecf/verification/corpus"));
}
