import { Problem } from "../problem";
import type { Done, Failure, FromThread, ToThread } from "./protocol";

declare const self: Worker;

/** The thread's side: sets up once, says ready, then answers jobs one after another until it is told to stop. */
export function serveJobs<Setup, Job, Answer>(setUp: (setup: Setup) => Promise<(job: Job) => Promise<Answer>>): void {
	let handle: ((job: Job) => Promise<Answer>) | undefined;
	const tell = (message: FromThread<Answer>) => self.postMessage(message);
	self.onmessage = async (event: MessageEvent<ToThread<Setup, Job>>) => {
		const message = event.data;
		if (message.kind === "stop") process.exit(0);
		if (message.kind === "setup") {
			try {
				handle = await setUp(message.setup);
				tell({ kind: "ready" });
			} catch (error) {
				tell({ kind: "setup-failed", message: String(error) });
			}
			return;
		}
		const done: Done<Answer>[] = [];
		for (const { id, job } of message.jobs) {
			try {
				if (!handle) throw new Error("a job came before the set-up");
				done.push({ id, answer: await handle(job) });
			} catch (error) {
				done.push({ id, failure: toFailure(error) });
			}
		}
		tell({ kind: "done", done });
	};
}

function toFailure(error: unknown): Failure {
	if (error instanceof Problem) {
		const { slug, detail, faults, extensions } = error;
		return { problem: true, slug, detail, faults, extensions };
	}
	if (error instanceof Error) return { problem: false, name: error.name, message: error.message, stack: error.stack };
	return { problem: false, name: "Error", message: String(error) };
}

/** The error again on the pool's side. */
export function fromFailure(failure: Failure): Error {
	if (failure.problem) {
		const { slug, detail, faults, extensions } = failure;
		return new Problem(slug, { detail, faults, extensions });
	}
	const error = new Error(failure.message);
	error.name = failure.name;
	if (failure.stack) error.stack = failure.stack;
	return error;
}
