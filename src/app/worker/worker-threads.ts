/** The process's side of the dispatch threads: starts them, replaces one that dies, stops them all. */

import { withTimeout } from "../../platform/concurrency";
import { createKeptShares, type Log, type MetricsShare } from "../../platform/telemetry";
import type { DispatchSetup } from "./components";
import type { FromDispatch, ToDispatch } from "./worker.thread";

type DispatchThreads = {
	/** What they have counted, those too that were lost. */
	readonly metrics: () => Promise<MetricsShare[]>;
	readonly stop: (graceMs: number) => Promise<void>;
};

const RESTART_PAUSE_MS = 500;
const RESTART_PAUSE_MAX_MS = 30_000;
const METRICS_TIMEOUT_MS = 1_000;

/** `refuseUnwanted` is asked before each: what it throws ends the start, and those that are up. */
export async function startDispatchThreads(
	count: number,
	setup: Omit<DispatchSetup, "name">,
	log: Log,
	refuseUnwanted: () => void = () => undefined,
): Promise<DispatchThreads> {
	const threads = new Set<Worker>();
	const shares = createKeptShares(askMetrics);
	let stopping = false;
	let nextQuestion = 1;

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
				log.error({ thread: name, detail: event.message }, "a dispatch thread failed");
				event.preventDefault?.();
			};
			worker.addEventListener("close", () => {
				fail(new Error(`${name} ended before it was ready`));
				if (!threads.delete(worker)) return;
				shares.leave(worker);
				if (stopping || !isReady) return;
				log.error({ thread: name }, "a dispatch thread was lost and is replaced");
				// What it held is rescued by the others, or by its replacement, when its leases run out.
				replace(name, RESTART_PAUSE_MS);
			});
			post(worker, { kind: "start", setup: { ...setup, name } });
		});
		threads.add(worker);
	}

	/** Until there is one again: without it nothing is sent. */
	function replace(name: string, pauseMs: number): void {
		setTimeout(() => {
			if (stopping) return;
			startOne(name).catch((error: unknown) => {
				log.error({ err: error }, "a dispatch thread could not be replaced, and is tried again");
				replace(name, Math.min(RESTART_PAUSE_MAX_MS, 2 * pauseMs));
			});
		}, pauseMs);
	}

	const post = (worker: Worker, message: ToDispatch) => worker.postMessage(message);

	/** Undefined of one that is too busy, or has ended since. */
	function askMetrics(worker: Worker): Promise<MetricsShare | undefined> {
		const id = nextQuestion++;
		const answer = Promise.withResolvers<MetricsShare | undefined>();
		const listen = ({ data }: MessageEvent<FromDispatch>) => {
			if (data.kind === "metrics" && data.id === id) answer.resolve(data.share);
		};
		worker.addEventListener("message", listen);
		post(worker, { kind: "metrics", id });
		return withTimeout(answer.promise, METRICS_TIMEOUT_MS, () => undefined).finally(() => {
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
			refuseUnwanted();
			await startOne(`dispatch-${i}`);
		}
	} catch (error) {
		// Those that are up hold messages by now.
		await stop(0);
		throw error;
	}
	return {
		metrics: () => shares.collect(threads),
		stop,
	};
}
