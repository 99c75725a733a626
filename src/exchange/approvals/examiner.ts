/** Examines counterparties' approvals in a separate thread, as reception does with documents. */
import { fileURLToPath } from "node:url";
import type { Log } from "../../platform/telemetry";
import { createUntrustedInputPool } from "../../platform/worker-pool";
import type { ExaminedApproval, ExamineJob, ExamineSetup } from "./examine";

export type ApprovalExaminer = {
	/** Throws: service-unavailable when too many examinations wait, or when this one took too long. */
	readonly examine: (bytes: Uint8Array, now: Date) => Promise<ExaminedApproval>;
	readonly close: () => Promise<void>;
};

/** Creates the examiner. The thread starts with the first examination. */
export function createApprovalExaminer({ trustedCaFile, log }: ExamineSetup & { readonly log: Log }): ApprovalExaminer {
	const entry = fileURLToPath(new URL("./examine.thread.ts", import.meta.url));
	const { run, close } = createUntrustedInputPool<ExamineSetup, ExamineJob, ExaminedApproval>({
		...{ name: "examine-approvals", entry, setup: { trustedCaFile }, subject: "approval", log },
	});
	return { examine: (bytes, now) => run({ bytes, now: now.toISOString() }), close };
}
