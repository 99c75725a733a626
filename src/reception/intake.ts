import { Problem } from "../problem";

export type Intake = {
	/** Does the work if there is room for it. Throws: service-unavailable. */
	readonly take: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/** So much of strangers is under way at a time, bodies that are still coming included; the next one is told to come again. */
export function createIntake(most: number): Intake {
	let taken = 0;
	return {
		async take(work) {
			if (taken >= most) {
				const detail = "Too many documents are being received.";
				throw new Problem("service-unavailable", { detail, headers: { "retry-after": "2" } });
			}
			taken++;
			try {
				return await work();
			} finally {
				taken--;
			}
		},
	};
}
