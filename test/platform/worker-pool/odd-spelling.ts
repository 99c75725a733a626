/** How the jobs and answers of the odd thread cross as text. */
import type { Spelling } from "../../../src/platform/worker-pool";
import type { OddJob } from "./odd.thread";

/** Echoes cross as text, the other jobs as they are. */
export const oddSpelling: { jobs: Spelling<OddJob>; answers: Spelling<string> } = {
	jobs: {
		write: (job) => (job.do === "echo" ? { head: null, texts: ["echo"] } : undefined),
		read: ({ texts: [what] }) => ({ do: what === "echo" ? what : "throw" }),
	},
	answers: { write: (answer) => ({ head: {}, texts: [answer] }), read: ({ texts: [answer = ""] }) => answer },
};
