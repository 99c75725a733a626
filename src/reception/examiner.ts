/**
 * Examines documents of strangers in a thread of its own: whatever they send costs others nothing but one turn of a bounded queue.
 *
 * The thread starts with the first document. One that takes longer than a second is taken for hostile: its thread ends with it, it is not tried
 * again, and whoever sent it is told to come later. The largest honest document takes a fraction of that.
 */
import { fileURLToPath } from "node:url";
import { Problem } from "../problem";
import type { Log } from "../telemetry";
import { openPool, type Pool } from "../worker-pool";
import type { Examined } from "./examine";
import type { ExaminedSeed } from "./examine-seed";

export type ExamineSetup = {
	/** PEM bundle of the authorities that signers must come from; without it a document is intact at best. */
	readonly trustedCaFile: string | undefined;
};
export type ExamineJob = {
	readonly what: "document" | "seed";
	readonly bytes: Uint8Array;
	/** ISO instant. */
	readonly now: string;
};
export type JobAnswer = { readonly document: Examined } | { readonly seed: ExaminedSeed };

export type Examiner = {
	/** Throws: service-unavailable when too much waits, or when the document took too long. */
	readonly examine: (bytes: Uint8Array, now: Date) => Promise<Examined>;
	readonly examineSeed: (bytes: Uint8Array, now: Date) => Promise<ExaminedSeed>;
	readonly close: () => Promise<void>;
};

const QUEUE_MAX = 32;
const DEADLINE_MS = 1_000;

/** Starts nothing yet. */
export function createExaminer({ trustedCaFile, log }: ExamineSetup & { readonly log: Log }): Examiner {
	let isClosed = false;
	let opening: Promise<Pool<ExamineJob, JobAnswer>> | undefined;
	const open = () => {
		opening ??= openPool<ExamineSetup, ExamineJob, JobAnswer>({
			name: "examine",
			entry: fileURLToPath(new URL("./examine.thread.ts", import.meta.url)),
			threads: 1,
			queueMax: QUEUE_MAX,
			deadlineMs: DEADLINE_MS,
			attemptsMax: 1,
			setup: { trustedCaFile },
			log,
		}).catch((error) => {
			// The next document tries again.
			opening = undefined;
			throw error;
		});
		return opening;
	};
	const run = async (job: ExamineJob): Promise<JobAnswer> => {
		if (isClosed) throw new Problem("service-unavailable", { detail: "The service is stopping." });
		const pool = await open();
		try {
			return await pool.run(job);
		} catch (cause) {
			if (cause instanceof Problem) throw cause;
			log.warn({ bytes: job.bytes.byteLength, err: cause }, "a document of a stranger could not be examined");
			const detail = "The document could not be examined in time.";
			throw new Problem("service-unavailable", { detail, headers: { "retry-after": "60" }, cause });
		}
	};
	return {
		async examine(bytes, now) {
			const answer = await run({ what: "document", bytes, now: now.toISOString() });
			if (!("document" in answer)) throw new Error("the examining thread answered another question");
			return answer.document;
		},
		async examineSeed(bytes, now) {
			const answer = await run({ what: "seed", bytes, now: now.toISOString() });
			if (!("seed" in answer)) throw new Error("the examining thread answered another question");
			return answer.seed;
		},
		async close() {
			isClosed = true;
			if (opening) await (await opening).close();
		},
	};
}
