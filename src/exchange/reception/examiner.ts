/** Examines counterparties' documents and seeds in a separate thread. */
import { fileURLToPath } from "node:url";
import type { Log } from "../../platform/telemetry";
import { createUntrustedInputPool } from "../../platform/worker-pool";
import type { Examined, ExaminedSeed, ExamineJob, ExamineSetup, JobAnswer } from "./examine";

export type Examiner = {
	/** Throws: service-unavailable when too many examinations wait, or when this one took too long. */
	readonly examine: (bytes: Uint8Array, now: Date) => Promise<Examined>;
	readonly examineSeed: (bytes: Uint8Array, now: Date) => Promise<ExaminedSeed>;
	readonly close: () => Promise<void>;
};

/** Creates the examiner. The thread starts with the first examination. */
export function createExaminer({ trustedCaFile, log }: ExamineSetup & { readonly log: Log }): Examiner {
	const entry = fileURLToPath(new URL("./examine.thread.ts", import.meta.url));
	const { run, close } = createUntrustedInputPool<ExamineSetup, ExamineJob, JobAnswer>({
		...{ name: "examine", entry, setup: { trustedCaFile }, subject: "document", log },
	});
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
		close,
	};
}
