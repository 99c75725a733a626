/**
 * Typed request and answer over a fixed number of long-lived threads.
 *
 * Model: a job waits in one bounded queue, runs on one idle thread, and is answered once. A thread is starting, idle, busy or
 * gone. Jobs must be safe to do again: those of a thread that died or hung are given to another. What waits is shared out between
 * the idle threads, several jobs in one message, because waking a thread can cost as much as a job; their answers come in one as well.
 *
 * What fails:
 * - the queue is full: `service-unavailable` at once, before anything is done;
 * - the thread throws: the job fails with that error;
 * - the thread dies: noticed by its `close` event, since a message posted to a dead thread is lost in silence; the thread is
 *   replaced, its jobs done again, each alone from then on, for nobody knows which of them it was; at most ATTEMPTS_MAX times, for a
 *   job that kills threads must not kill them for ever;
 * - the thread hangs: after `deadlineMs` it is terminated (the only case in which one is) and treated as dead;
 * - a replacement does not start, or is not ready in time: it is tried again after a pause that doubles, for as long as the pool
 *   lives.
 *
 * Quirks: threads are started one at a time and never while another is loading, because the runtime has crashed on
 * simultaneous starts and on terminating a loading thread.
 */
import { Problem } from "../problem";
import { type Spellings, toDone, toMessage } from "./messages";
import type { Done } from "./protocol";
import { fromFailure } from "./serve-jobs";
import { endThread, startThread, type ThreadOptions } from "./start-thread";

const ATTEMPTS_MAX = 3;
const PAUSE_FIRST_MS = 100;
const PAUSE_MAX_MS = 10_000;

export type PoolOptions<Setup, Job, Answer> = ThreadOptions<Setup> & {
	readonly threads: number;
	readonly queueMax: number;
	/** Longest time for one message's jobs. */
	readonly deadlineMs: number;
	/** How many threads a job may take with it; three unless told otherwise. */
	readonly attemptsMax?: number;
	/** Most jobs of one message; one unless told otherwise. */
	readonly jobsMax?: number;
	/** How jobs and answers cross as text; without it, and where it leaves one out, they cross as they are. The threads know it too. */
	readonly spelling?: Spellings<Job, Answer>;
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
	/** What it works on. */
	tasks: readonly Task<Job, Answer>[];
	deadline: ReturnType<typeof setTimeout> | undefined;
	/** It was terminated, and gets no further job although its end has not been seen yet. */
	isEnding: boolean;
};

/** Starts all threads; resolves when each has said that it is ready. */
export async function openPool<Setup, Job, Answer>(
	options: PoolOptions<Setup, Job, Answer>,
): Promise<Pool<Job, Answer>> {
	const idle: Thread<Job, Answer>[] = [];
	const all = new Set<Thread<Job, Answer>>();
	const queue: Task<Job, Answer>[] = [];
	let nextId = 1;
	let replaced = 0;
	let closing = false;
	let starting: Promise<void> = Promise.resolve();
	let whenDrained: (() => void) | undefined;

	const isDrained = () => queue.length === 0 && [...all].every((thread) => thread.tasks.length === 0);

	let isScheduled = false;
	/** What comes in one turn of the event loop is shared out together. */
	function schedule(): void {
		if (isScheduled || idle.length === 0) return;
		isScheduled = true;
		setImmediate(() => {
			isScheduled = false;
			assign();
		});
	}

	function assign(): void {
		while (queue.length > 0) {
			const share = Math.ceil(queue.length / Math.max(1, idle.length));
			const thread = idle.pop();
			if (!thread) break;
			thread.tasks = takeTasks(Math.min(share, options.jobsMax ?? 1));
			for (const task of thread.tasks) task.attempts++;
			thread.deadline = setTimeout(() => {
				thread.isEnding = true;
				thread.worker.terminate();
			}, options.deadlineMs);
			thread.worker.postMessage(toMessage(thread.tasks, options.spelling?.jobs));
		}
		if (whenDrained && isDrained()) whenDrained();
	}

	/** The first of the queue, and others that have not been lost before; one that has been goes alone. */
	function takeTasks(most: number): Task<Job, Answer>[] {
		let count = 1;
		if (queue[0]?.attempts === 0) while (count < most && queue[count]?.attempts === 0) count++;
		return queue.splice(0, count);
	}

	function finish(thread: Thread<Job, Answer>, done: readonly Done<Answer>[]): void {
		const tasks = new Map(thread.tasks.map((task) => [task.id, task]));
		// Answers of what was told to all threads, or of a thread that is taken for lost.
		if (!done.some(({ id }) => tasks.has(id))) return;
		clearTimeout(thread.deadline);
		thread.tasks = [];
		if (!thread.isEnding) idle.push(thread);
		for (const one of done) {
			const task = tasks.get(one.id);
			if ("failure" in one) task?.fail(fromFailure(one.failure));
			else task?.answer(one.answer);
		}
	}

	function lose(thread: Thread<Job, Answer>): void {
		if (!all.delete(thread)) return;
		clearTimeout(thread.deadline);
		const at = idle.indexOf(thread);
		if (at >= 0) idle.splice(at, 1);
		const { tasks } = thread;
		if (closing && tasks.length === 0 && queue.length === 0) return;
		replaced++;
		options.log.error({ pool: options.name, jobs: tasks.length }, "a thread was lost and is replaced");
		const hopeless = tasks.filter(({ attempts }) => attempts >= (options.attemptsMax ?? ATTEMPTS_MAX));
		for (const task of hopeless) task.fail(new Error(`${options.name}: a job lost ${task.attempts} threads`));
		queue.unshift(...tasks.filter((task) => !hopeless.includes(task)));
		replace(PAUSE_FIRST_MS);
	}

	function replace(pauseMs: number): void {
		addThread().catch((error) => {
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

	function addThread(): Promise<void> {
		starting = starting.then(addOne, addOne);
		return starting;
	}

	async function addOne(): Promise<void> {
		let thread: Thread<Job, Answer> | undefined;
		const worker = await startThread<Setup, Job, Answer>(
			options,
			(finished) => {
				if (thread) finish(thread, toDone(finished, options.spelling?.answers));
				assign();
			},
			() => {
				if (thread) lose(thread);
			},
		);
		if (closing && isDrained()) return void endThread(worker);
		thread = { worker, tasks: [], deadline: undefined, isEnding: false };
		all.add(thread);
		idle.push(thread);
		assign();
	}

	for (let i = 0; i < options.threads; i++) await addThread();

	return {
		run(job) {
			// Those that an idle thread is about to take do not wait.
			if (closing || queue.length >= options.queueMax + idle.length) {
				return Promise.reject(refuse(closing ? "The service is stopping." : "Too much work is waiting."));
			}
			return new Promise<Answer>((answer, fail) => {
				queue.push({ id: nextId++, job, attempts: 0, answer, fail });
				schedule();
			});
		},
		tell(job) {
			// No task has this id, so its answer meets nobody.
			for (const { worker } of all) worker.postMessage(toMessage([{ id: 0, job }]));
		},
		stats: () => ({ threads: all.size, busy: all.size - idle.length, queued: queue.length, replaced }),
		async close() {
			closing = true;
			await new Promise<void>((drained) => {
				whenDrained = drained;
				assign();
			});
			await Promise.all([...all].map(({ worker }) => endThread(worker)));
		},
	};
}

function refuse(detail: string): Problem {
	return new Problem("service-unavailable", { detail, headers: { "retry-after": "1" } });
}
