/** A thread for the pool's tests: does what each job says. */
import { appendFileSync } from "node:fs";
import { Problem } from "../../src/problem";
import { serveJobs } from "../../src/worker-pool";

export type OddJob = {
	do: "echo" | "throw" | "problem" | "exit" | "exit-once" | "hang-once" | "wait";
	file?: string;
	ms?: number;
};

let setUps = 0;

serveJobs<{ word: string }, OddJob, string>(async (setup) => {
	setUps++;
	return async (job) => {
		const first = job.file !== undefined && !(await Bun.file(job.file).exists());
		if (first && job.file) appendFileSync(job.file, "seen");
		if (job.do === "throw") throw new TypeError("thrown in the thread");
		if (job.do === "problem") throw new Problem("certificate-invalid", { detail: "told by the thread" });
		if (job.do === "exit" || (job.do === "exit-once" && first)) process.exit(3);
		if (job.do === "hang-once" && first) for (;;) Math.random();
		if (job.do === "wait") await Bun.sleep(job.ms ?? 0);
		return `${setup.word} ${setUps}`;
	};
});
