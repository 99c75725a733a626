/** The first thread's side of the ingest's second one. */
import type { FromAssistant, ToAssistant } from "./assistant.thread";
import type { EntryColumns } from "./build/columns";
import type { FoldedValues, NameChunk } from "./build/names";
import type { WrittenPart } from "./build/write-file";
import { SourceError } from "./source/source-error";

export type Assistant = {
	/** Makes room for about so many records; told before there are any names. */
	readonly expect: (records: number) => void;
	/** Takes names to fold. They are given away: who passes them on cannot read them any more. */
	readonly takeNames: (chunk: NameChunk) => void;
	/** Begins to write its part of the snapshot: all but the indexes of activities and names. */
	readonly write: (path: string, columns: EntryColumns) => void;
	/** The names, folded. */
	readonly folded: () => Promise<FoldedValues>;
	/** What is written, once nothing more is added to it. */
	readonly written: () => Promise<WrittenPart>;
	/** Settles when what is written was verified in the file. Throws: an Error that tells what is wrong with it. */
	readonly verified: () => Promise<void>;
	/** Ends the thread, with all its memory. */
	readonly end: () => Promise<void>;
};

export function startAssistant(): Assistant {
	const worker = new Worker(new URL("./assistant.thread.ts", import.meta.url).href, { name: "registry-assistant" });
	const ended = new Promise<void>((settle) => worker.addEventListener("close", () => settle()));
	const post = (message: ToAssistant, transfer: ArrayBufferLike[] = []) =>
		worker.postMessage(message, transfer as ArrayBuffer[]);
	/** What the thread has told and nobody has heard yet. */
	const told: FromAssistant[] = [];
	const sleep = () => undefined;
	let wake: () => void = sleep;
	const tell = (message: FromAssistant) => {
		told.push(message);
		wake();
	};
	worker.onmessage = (event: MessageEvent<FromAssistant>) => tell(event.data);
	worker.onerror = (event) => {
		event.preventDefault?.();
		tell({ kind: "failed", message: `the ingest's second thread failed: ${event.message}` });
	};
	void ended.then(() => tell({ kind: "failed", message: "the ingest's second thread died" }));
	/** Hears the thread until `hear` gives something. */
	const receiveUntil = <T>(hear: (message: FromAssistant) => T | undefined): Promise<T> =>
		new Promise<T>((settle, fail) => {
			wake = () => {
				try {
					for (let message = told.shift(); message; message = told.shift()) {
						if (message.kind === "failed") throw toError(message);
						const heard = hear(message);
						if (heard === undefined) continue;
						// What comes next is for who hears next.
						wake = sleep;
						settle(heard);
						return;
					}
				} catch (error) {
					wake = sleep;
					fail(error);
				}
			};
			wake();
		});
	return {
		expect: (records) => post({ kind: "expect", records }),
		takeNames: (chunk) => {
			const arrays = [chunk.texts, chunk.starts, ...(chunk.order ? [chunk.order] : [])];
			post(
				{ kind: "names", chunk },
				arrays.map((array) => array.buffer),
			);
		},
		write: (path, columns) => post({ kind: "write", path, columns }),
		folded: () => receiveUntil((message) => (message.kind === "folded" ? message.names : undefined)),
		written: () => receiveUntil((message) => (message.kind === "written" ? message.part : undefined)),
		verified: async () => {
			await receiveUntil((message) => (message.kind === "verified" ? true : undefined));
		},
		end: async () => {
			post({ kind: "end" });
			await ended;
		},
	};
}

function toError({ result, message }: Extract<FromAssistant, { kind: "failed" }>): Error {
	return result ? new SourceError(result, message) : new Error(message);
}
