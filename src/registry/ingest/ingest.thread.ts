/** A thread that does one job of the ingest and then ends with all its memory, so that look-ups are not disturbed. */
import type { DownloadSet, MakeDownloadsJob } from "../downloads";
import {
	type CompareAnswer,
	type CompareImportJob,
	type CompareJob,
	compareImport,
	compareKept,
	type ImportRows,
	type MergeJob,
	mergeFromTable,
} from "./history-jobs";
import {
	type ClearedFiles,
	type ClearJob,
	clear,
	prepareReturn,
	type ReturnAnswer,
	type ReturnJob,
	type VerifyAnswer,
	type VerifyJob,
	verifyKept,
} from "./kept-files";
import { lowerPriority } from "./low-priority";
import { type IngestProgress, type Prepared, type PrepareJob, prepare } from "./prepare";
import { SourceError } from "./source/source-error";

declare const self: Worker;

export type IngestJob =
	| PrepareJob
	| ClearJob
	| ReturnJob
	| VerifyJob
	| MergeJob
	| CompareJob
	| CompareImportJob
	| MakeDownloadsJob;
export type IngestAnswer =
	| Prepared
	| ClearedFiles
	| ReturnAnswer
	| VerifyAnswer
	| Record<string, never>
	| CompareAnswer
	| ImportRows
	| DownloadSet;

export type ToIngest =
	| { readonly kind: "job"; readonly job: IngestJob }
	/** Aborts a download or a verification; everything else is finished. */
	| { readonly kind: "abort" }
	| { readonly kind: "end" };

export type FromIngest =
	| { readonly kind: "progress"; readonly progress: IngestProgress }
	| { readonly kind: "done"; readonly answer: IngestAnswer }
	| {
			readonly kind: "failed";
			readonly result?: SourceError["result"];
			readonly message: string;
			readonly stack?: string;
	  };

lowerPriority();
const closing = new AbortController();
const post = (message: FromIngest) => self.postMessage(message);

self.onmessage = async (event: MessageEvent<ToIngest>) => {
	const message = event.data;
	if (message.kind === "end") process.exit(0);
	else if (message.kind === "abort") closing.abort();
	else {
		try {
			post({ kind: "done", answer: await work(message.job) });
		} catch (error) {
			post(toFailure(error));
		}
	}
};

async function work(job: IngestJob): Promise<IngestAnswer> {
	if (job.do === "clear") return clear(job);
	if (job.do === "return") return prepareReturn(job);
	if (job.do === "verify") return verifyKept(job, closing.signal);
	if (job.do === "merge-history") return mergeFromTable(job);
	if (job.do === "compare") return compareKept(job);
	if (job.do === "compare-import") return compareImport(job);
	if (job.do === "downloads") return (await import("../downloads")).makeDownloads(job);
	return prepare(job, closing.signal, (progress) => post({ kind: "progress", progress }));
}

function toFailure(error: unknown): FromIngest {
	if (!(error instanceof Error)) return { kind: "failed", message: String(error) };
	const { message, stack } = error;
	return {
		kind: "failed",
		message,
		...(error instanceof SourceError ? { result: error.result } : {}),
		...(stack === undefined ? {} : { stack }),
	};
}
