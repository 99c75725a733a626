/**
 * The second thread of an ingest. While the first one parses, it folds the names. While the first one builds and writes the indexes of
 * activities and names, it writes the entries and the index of commercial names and verifies them in the file.
 */
import { skipFtlForCold, verifyEntries, verifyField, viewFile } from "../index/index";
import { ENTRIES_FIELD, writeEntriesPart } from "./build/build";
import type { EntryColumns } from "./build/columns";
import { createNames, type FoldedValues, type NameChunk } from "./build/names";
import { createSnapshotWriter, type WrittenPart } from "./build/write-file";
import { SourceError } from "./source/source-error";

declare const self: Worker;

export type ToAssistant =
	| { readonly kind: "expect"; readonly records: number }
	| { readonly kind: "names"; readonly chunk: NameChunk }
	/** All names have arrived: return them folded, then write and verify this thread's part of the snapshot. */
	| { readonly kind: "write"; readonly path: string; readonly columns: EntryColumns }
	| { readonly kind: "end" };

export type FromAssistant =
	| { readonly kind: "folded"; readonly names: FoldedValues }
	| { readonly kind: "written"; readonly part: WrittenPart }
	| { readonly kind: "verified" }
	| { readonly kind: "failed"; readonly result?: SourceError["result"]; readonly message: string };

let names = createNames();
const post = (message: FromAssistant, transfer: ArrayBufferLike[] = []) =>
	self.postMessage(message, transfer as ArrayBuffer[]);

self.onmessage = (event: MessageEvent<ToAssistant>) => {
	const message = event.data;
	if (message.kind === "end") process.exit(0);
	try {
		work(message);
	} catch (error) {
		post({
			kind: "failed",
			message: error instanceof Error ? error.message : String(error),
			...(error instanceof SourceError ? { result: error.result } : {}),
		});
	}
};

function work(message: Exclude<ToAssistant, { kind: "end" }>): void {
	if (message.kind === "expect") names = createNames(message.records);
	else if (message.kind === "names") names.take(message.chunk);
	else writePart(message.path, message.columns);
}

function writePart(path: string, columns: EntryColumns): void {
	skipFtlForCold(columns.keys.length);
	const folded = names.folded("name");
	const { starts, words, lengths, dictionary } = folded;
	const arrays = [starts, words, lengths, dictionary.bytes, dictionary.starts];
	post(
		{ kind: "folded", names: folded },
		arrays.map((array) => array.buffer),
	);
	const writer = createSnapshotWriter(path);
	let part: WrittenPart;
	try {
		writeEntriesPart(writer, columns, names);
		part = writer.part();
	} finally {
		writer.close();
	}
	post({ kind: "written", part });
	verifyPart(path, part, { entryCount: columns.keys.length, statuses: columns.statusTexts });
	post({ kind: "verified" });
}

function verifyPart(
	path: string,
	part: WrittenPart,
	counts: { entryCount: number; statuses: readonly string[] },
): void {
	const file = { path, bytes: Bun.mmap(path, { shared: true }), ...part };
	const view = viewFile(file);
	verifyEntries(file, view.entries(), counts);
	verifyField(file, ENTRIES_FIELD, view.field(ENTRIES_FIELD), counts);
}
