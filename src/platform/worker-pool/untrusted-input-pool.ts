/**
 * One thread for untrusted input: whatever it is, it costs others at most one turn of a bounded queue.
 *
 * The thread starts with the first job. A job that takes longer than a second counts as hostile: the thread is ended, the job is not
 * retried, and the sender is asked to come back later. The largest honest input takes a fraction of that.
 */
import { msg, Problem } from "../problem";
import type { Log } from "../telemetry";
import { openPool, type Pool } from "./pool";

type UntrustedInputPool<Job, Answer> = {
	/** Throws: service-unavailable when the queue is full, when the job took too long, and at shutdown. */
	readonly run: (job: Job) => Promise<Answer>;
	readonly close: () => Promise<void>;
};

const QUEUE_MAX = 32;
const DEADLINE_MS = 1_000;

/** Starts no thread yet. `subject` names what a job is about, in a word. */
export function createUntrustedInputPool<Setup, Job extends { readonly bytes: Uint8Array }, Answer>({
	subject,
	log,
	...thread
}: {
	readonly name: string;
	/** Path of the thread's entry file. */
	readonly entry: string;
	readonly setup: Setup;
	readonly subject: "document" | "approval";
	readonly log: Log;
}): UntrustedInputPool<Job, Answer> {
	let isClosed = false;
	let opening: Promise<Pool<Job, Answer>> | undefined;
	const open = () => {
		opening ??= openPool<Setup, Job, Answer>({
			...thread,
			...{ threads: 1, queueMax: QUEUE_MAX, deadlineMs: DEADLINE_MS, attemptsMax: 1, log },
		}).catch((error) => {
			// The next job tries again.
			opening = undefined;
			throw error;
		});
		return opening;
	};
	return {
		async run(job) {
			if (isClosed) throw new Problem("service-unavailable", { detail: msg`The service is stopping.` });
			const pool = await open();
			try {
				return await pool.run(job);
			} catch (cause) {
				if (cause instanceof Problem) throw cause;
				log.warn(
					{ event: "input.examine_failed", subject, bytes: job.bytes.byteLength, err: cause },
					"cannot examine untrusted input",
				);
				const detail =
					subject === "document"
						? msg`The document could not be examined in time.`
						: msg`The approval could not be examined in time.`;
				throw new Problem("service-unavailable", { detail, headers: { "retry-after": "60" }, cause });
			}
		},
		async close() {
			isClosed = true;
			if (opening) await (await opening).close();
		},
	};
}
