/**
 * Typed request and answer over a fixed number of long-lived threads.
 *
 * Model: a job waits in one bounded queue, runs on one idle thread, and is answered once. A thread is starting, idle, busy or
 * gone. Jobs must be safe to do again: the job of a thread that died or hung is given to another.
 *
 * What fails:
 * - the queue is full: `service-unavailable` at once, before anything is done;
 * - the thread throws: the job fails with that error;
 * - the thread dies: noticed by its `close` event, since a message posted to a dead thread is lost in silence; the thread is
 *   replaced, its job done again, at most ATTEMPTS_MAX times, for a job that kills threads must not kill them for ever;
 * - the thread hangs: after `deadlineMs` it is terminated (the only case in which one is) and treated as dead.
 *
 * Quirks: threads are started one at a time and never while another is loading, because the runtime has crashed on
 * simultaneous starts and on terminating a loading thread.
 */
import { Problem } from "../problem";
import type { Log } from "../telemetry";
import type { FromThread, ToThread } from "./protocol";
import { fromFailure } from "./serve-jobs";

const ATTEMPTS_MAX = 3;

export type PoolOptions<Setup> = {
	readonly name: string;
	/** Path of the thread's entry file. */
	readonly entry: string;
	readonly threads: number;
	readonly queueMax: number;
	readonly deadlineMs: number;
	readonly setup: Setup;
	readonly log: Log;
};

export type Pool<Job, Answer> = {
	/** Throws: service-unavailable when the queue is full or the pool is closing; whatever the job throws. */
	readonly run: (job: Job) => Promise<Answer>;
	readonly stats: () => { threads: number; busy: number; queued: number; replaced: number };
	/** Waits for running and queued jobs, then ends the threads. */
	readonly close: () => Promise<void>;
};

type Task<Job, Answer> = {
	readonly id: number;
	readonly job: Job;
	attempts: number;
	readonly answer: (answer: Answer) => void;
	readonly fail: (error: Error) => void;
};

type Thread<Job, Answer> = {
	readonly worker: Worker;
	task: Task<Job, Answer> | undefined;
	deadline: ReturnType<typeof setTimeout> | undefined;
};

/** Starts all threads; resolves when each has said that it is ready. */
export async function openPool<Setup, Job, Answer>(options: PoolOptions<Setup>): Promise<Pool<Job, Answer>> {
	const idle: Thread<Job, Answer>[] = [];
	const all = new Set<Thread<Job, Answer>>();
	const queue: Task<Job, Answer>[] = [];
	let nextId = 1;
	let replaced = 0;
	let closing = false;
	let starting: Promise<void> = Promise.resolve();
	let whenDrained: (() => void) | undefined;

	function assign(): void {
		for (;;) {
			const task = queue[0];
			const thread = task ? idle.pop() : undefined;
			if (!task || !thread) break;
			queue.shift();
			thread.task = task;
			task.attempts++;
			thread.deadline = setTimeout(() => thread.worker.terminate(), options.deadlineMs);
			post(thread.worker, { kind: "job", id: task.id, job: task.job });
		}
		if (whenDrained && queue.length === 0 && [...all].every((t) => !t.task)) whenDrained();
	}

	function post(worker: Worker, message: ToThread<Setup, Job>): void {
		worker.postMessage(message);
	}

	function finish(thread: Thread<Job, Answer>, id: number): Task<Job, Answer> | undefined {
		if (thread.task?.id !== id) return undefined;
		const task = thread.task;
		clearTimeout(thread.deadline);
		thread.task = undefined;
		idle.push(thread);
		return task;
	}

	function lose(thread: Thread<Job, Answer>): void {
		if (!all.delete(thread)) return;
		clearTimeout(thread.deadline);
		const at = idle.indexOf(thread);
		if (at >= 0) idle.splice(at, 1);
		const task = thread.task;
		if (closing && !task) return;
		replaced++;
		options.log.error({ pool: options.name, attempts: task?.attempts }, "a thread was lost and is replaced");
		if (task && task.attempts >= ATTEMPTS_MAX) {
			task.fail(new Error(`${options.name}: a job lost ${task.attempts} threads`));
		} else if (task) {
			queue.unshift(task);
		}
		startThread().catch((error) =>
			options.log.error({ pool: options.name, err: error }, "a thread could not be replaced"),
		);
	}

	function startThread(): Promise<void> {
		starting = starting.then(startOne, startOne);
		return starting;
	}

	async function startOne(): Promise<void> {
		const worker = new Worker(options.entry, { name: options.name });
		const thread: Thread<Job, Answer> = { worker, task: undefined, deadline: undefined };
		await new Promise<void>((ready, fail) => {
			let isReady = false;
			worker.onmessage = (event: MessageEvent<FromThread<Answer>>) => {
				const message = event.data;
				if (message.kind === "ready") {
					isReady = true;
					all.add(thread);
					idle.push(thread);
					ready();
				} else if (message.kind === "setup-failed") {
					fail(new Error(`${options.name}: ${message.message}`));
				} else if (message.kind === "done") {
					finish(thread, message.id)?.answer(message.answer);
				} else {
					finish(thread, message.id)?.fail(fromFailure(message.failure));
				}
				assign();
			};
			// An uncaught error is followed by `close`, which is where the thread is given up.
			worker.onerror = (event) => {
				options.log.error({ pool: options.name, detail: event.message }, "a thread failed");
				event.preventDefault?.();
			};
			worker.addEventListener("close", () => {
				if (isReady) lose(thread);
				else fail(new Error(`${options.name}: a thread ended before it was ready`));
			});
			post(worker, { kind: "setup", setup: options.setup });
		});
		assign();
	}

	for (let i = 0; i < options.threads; i++) await startThread();

	return {
		run(job) {
			if (closing || queue.length >= options.queueMax) {
				const detail = closing ? "The service is stopping." : "Too much work is waiting.";
				return Promise.reject(new Problem("service-unavailable", { detail, headers: { "retry-after": "1" } }));
			}
			return new Promise<Answer>((answer, fail) => {
				queue.push({ id: nextId++, job, attempts: 0, answer, fail });
				assign();
			});
		},
		stats: () => ({ threads: all.size, busy: all.size - idle.length, queued: queue.length, replaced }),
		async close() {
			closing = true;
			await new Promise<void>((drained) => {
				whenDrained = drained;
				assign();
			});
			await Promise.all(
				[...all].map((thread) => {
					const ended = new Promise<void>((done) => thread.worker.addEventListener("close", () => done()));
					post(thread.worker, { kind: "stop" });
					return ended;
				}),
			);
		},
	};
}
