/**
 * A second thread of an ingest. While the first one reads, this one unpacks what it reads and folds the names that it has read; while the
 * first one builds the index of names, this one writes and builds everything else.
 */

import { writeAllButNames } from "../snapshot/build";
import type { EntryColumns } from "../snapshot/columns";
import type { FoldedValues } from "../snapshot/names";
import { createNames, type NameChunk } from "../snapshot/names";
import { createSnapshotWriter, type WrittenPart } from "../snapshot/write-file";
import { SourceError } from "./source-error";
import { unzipOnly } from "./unzip";

declare const self: Worker;

export type ToAssistant =
	| { readonly kind: "unpack"; readonly zipPath: string; readonly path: string }
	| { readonly kind: "names"; readonly chunk: NameChunk }
	/** All names are there: gives them back folded, and writes the rest of the snapshot. */
	| { readonly kind: "write"; readonly path: string; readonly columns: EntryColumns }
	| { readonly kind: "end" };

export type FromAssistant =
	/** So much of the unpacked file can be read. */
	| { readonly kind: "unpacking"; readonly end: number }
	| { readonly kind: "unpacked" }
	| { readonly kind: "folded"; readonly names: FoldedValues }
	| { readonly kind: "written"; readonly part: WrittenPart }
	/** With a result when it is the source's fault. */
	| { readonly kind: "failed"; readonly result?: SourceError["result"]; readonly message: string };

const names = createNames();
const tell = (message: FromAssistant, transfer: ArrayBufferLike[] = []) =>
	self.postMessage(message, transfer as ArrayBuffer[]);

self.onmessage = async (event: MessageEvent<ToAssistant>) => {
	const message = event.data;
	if (message.kind === "end") process.exit(0);
	try {
		await work(message);
	} catch (error) {
		tell({
			kind: "failed",
			message: error instanceof Error ? error.message : String(error),
			...(error instanceof SourceError ? { result: error.result } : {}),
		});
	}
};

async function work(message: Exclude<ToAssistant, { kind: "end" }>): Promise<void> {
	if (message.kind === "names") names.take(message.chunk);
	else if (message.kind === "unpack") {
		await unzipOnly(Bun.mmap(message.zipPath), message.path, (end) => tell({ kind: "unpacking", end }));
		tell({ kind: "unpacked" });
	} else {
		const folded = names.folded("name");
		const { starts, words, lengths, dictionary } = folded;
		const arrays = [starts, words, lengths, dictionary.bytes, dictionary.starts];
		tell(
			{ kind: "folded", names: folded },
			arrays.map((array) => array.buffer),
		);
		const writer = createSnapshotWriter(message.path);
		try {
			writeAllButNames(writer, message.columns, names);
		} finally {
			writer.close();
		}
		tell({ kind: "written", part: writer.part() });
	}
}
