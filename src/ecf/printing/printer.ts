/**
 * Prints documents in a thread of its own: a long one must not hold up who asks for a short answer.
 *
 * The thread starts with the first document, because most processes never print one and a warm thread costs 70 MiB. Documents wait in a
 * bounded queue; one that takes too long ends its thread, and the pool has the next one.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { openPool, type Pool } from "../../platform/worker-pool";
import type { PrintJob } from "./print-job";

export type Printer = {
	/** Throws: service-unavailable when too much waits. */
	readonly print: (job: PrintJob) => Promise<Uint8Array>;
	readonly close: () => Promise<void>;
};

const QUEUE_MAX = 100;
const DEADLINE_MS = 60_000;

/** Starts nothing yet. */
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

/** Goes up with every change of what is printed, so that nobody keeps an old paper for a new one. */
const EDITION = 1;

/** Names the bytes that a job gives, without printing: whatever decides them is in it. */
export function tagOf(job: PrintJob): string {
	const hash = createHash("sha256");
	const { signedXml, logo, ...plain } = job;
	for (const part of [signedXml, logo ?? new Uint8Array()]) hash.update(createHash("sha256").update(part).digest());
	hash.update(JSON.stringify([EDITION, plain.format, plain.paper, plain.qrUrl, plain.standing, plain.isTest]));
	return `"${hash.digest("hex")}"`;
}
