/** A thread for the pool's tests: does what each job says. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { msg, Problem } from "../../../src/platform/problem";
import { serveJobs } from "../../../src/platform/worker-pool";
import { oddSpelling } from "./odd-spelling";

export type OddJob = {
	do: "echo" | "throw" | "problem" | "exit" | "exit-once" | "hang-once" | "wait" | "note";
	file?: string;
	ms?: number;
};

export type OddSetup = {
	word: string;
	/** While this file holds something, a thread that starts takes one letter from it and fails. */
	failures: string;
};

let setUps = 0;

serveJobs<OddSetup, OddJob, string>(async (setup) => {
	setUps++;
	const left = existsSync(setup.failures) ? readFileSync(setup.failures, "utf8") : "";
	if (left !== "") {
		writeFileSync(setup.failures, left.slice(1));
		throw new Error("this thread does not start");
	}
	return async (job) => {
		const first = job.file !== undefined && job.do !== "note" && !(await Bun.file(job.file).exists());
		if (first && job.file) appendFileSync(job.file, "seen");
		if (job.do === "note" && job.file) appendFileSync(job.file, "note");
		if (job.do === "throw") throw new TypeError("thrown in the thread");
		if (job.do === "problem") throw new Problem("certificate-invalid", { detail: msg`thrown by the ${"thread"}` });
		if (job.do === "exit" || (job.do === "exit-once" && first)) process.exit(3);
		if (job.do === "hang-once" && first) for (;;) Math.random();
		if (job.do === "wait") await Bun.sleep(job.ms ?? 0);
		return `${setup.word} ${setUps}`;
	};
}, oddSpelling);
