/** The first thread's handle on the ingest's second thread. */
import type { FromAssistant, ToAssistant } from "./assistant.thread";
import type { EntryColumns } from "./build/columns";
import type { FoldedValues, NameChunk } from "./build/names";
import type { WrittenPart } from "./build/write-file";
import { SourceError } from "./source/source-error";

export type Assistant = {
	/** Announces the estimated number of records, before any names. */
	readonly expect: (records: number) => void;
	/** Takes names to fold. They are transferred, so the caller cannot read them afterwards. */
	readonly takeNames: (chunk: NameChunk) => void;
	/** Starts writing its part of the snapshot: all but the indexes of activities and names. */
	readonly write: (path: string, columns: EntryColumns) => void;
	readonly folded: () => Promise<FoldedValues>;
	/** What is written, once this thread adds nothing more. */
	readonly written: () => Promise<WrittenPart>;
	/** Settles when the written part is verified in the file. Throws: an Error that names the damage. */
	readonly verified: () => Promise<void>;
	readonly end: () => Promise<void>;
};

export function startAssistant(): Assistant {
	const worker = new Worker(new URL("./assistant.thread.ts", import.meta.url).href, { name: "registry-assistant" });
	const ended = new Promise<void>((settle) => worker.addEventListener("close", () => settle()));
	const post = (message: ToAssistant, transfer: ArrayBufferLike[] = []) =>
		worker.postMessage(message, transfer as ArrayBuffer[]);
	const inbox: FromAssistant[] = [];
	const ignore = () => undefined;
	let wake: () => void = ignore;
	const deliver = (message: FromAssistant) => {
		inbox.push(message);
		wake();
	};
	worker.onmessage = (event: MessageEvent<FromAssistant>) => deliver(event.data);
	worker.onerror = (event) => {
		event.preventDefault?.();
		deliver({ kind: "failed", message: `the ingest's second thread failed: ${event.message}` });
	};
	void ended.then(() => deliver({ kind: "failed", message: "the ingest's second thread died" }));
	const receiveUntil = <T>(accept: (message: FromAssistant) => T | undefined): Promise<T> =>
		new Promise<T>((settle, fail) => {
			wake = () => {
				try {
					for (let message = inbox.shift(); message; message = inbox.shift()) {
						if (message.kind === "failed") throw toError(message);
						const accepted = accept(message);
						if (accepted === undefined) continue;
						// Later messages are for the next receiver.
						wake = ignore;
						settle(accepted);
						return;
					}
				} catch (error) {
					wake = ignore;
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
