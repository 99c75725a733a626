/** Runs a job of the ingest in its own thread. */

import type { DownloadSet, MakeDownloadsJob } from "../downloads";
import type { CompareAnswer, CompareImportJob, CompareJob, ImportRows, MergeJob } from "./history-jobs";
import type { FromIngest, IngestAnswer, IngestJob, ToIngest } from "./ingest.thread";
import type { ClearedFiles, ClearJob, ReturnAnswer, ReturnJob, VerifyAnswer, VerifyJob } from "./kept-files";
import type { OnProgress, Prepared, PrepareJob } from "./prepare";
import { SourceError } from "./source/source-error";

/** Returns the thread's answer after the thread has ended. Throws: SourceError; an Error if the thread dies. */
export async function runPrepare(job: PrepareJob, signal: AbortSignal, onProgress?: OnProgress): Promise<Prepared> {
	return (await run(job, signal, onProgress)) as Prepared;
}

export async function runClear(job: ClearJob, signal: AbortSignal): Promise<ClearedFiles> {
	return (await run(job, signal)) as ClearedFiles;
}

export async function runReturn(job: ReturnJob, signal: AbortSignal): Promise<ReturnAnswer> {
	return (await run(job, signal)) as ReturnAnswer;
}

export async function runVerify(job: VerifyJob, signal: AbortSignal): Promise<VerifyAnswer> {
	return (await run(job, signal)) as VerifyAnswer;
}

export async function runMerge(job: MergeJob, signal: AbortSignal): Promise<void> {
	await run(job, signal);
}

export async function runCompare(job: CompareJob, signal: AbortSignal): Promise<CompareAnswer> {
	return (await run(job, signal)) as CompareAnswer;
}

export async function runCompareImport(job: CompareImportJob, signal: AbortSignal): Promise<ImportRows> {
	return (await run(job, signal)) as ImportRows;
}

export async function runMakeDownloads(job: MakeDownloadsJob, signal: AbortSignal): Promise<DownloadSet> {
	return (await run(job, signal)) as DownloadSet;
}

function run(job: IngestJob, signal: AbortSignal, onProgress?: OnProgress): Promise<IngestAnswer> {
	const worker = new Worker(new URL("./ingest.thread.ts", import.meta.url).href, { name: "registry-ingest" });
	const post = (message: ToIngest) => worker.postMessage(message);
	const abort = () => post({ kind: "abort" });
	signal.addEventListener("abort", abort, { once: true });
	return new Promise<IngestAnswer>((settle, fail) => {
		let finish = () => fail(new Error("the ingest's thread died"));
		worker.onmessage = (event: MessageEvent<FromIngest>) => {
			const message = event.data;
			if (message.kind === "progress") {
				onProgress?.(message.progress);
				return;
			}
			finish = message.kind === "done" ? () => settle(message.answer) : () => fail(toError(message));
			post({ kind: "end" });
		};
		worker.onerror = (event) => {
			event.preventDefault?.();
			finish = () => fail(new Error(`the ingest's thread failed: ${event.message}`));
		};
		worker.addEventListener("close", () => finish());
		post({ kind: "job", job });
		if (signal.aborted) abort();
	}).finally(() => signal.removeEventListener("abort", abort));
}

function toError({ result, message, stack }: Extract<FromIngest, { kind: "failed" }>): Error {
	if (result) return new SourceError(result, message);
	const error = new Error(message);
	if (stack !== undefined) error.stack = stack;
	return error;
}
