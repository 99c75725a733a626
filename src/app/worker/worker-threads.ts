/** Dispatch threads as the process sees them: it starts them, replaces lost ones and stops them all. */
import { withTimeout } from "../../platform/concurrency";
import { createKeptShares, type Log, type MetricsShare } from "../../platform/telemetry";
import type { DispatchSettings } from "./components";
import type { FromDispatch, ToDispatch } from "./worker.thread";

export type DispatchThreads = {
	/** Metrics of all threads, including those that were lost. */
	readonly metrics: () => Promise<MetricsShare[]>;
	/** Messages may be due. */
	readonly wake: () => void;
	readonly stop: (graceMs: number) => Promise<void>;
};

const RESTART_PAUSE_MS = 500;
const RESTART_PAUSE_MAX_MS = 30_000;
const METRICS_TIMEOUT_MS = 1_000;

/** Starts `count` threads and resolves when all are ready. Stops them and throws when `signal` aborts. */
export async function startDispatchThreads(
	count: number,
	settings: Omit<DispatchSettings, "name">,
	log: Log,
	signal?: AbortSignal,
): Promise<DispatchThreads> {
	const threads = new Set<Worker>();
	const shares = createKeptShares(requestMetrics);
	let stopping = false;
	let nextRequestId = 1;

	async function startOne(name: string): Promise<void> {
		const worker = new Worker(new URL("./worker.thread.ts", import.meta.url).href, { name });
		let isReady = false;
		await new Promise<void>((ready, fail) => {
			worker.onmessage = (event: MessageEvent<FromDispatch>) => {
				if (event.data.kind === "ready") {
					isReady = true;
					ready();
				}
				if (event.data.kind === "failed") {
					fail(new Error(`${name}: ${event.data.message}`));
					worker.terminate();
				}
			};
			worker.onerror = (event) => {
				log.error({ event: "dispatch-thread.failed", thread: name, detail: event.message }, "dispatch thread failed");
				event.preventDefault?.();
			};
			worker.addEventListener("close", () => {
				fail(new Error(`${name} ended before it was ready`));
				if (!threads.delete(worker)) return;
				shares.leave(worker);
				if (stopping || !isReady) return;
				log.error({ event: "dispatch-thread.lost", thread: name }, "dispatch thread ended; starting another one");
				// Other threads, or its replacement, take over its messages when their leases expire.
				replace(name, RESTART_PAUSE_MS);
			});
			post(worker, { kind: "start", settings: { ...settings, name } });
		});
		threads.add(worker);
	}

	/** Retries until it succeeds: without a thread nothing is sent. */
	function replace(name: string, pauseMs: number): void {
		setTimeout(() => {
			if (stopping) return;
			startOne(name).catch((err: unknown) => {
				log.error({ event: "dispatch-thread.restart_failed", err }, "dispatch thread not replaced; trying again");
				replace(name, Math.min(RESTART_PAUSE_MAX_MS, 2 * pauseMs));
			});
		}, pauseMs);
	}

	const post = (worker: Worker, message: ToDispatch) => worker.postMessage(message);

	/** Undefined for a thread that is too busy or has ended. */
	function requestMetrics(worker: Worker): Promise<MetricsShare | undefined> {
		const id = nextRequestId++;
		const response = Promise.withResolvers<MetricsShare>();
		const listen = ({ data }: MessageEvent<FromDispatch>) => {
			if (data.kind === "metrics" && data.id === id) response.resolve(data.share);
		};
		worker.addEventListener("message", listen);
		post(worker, { kind: "metrics", id });
		return withTimeout(response.promise, METRICS_TIMEOUT_MS, () => undefined).finally(() => {
			worker.removeEventListener("message", listen);
		});
	}

	function end(worker: Worker, graceMs: number): Promise<void> {
		return new Promise((ended) => {
			worker.addEventListener("message", (event: MessageEvent<FromDispatch>) => {
				if (event.data.kind === "stopped") ended();
			});
			worker.addEventListener("close", () => ended());
			post(worker, { kind: "stop", graceMs });
		});
	}

	async function stop(graceMs: number): Promise<void> {
		stopping = true;
		await Promise.all([...threads].map((worker) => end(worker, graceMs)));
	}

	try {
		for (let i = 1; i <= count; i++) {
			signal?.throwIfAborted();
			await startOne(`dispatch-${i}`);
		}
	} catch (error) {
		// Threads that are up hold messages by now.
		await stop(0);
		throw error;
	}
	const wake = () => {
		for (const worker of threads) post(worker, { kind: "wake" });
	};
	return { metrics: () => shares.collect(threads), wake, stop };
}
