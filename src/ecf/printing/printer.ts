/**
 * Prints documents in a worker thread, so that a long one does not delay short requests.
 *
 * The thread starts with the first document: most processes never print, and a warm thread costs 70 MiB. Documents wait in a bounded queue. A
 * document that takes too long ends its thread, and the pool starts another.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { openPool, type Pool } from "../../platform/worker-pool";
import type { PrintJob } from "./print-job";

export type Printer = {
	/** Throws: service-unavailable if too many documents wait. */
	readonly print: (job: PrintJob) => Promise<Uint8Array>;
	readonly close: () => Promise<void>;
};

const QUEUE_MAX = 100;
const DEADLINE_MS = 60_000;

/** Starts no thread yet. */
export function createPrinter({ log }: { readonly log: Log }): Printer {
	let isClosed = false;
	let opening: Promise<Pool<PrintJob, Uint8Array>> | undefined;
	const open = () => {
		opening ??= openPool<Record<string, never>, PrintJob, Uint8Array>({
			name: "print",
			entry: fileURLToPath(new URL("./print.thread.ts", import.meta.url)),
			threads: 1,
			queueMax: QUEUE_MAX,
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
		async print(job) {
			if (isClosed) throw new Problem("service-unavailable", { detail: "The service is stopping." });
			return (await open()).run(job);
		},
		async close() {
			isClosed = true;
			if (opening) await (await opening).close();
		},
	};
}

/** Increase it with every change of what is printed, so that caches do not serve old documents. */
const EDITION = 1;

/** An ETag for the bytes of a job, computed without printing: it covers everything that determines them. */
export function tagOf(job: PrintJob): string {
	const hash = createHash("sha256");
	const { signedXml, logo, ...plain } = job;
	for (const part of [signedXml, logo ?? new Uint8Array()]) hash.update(createHash("sha256").update(part).digest());
	hash.update(JSON.stringify([EDITION, plain.format, plain.paper, plain.qrUrl, plain.standing, plain.isTest]));
	return `"${hash.digest("hex")}"`;
}
