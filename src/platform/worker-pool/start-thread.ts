/**
 * One thread, from its start until it is seen to have ended.
 *
 *   setup ──▶ ready ──▶ messages … ──▶ close
 *         └─▶ setup-failed, nothing within START_MAX_MS, close: it did not start
 */
import type { Log } from "../telemetry";
import type { FromThread, ToThread } from "./protocol";

const START_MAX_MS = 30_000;

export type ThreadOptions<Setup> = {
	readonly name: string;
	/** Path of the thread's entry file. */
	readonly entry: string;
	readonly setup: Setup;
	readonly log: Log;
};

/** What jobs came to. */
export type Finished<Answer> = Extract<FromThread<Answer>, { readonly kind: "done" | "written-answers" }>;

/** Resolves when the thread is ready; throws when it cannot be. `onEnded` is told of one that was ready, once. */
export function startThread<Setup, Job, Answer>(
	{ name, entry, setup, log }: ThreadOptions<Setup>,
	onFinished: (finished: Finished<Answer>) => void,
	onEnded: () => void,
): Promise<Worker> {
	const worker = new Worker(entry, { name });
	const post = (message: ToThread<Setup, Job>) => worker.postMessage(message);
	return new Promise((resolve, reject) => {
		let isReady = false;
		let isLate = false;
		const fail = (reason: string) => reject(new Error(`${name}: ${reason}`));
		// Terminating it while it loads could take the process along, so it is asked to end when it is there at last.
		const late = setTimeout(() => {
			isLate = true;
			fail(`a thread was not ready within ${START_MAX_MS} ms`);
		}, START_MAX_MS);
		worker.onmessage = ({ data: message }: MessageEvent<FromThread<Answer>>) => {
			if (message.kind === "ready") {
				clearTimeout(late);
				if (isLate) return post({ kind: "stop" });
				isReady = true;
				resolve(worker);
			} else if (message.kind === "setup-failed") {
				clearTimeout(late);
				fail(message.message);
				post({ kind: "stop" });
			} else {
				onFinished(message);
			}
		};
		// An uncaught error is followed by `close`, which is where the thread is given up.
		worker.onerror = (event) => {
			log.error({ pool: name, detail: event.message }, "a thread failed");
			event.preventDefault?.();
		};
		worker.addEventListener("close", () => {
			clearTimeout(late);
			if (isReady) onEnded();
			else fail("a thread ended before it was ready");
		});
		post({ kind: "setup", setup });
	});
}

/** Asks a thread to end and waits until it has. */
export function endThread(worker: Worker): Promise<void> {
	const ended = new Promise<void>((done) => worker.addEventListener("close", () => done()));
	worker.postMessage({ kind: "stop" } satisfies ToThread<never, never>);
	return ended;
}
