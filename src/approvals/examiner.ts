/**
 * Examines strangers' approvals in a thread of its own, as reception does with documents: whatever they send costs others one turn of a bounded
 * queue. The thread starts with the first approval. One that takes longer than a second ends with it, and is not tried again.
 */
import { fileURLToPath } from "node:url";
import { Problem } from "../problem";
import type { Log } from "../telemetry";
import { openPool, type Pool } from "../worker-pool";
import type { ExaminedApproval } from "./examine";

export type ExamineSetup = {
	/** PEM bundle of the authorities that signers must come from; without it an approval is intact at best. */
	readonly trustedCaFile: string | undefined;
};
export type ExamineJob = {
	readonly bytes: Uint8Array;
	/** ISO instant. */
	readonly now: string;
};

export type ApprovalExaminer = {
	/** Throws: service-unavailable when too much waits, or when it took too long. */
	readonly examine: (bytes: Uint8Array, now: Date) => Promise<ExaminedApproval>;
	readonly close: () => Promise<void>;
};

const QUEUE_MAX = 32;
const DEADLINE_MS = 1_000;

/** Starts nothing yet. */
export function createApprovalExaminer({ trustedCaFile, log }: ExamineSetup & { readonly log: Log }): ApprovalExaminer {
	let isClosed = false;
	let opening: Promise<Pool<ExamineJob, ExaminedApproval>> | undefined;
	const open = () => {
		opening ??= openPool<ExamineSetup, ExamineJob, ExaminedApproval>({
			name: "examine-approvals",
			entry: fileURLToPath(new URL("./examine.thread.ts", import.meta.url)),
			...{ threads: 1, queueMax: QUEUE_MAX, deadlineMs: DEADLINE_MS, attemptsMax: 1, setup: { trustedCaFile }, log },
		}).catch((error) => {
			// The next one tries again.
			opening = undefined;
			throw error;
		});
		return opening;
	};
	return {
		async examine(bytes, now) {
			if (isClosed) throw new Problem("service-unavailable", { detail: "The service is stopping." });
			const pool = await open();
			try {
				return await pool.run({ bytes, now: now.toISOString() });
			} catch (cause) {
				if (cause instanceof Problem) throw cause;
				log.warn({ bytes: bytes.byteLength, err: cause }, "an approval of a stranger could not be examined");
				const detail = "The approval could not be examined in time.";
				throw new Problem("service-unavailable", { detail, headers: { "retry-after": "60" }, cause });
			}
		},
		async close() {
			isClosed = true;
			if (opening) await (await opening).close();
		},
	};
}
