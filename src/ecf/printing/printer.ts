/**
 * Prints documents in worker threads, so that a long one does not delay short requests.
 *
 * The threads start with the first document: most processes never print, and a warm thread costs 70 MiB. Documents wait in a bounded queue that is
 * fair to tenants and prints long documents last. A document that takes too long ends its thread, and the pool starts another.
 */
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { createFairQueue } from "../../platform/concurrency";
import { msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { openPool, type Pool } from "../../platform/worker-pool";
import type { PrintJob } from "./print-job";

export type Printer = {
	/**
	 * Prints for a tenant, unless `signal` is aborted before its turn: then nothing is printed.
	 * Throws: service-unavailable if too many documents wait or the signal is aborted.
	 */
	readonly print: (
		job: PrintJob,
		of: { readonly tenantId: string; readonly signal?: AbortSignal | undefined },
	) => Promise<Uint8Array>;
	readonly close: () => Promise<void>;
};

/** A thread takes a processor for as long as it prints, and a machine with fewer needs them for requests. */
const THREADS = availableParallelism() >= 4 ? 2 : 1;
const QUEUE = { places: THREADS, perKey: 2, waitingMax: 200, waitingMaxPerKey: 50 };
const DEADLINE_MS = 60_000;

/** Starts no thread yet. */
export function createPrinter({ log }: { readonly log: Log }): Printer {
	let isClosed = false;
	let opening: Promise<Pool<PrintJob, Uint8Array>> | undefined;
	const queue = createFairQueue(QUEUE);
	const unfinished = new Set<Promise<Uint8Array>>();
	const open = () => {
		opening ??= openPool<Record<string, never>, PrintJob, Uint8Array>({
			name: "print",
			entry: fileURLToPath(new URL("./print.thread.ts", import.meta.url)),
			threads: THREADS,
			queueMax: THREADS,
			deadlineMs: DEADLINE_MS,
			setup: {},
			log,
		}).catch((error) => {
			// The next document tries again.
			opening = undefined;
			throw error;
		});
		return opening;
	};
	return {
		async print(job, { tenantId, signal }) {
			if (isClosed) throw new Problem("service-unavailable", { detail: msg`The service is stopping.` });
			const own = queue.run(async () => (await open()).run(job), { key: tenantId, isLong: isLong(job), signal });
			unfinished.add(own);
			return own.finally(() => unfinished.delete(own));
		},
		async close() {
			isClosed = true;
			await Promise.allSettled(unfinished);
			if (opening) await (await opening).close();
		},
	};
}

const LINES_MAX = 500;
const LINE = "<NumeroLinea>";

/** True for a document of more than 500 lines; one of 10,000 takes two seconds. */
function isLong({ signedXml: { buffer, byteOffset, byteLength } }: PrintJob): boolean {
	const bytes = Buffer.from(buffer, byteOffset, byteLength);
	let lines = 0;
	for (let at = bytes.indexOf(LINE); at >= 0 && lines <= LINES_MAX; at = bytes.indexOf(LINE, at + LINE.length)) lines++;
	return lines > LINES_MAX;
}

/** Increase it with every change of what is printed, so that caches do not serve old documents. */
const EDITION = 2;

/** An ETag for the bytes of a job, computed without printing: it covers everything that determines them. */
export function tagOf(job: PrintJob): string {
	const hash = createHash("sha256");
	const { signedXml, logo, ...plain } = job;
	for (const part of [signedXml, logo ?? new Uint8Array()]) hash.update(createHash("sha256").update(part).digest());
	hash.update(JSON.stringify([EDITION, plain.format, plain.paper, plain.qrUrl, plain.standing, plain.isTest]));
	return `"${hash.digest("hex")}"`;
}
