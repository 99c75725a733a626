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
 * - the thread hangs: after `deadlineMs` it is terminated (the only case in which one is) and treated as dead;
 * - a replacement does not start, or is not ready within START_MAX_MS: it is tried again after a pause that doubles, for as long
 *   as the pool lives.
 *
 * Quirks: threads are started one at a time and never while another is loading, because the runtime has crashed on
 * simultaneous starts and on terminating a loading thread.
 */
import { Problem } from "../problem";
import type { Log } from "../telemetry";
import type { FromThread, ToThread } from "./protocol";
import { fromFailure } from "./serve-jobs";

const ATTEMPTS_MAX = 3;
const START_MAX_MS = 30_000;
const PAUSE_FIRST_MS = 100;
const PAUSE_MAX_MS = 10_000;

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
	/** Gives a job to every thread there is; nobody waits for the answers, and a thread that starts later does not get it. */
	readonly tell: (job: Job) => void;
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
	/** It was terminated, and gets no further job although its end has not been seen yet. */
	isEnding: boolean;
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

	const isDrained = () => queue.length === 0 && [...all].every((thread) => !thread.task);

	function assign(): void {
		for (;;) {
			const task = queue[0];
			const thread = task ? idle.pop() : undefined;
			if (!task || !thread) break;
			queue.shift();
			thread.task = task;
			task.attempts++;
			thread.deadline = setTimeout(() => {
				thread.isEnding = true;
				thread.worker.terminate();
			}, options.deadlineMs);
			post(thread.worker, { kind: "job", id: task.id, job: task.job });
		}
		if (whenDrained && isDrained()) whenDrained();
	}

	function post(worker: Worker, message: ToThread<Setup, Job>): void {
		worker.postMessage(message);
	}

	function finish(thread: Thread<Job, Answer>, id: number): Task<Job, Answer> | undefined {
		if (thread.task?.id !== id) return undefined;
		const task = thread.task;
		clearTimeout(thread.deadline);
		thread.task = undefined;
		if (!thread.isEnding) idle.push(thread);
		return task;
	}

	function lose(thread: Thread<Job, Answer>): void {
		if (!all.delete(thread)) return;
		clearTimeout(thread.deadline);
		const at = idle.indexOf(thread);
		if (at >= 0) idle.splice(at, 1);
		const task = thread.task;
		if (closing && !task && queue.length === 0) return;
		replaced++;
		options.log.error({ pool: options.name, attempts: task?.attempts }, "a thread was lost and is replaced");
		if (task && task.attempts >= ATTEMPTS_MAX) {
			task.fail(new Error(`${options.name}: a job lost ${task.attempts} threads`));
		} else if (task) {
			queue.unshift(task);
		}
		replace(PAUSE_FIRST_MS);
	}

	function replace(pauseMs: number): void {
		startThread().catch((error) => {
			options.log.error({ pool: options.name, err: error, pauseMs }, "a thread could not be replaced yet");
			if (closing && all.size === 0) return giveUp();
			setTimeout(() => replace(Math.min(2 * pauseMs, PAUSE_MAX_MS)), pauseMs);
		});
	}

	/** The pool is to close and nobody is left to do what waits. */
	function giveUp(): void {
		for (const task of queue.splice(0)) task.fail(refuse("The service is stopping."));
		assign();
	}

	function startThread(): Promise<void> {
		starting = starting.then(startOne, startOne);
		return starting;
	}

	async function startOne(): Promise<void> {
		const worker = new Worker(options.entry, { name: options.name });
		const thread: Thread<Job, Answer> = { worker, task: undefined, deadline: undefined, isEnding: false };
		let isReady = false;
		let isLate = false;
		await new Promise<void>((ready, fail) => {
			// Terminating it while it loads could take the process along, so it is asked to end when it is there at last.
			const late = setTimeout(() => {
				isLate = true;
				fail(new Error(`${options.name}: a thread was not ready within ${START_MAX_MS} ms`));
			}, START_MAX_MS);
			worker.onmessage = (event: MessageEvent<FromThread<Answer>>) => {
				const message = event.data;
				if (message.kind === "ready") {
					clearTimeout(late);
					ready();
					if (isLate || (closing && isDrained())) return post(worker, { kind: "stop" });
					isReady = true;
					all.add(thread);
					idle.push(thread);
				} else if (message.kind === "setup-failed") {
					clearTimeout(late);
					fail(new Error(`${options.name}: ${message.message}`));
					post(worker, { kind: "stop" });
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
				clearTimeout(late);
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
				return Promise.reject(refuse(closing ? "The service is stopping." : "Too much work is waiting."));
			}
			return new Promise<Answer>((answer, fail) => {
				queue.push({ id: nextId++, job, attempts: 0, answer, fail });
				assign();
			});
		},
		tell(job) {
			// No task has this id, so its answer meets nobody.
			for (const { worker } of all) post(worker, { kind: "job", id: 0, job });
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

function refuse(detail: string): Problem {
	return new Problem("service-unavailable", { detail, headers: { "retry-after": "1" } });
}
