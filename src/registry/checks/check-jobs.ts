/** Gives jobs to the thread that works on lists. It starts with a job and ends, with all its memory, some seconds after the last one. */

import { Message } from "../../platform/problem";
import type { FromChecks, Job, JobResults, ToChecks } from "./check.thread";
import type { CheckProgress } from "./check-list";
import { ListError } from "./list-row";

export type CheckJobs = {
	/** Jobs of one owner follow one another. Throws: ListError; an Error if the thread dies or `signal` aborts. */
	readonly run: <J extends Job>(owner: string, job: J, options?: JobOptions) => Promise<JobResults[J["do"]]>;
	/** Ends the thread and fails all jobs. */
	readonly close: () => void;
};

type JobOptions = {
	readonly signal?: AbortSignal;
	readonly onProgress?: (progress: CheckProgress) => void;
};

type Waiting = {
	readonly settle: (result: JobResults[keyof JobResults]) => void;
	readonly fail: (error: Error) => void;
	readonly onProgress: ((progress: CheckProgress) => void) | undefined;
};

const IDLE_MS = 10_000;

export function createCheckJobs(): CheckJobs {
	const waiting = new Map<number, Waiting>();
	let thread: Worker | undefined;
	let idle: ReturnType<typeof setTimeout> | undefined;
	let lastId = 0;

	const failAll = (reason: string): void => {
		thread = undefined;
		for (const { fail } of waiting.values()) fail(new Error(reason));
		waiting.clear();
	};
	const end = (): void => {
		const ended = thread;
		thread = undefined;
		ended?.postMessage({ kind: "end" } satisfies ToChecks);
	};
	const take = (message: FromChecks): void => {
		const one = waiting.get(message.id);
		if (message.kind === "progress") {
			one?.onProgress?.(message.progress);
			return;
		}
		waiting.delete(message.id);
		if (waiting.size === 0) {
			idle = setTimeout(end, IDLE_MS);
			idle.unref();
		}
		if (message.kind === "done") one?.settle(message.result);
		else if (message.kind === "unreadable") {
			const { row, column, found } = message.place;
			one?.fail(new ListError(row, column, Message.of(found)));
		} else one?.fail(new Error(message.message));
	};
	const start = (): Worker => {
		const started = new Worker(new URL("./check.thread.ts", import.meta.url).href, { name: "registry-checks" });
		started.onmessage = (event: MessageEvent<FromChecks>) => take(event.data);
		started.onerror = (event) => {
			event.preventDefault?.();
			if (thread === started) failAll(`the thread of the lists failed: ${event.message}`);
		};
		started.addEventListener("close", () => {
			if (thread === started) failAll("the thread of the lists died");
		});
		return started;
	};

	return {
		run: <J extends Job>(owner: string, job: J, { signal, onProgress }: JobOptions = {}) =>
			new Promise<JobResults[J["do"]]>((settle, fail) => {
				if (signal?.aborted) return fail(new Error("cancelled"));
				clearTimeout(idle);
				thread ??= start();
				const used = thread;
				const id = ++lastId;
				const post = (message: ToChecks) => used.postMessage(message);
				const cancel = () => {
					if (!waiting.delete(id)) return;
					post({ kind: "cancel", id });
					fail(new Error("cancelled"));
				};
				signal?.addEventListener("abort", cancel, { once: true });
				const forget = () => signal?.removeEventListener("abort", cancel);
				waiting.set(id, {
					settle: (result) => {
						forget();
						settle(result as JobResults[J["do"]]);
					},
					fail: (error) => {
						forget();
						fail(error);
					},
					onProgress,
				});
				post({ kind: "job", id, owner, job });
			}),
		close: () => {
			clearTimeout(idle);
			end();
			failAll("closing");
		},
	};
}
