/**
 * Typed jobs over a fixed number of long-lived threads.
 *
 * Model: a job waits in one bounded queue, runs on one thread and is answered once. A thread is starting, idle, busy or gone. Jobs must be
 * safe to repeat: those of a thread that died or hung go to another. Waiting jobs are shared out between idle threads, several in one
 * message, because waking a thread can cost as much as a job; their answers come in one message too.
 *
 * Optionally a busy thread gets a full message in advance, as soon as enough jobs wait: the main thread may be busy for a while, and a
 * thread without work would stand still.
 *
 *   queue      j k              shared out at the end of the event-loop turn, or when they fill a message
 *   thread 1   [a b c] [g h i]  works on the first message; the second waits at the thread
 *   thread 2   [d e f]
 *
 * Failures:
 * - the queue is full: `service-unavailable` at once, before anything is done;
 * - the thread throws: the job fails with that error;
 * - the thread dies: its `close` event shows it, since messages to a dead thread are lost silently. The thread is replaced and its jobs are
 *   repeated, each alone from then on, since any of them may have killed it; at most ATTEMPTS_MAX times;
 * - the thread hangs: after `deadlineMs` it is terminated and treated as dead;
 * - a replacement does not start in time: it is retried after a pause that doubles, for as long as the pool lives.
 *
 * Quirk: threads are started one at a time and never while another is loading, because the runtime has crashed on simultaneous starts and
 * on terminating a loading thread.
 */
import { type Message, msg, Problem } from "../problem";
import type { Log } from "../telemetry";
import {
	type Done,
	type Finished,
	type FromThread,
	fromFailure,
	type Spellings,
	type ToThread,
	toDone,
	toMessage,
} from "./protocol";

const ATTEMPTS_MAX = 3;
const PAUSE_FIRST_MS = 100;
const PAUSE_MAX_MS = 10_000;

type PoolOptions<Setup, Job, Answer> = ThreadOptions<Setup> & {
	readonly threads: number;
	readonly queueMax: number;
	/** Longest time for the jobs of one message. */
	readonly deadlineMs: number;
	/** How many threads a job may kill. Default: three. */
	readonly attemptsMax?: number;
	/** Most jobs of one message. Default: one. */
	readonly jobsMax?: number;
	/** Most full messages in advance for a busy thread. Default: none. */
	readonly aheadMax?: number;
	/** True for jobs that take much longer than others, which would wait behind them. */
	readonly isLong?: (job: Job) => boolean;
	/**
	 * How jobs and answers cross as text; otherwise, and where it declines a value, they cross as objects. The threads must know it too.
	 */
	readonly spelling?: Spellings<Job, Answer>;
};

export type Pool<Job, Answer> = {
	/** Throws: service-unavailable when the queue is full or the pool is closing; whatever the job throws. */
	readonly run: (job: Job) => Promise<Answer>;
	/** Sends a job to every running thread without waiting for answers; a thread that starts later does not get it. */
	readonly broadcast: (job: Job) => void;
	readonly stats: () => { threads: number; busy: number; queued: number; replaced: number };
	/** Waits for running and queued jobs, then ends the threads. */
	readonly close: () => Promise<void>;
};

type Task<Job, Answer> = {
	readonly id: number;
	readonly job: Job;
	attempts: number;
	/** In a message of its own, with nothing behind it. */
	goesAlone: boolean;
	readonly answer: (answer: Answer) => void;
	readonly fail: (error: Error) => void;
};

type Thread<Job, Answer> = {
	readonly worker: Worker;
	/** The jobs of each of its messages; the first is being worked on. */
	readonly messages: (readonly Task<Job, Answer>[])[];
	deadline: ReturnType<typeof setTimeout> | undefined;
	/** It was terminated and gets no further job, although its end has not been seen yet. */
	isEnding: boolean;
};

/** Starts all threads; resolves when all are ready. */
export async function openPool<Setup, Job, Answer>(
	options: PoolOptions<Setup, Job, Answer>,
): Promise<Pool<Job, Answer>> {
	const { jobsMax = 1, aheadMax = 0, attemptsMax = ATTEMPTS_MAX } = options;
	const all = new Set<Thread<Job, Answer>>();
	const queue: Task<Job, Answer>[] = [];
	let nextId = 1;
	let replaced = 0;
	let closing = false;
	let starting: Promise<void> = Promise.resolve();
	let whenDrained: (() => void) | undefined;

	const isDrained = () => queue.length === 0 && [...all].every((thread) => thread.messages.length === 0);

	let isScheduled = false;
	/** Jobs of one event-loop turn are shared out together, or earlier when they fill a message. */
	function schedule(): void {
		if (queue.length >= jobsMax) assign();
		if (isScheduled || queue.length === 0 || countIdle(all) === 0) return;
		isScheduled = true;
		setImmediate(() => {
			isScheduled = false;
			assign();
		});
	}

	function assign(): void {
		for (let next = queue[0]; next; next = queue[0]) {
			const thread = chooseThread(all, next.goesAlone || queue.length < jobsMax ? 0 : aheadMax);
			if (!thread) break;
			const share = Math.ceil(queue.length / Math.max(1, countIdle(all)));
			const tasks = takeTasks(Math.min(share, jobsMax));
			for (const task of tasks) task.attempts++;
			thread.messages.push(tasks);
			if (thread.messages.length === 1) watch(thread);
			thread.worker.postMessage(toMessage(tasks, options.spelling?.jobs));
		}
		if (whenDrained && isDrained()) whenDrained();
	}

	/** For the message that it works on next. */
	function watch(thread: Thread<Job, Answer>): void {
		clearTimeout(thread.deadline);
		if (thread.messages.length === 0 || thread.isEnding) return;
		thread.deadline = setTimeout(() => {
			thread.isEnding = true;
			thread.worker.terminate();
		}, options.deadlineMs);
	}

	/** The first of the queue, and more unless it goes alone. */
	function takeTasks(most: number): Task<Job, Answer>[] {
		let count = 1;
		if (queue[0]?.goesAlone === false) while (count < most && queue[count]?.goesAlone === false) count++;
		return queue.splice(0, count);
	}

	function finish(thread: Thread<Job, Answer>, done: readonly Done<Answer>[]): void {
		const tasks = new Map(thread.messages[0]?.map((task) => [task.id, task]));
		// Answers to a broadcast, or of a thread that counts as lost.
		if (!done.some(({ id }) => tasks.has(id))) return;
		thread.messages.shift();
		watch(thread);
		for (const one of done) {
			const task = tasks.get(one.id);
			if ("failure" in one) task?.fail(fromFailure(one.failure));
			else task?.answer(one.answer);
		}
	}

	function lose(thread: Thread<Job, Answer>): void {
		if (!all.delete(thread)) return;
		clearTimeout(thread.deadline);
		const tasks = thread.messages.flat();
		if (closing && tasks.length === 0 && queue.length === 0) return;
		replaced++;
		options.log.error(
			{ event: "thread.lost", pool: options.name, jobs: tasks.length },
			"lost a thread; starting another",
		);
		const hopeless = (thread.messages[0] ?? []).filter(({ attempts }) => attempts >= attemptsMax);
		for (const task of hopeless) task.fail(new Error(`${options.name}: a job lost ${task.attempts} threads`));
		for (const task of tasks) task.goesAlone = true;
		queue.unshift(...tasks.filter((task) => !hopeless.includes(task)));
		replace(PAUSE_FIRST_MS);
	}

	function replace(pauseMs: number): void {
		addThread().catch((error) => {
			options.log.error(
				{ event: "thread.replace_failed", pool: options.name, err: error, pauseMs },
				"cannot replace a thread; retrying",
			);
			if (closing && all.size === 0) return giveUp();
			setTimeout(() => replace(Math.min(2 * pauseMs, PAUSE_MAX_MS)), pauseMs);
		});
	}

	/** The pool is closing and no thread is left for the waiting jobs. */
	function giveUp(): void {
		for (const task of queue.splice(0)) task.fail(refuse(msg`The service is stopping.`));
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
		thread = { worker, messages: [], deadline: undefined, isEnding: false };
		all.add(thread);
		assign();
	}

	for (let i = 0; i < options.threads; i++) await addThread();

	return {
		run(job) {
			// Jobs that an idle thread is about to take do not count as waiting.
			if (closing || queue.length >= options.queueMax + countIdle(all)) {
				return Promise.reject(refuse(closing ? msg`The service is stopping.` : msg`Too much work is waiting.`));
			}
			return new Promise<Answer>((answer, fail) => {
				queue.push({ id: nextId++, job, attempts: 0, goesAlone: options.isLong?.(job) ?? false, answer, fail });
				schedule();
			});
		},
		broadcast(job) {
			// No task has this id, so its answer is ignored.
			for (const { worker } of all) worker.postMessage(toMessage([{ id: 0, job }]));
		},
		stats: () => {
			const ahead = [...all].flatMap(({ messages }) => messages.slice(1).flat());
			return { threads: all.size, busy: all.size - countIdle(all), queued: queue.length + ahead.length, replaced };
		},
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

function refuse(detail: Message): Problem {
	return new Problem("service-unavailable", { detail, headers: { "retry-after": "1" } });
}

/** Chooses the thread for the next message. */

type Choosable = {
	/** Its messages; the first is being worked on. */
	readonly messages: readonly (readonly { readonly goesAlone: boolean }[])[];
	/** It was terminated and gets no further job, although its end has not been seen yet. */
	readonly isEnding: boolean;
};

/**
 * The thread with the fewest messages, at most `behindMost`, none of them with a job that goes alone; undefined when there is none. Of
 * several, the one that was started last: a job lost with a thread goes to its replacement.
 */
export function chooseThread<T extends Choosable>(threads: Iterable<T>, behindMost: number): T | undefined {
	let best: T | undefined;
	for (const thread of threads) {
		const { length } = thread.messages;
		if (thread.isEnding || length > behindMost || (best && length > best.messages.length)) continue;
		if (!thread.messages.some(isAlone)) best = thread;
	}
	return best;
}

export function countIdle(threads: Iterable<Choosable>): number {
	let idle = 0;
	for (const { isEnding, messages } of threads) if (!isEnding && messages.length === 0) idle++;
	return idle;
}

const isAlone = (jobs: readonly { readonly goesAlone: boolean }[]) => jobs.some(({ goesAlone }) => goesAlone);

/**
 * One thread from its start to its end.
 *
 *   setup ──▶ ready ──▶ messages … ──▶ close
 *         └─▶ setup-failed, or nothing within START_MAX_MS, or close: it did not start
 */

const START_MAX_MS = 30_000;

type ThreadOptions<Setup> = {
	readonly name: string;
	/** Path of the thread's entry file. */
	readonly entry: string;
	readonly setup: Setup;
	readonly log: Log;
};

/** Resolves when the thread is ready; rejects when it fails. `onEnded` is called once, for a thread that was ready. */
function startThread<Setup, Job, Answer>(
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
		// Terminating a thread while it loads could crash the process, so it is asked to end when it is ready.
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
		// `close` follows an uncaught error, and there the thread is given up.
		worker.onerror = (event) => {
			log.error({ event: "thread.failed", pool: name, detail: event.message }, "a thread failed");
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

function endThread(worker: Worker): Promise<void> {
	const ended = new Promise<void>((done) => worker.addEventListener("close", () => done()));
	worker.postMessage({ kind: "stop" } satisfies ToThread<never, never>);
	return ended;
}
