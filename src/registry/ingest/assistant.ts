/** The first thread's side of the ingest's second one. */
import type { EntryColumns } from "../snapshot/columns";
import type { FoldedValues, NameChunk } from "../snapshot/names";
import type { WrittenPart } from "../snapshot/write-file";
import type { FromAssistant, ToAssistant } from "./assistant.thread";
import { SourceError } from "./source-error";

export type Assistant = {
	/** Unpacks a zip; `onWritten` is told how much of the file at `path` can be read. Throws: SourceError. */
	readonly unpack: (zipPath: string, path: string, onWritten: (end: number) => void) => Promise<void>;
	/** Takes names to fold. They are given away: who passes them on cannot read them any more. */
	readonly takeNames: (chunk: NameChunk) => void;
	/** Writes all of the snapshot but its index of names; that is built meanwhile by `build` from the folded names. */
	readonly write: <T>(
		path: string,
		columns: EntryColumns,
		build: (names: FoldedValues) => T,
	) => Promise<readonly [WrittenPart, T]>;
	/** Ends the thread, with all its memory. */
	readonly end: () => Promise<void>;
};

export function startAssistant(): Assistant {
	const worker = new Worker(new URL("./assistant.thread.ts", import.meta.url).href, { name: "registry-assistant" });
	const ended = new Promise<void>((settle) => worker.addEventListener("close", () => settle()));
	const post = (message: ToAssistant, transfer: ArrayBufferLike[] = []) =>
		worker.postMessage(message, transfer as ArrayBuffer[]);
	/** Hears the thread until `hear` gives something. */
	const hearUntil = <T>(hear: (message: FromAssistant) => T | undefined): Promise<T> =>
		new Promise<T>((settle, fail) => {
			worker.onmessage = (event: MessageEvent<FromAssistant>) => {
				try {
					if (event.data.kind === "failed") throw toError(event.data);
					const heard = hear(event.data);
					if (heard !== undefined) settle(heard);
				} catch (error) {
					fail(error);
				}
			};
			worker.onerror = (event) => {
				event.preventDefault?.();
				fail(new Error(`the ingest's second thread failed: ${event.message}`));
			};
			void ended.then(() => fail(new Error("the ingest's second thread died")));
		});
	return {
		unpack: async (zipPath, path, onWritten) => {
			post({ kind: "unpack", zipPath, path });
			await hearUntil((message) => {
				if (message.kind === "unpacking") onWritten(message.end);
				return message.kind === "unpacked" ? true : undefined;
			});
		},
		takeNames: (chunk) => post({ kind: "names", chunk }, [chunk.texts.buffer, chunk.starts.buffer]),
		write: async (path, columns, build) => {
			const folded = hearUntil((message) => (message.kind === "folded" ? message.names : undefined));
			post({ kind: "write", path, columns });
			const built = build(await folded);
			const part = await hearUntil((message) => (message.kind === "written" ? message.part : undefined));
			return [part, built];
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
