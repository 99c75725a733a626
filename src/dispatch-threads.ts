/** The process's side of the dispatch threads: starts them, replaces one that dies, stops them all. */
import type { FromDispatch, ToDispatch } from "./dispatch.thread";
import type { DispatchSetup } from "./dispatch-parts";
import type { Log, MetricsShare } from "./telemetry";

type DispatchThreads = {
	readonly metrics: () => Promise<MetricsShare[]>;
	readonly stop: (graceMs: number) => Promise<void>;
};

const RESTART_PAUSE_MS = 500;
const RESTART_PAUSE_MAX_MS = 30_000;
const METRICS_TIMEOUT_MS = 1_000;

export async function startDispatchThreads(
	count: number,
	setup: Omit<DispatchSetup, "name">,
	log: Log,
): Promise<DispatchThreads> {
	const threads = new Set<Worker>();
	let stopping = false;
	let nextQuestion = 1;

	async function startOne(name: string): Promise<void> {
		const worker = new Worker(new URL("./dispatch.thread.ts", import.meta.url).href, { name });
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
				if (!threads.delete(worker) || stopping || !isReady) return;
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

	function ask(worker: Worker, kind: "metrics"): Promise<MetricsShare[]> {
		const id = nextQuestion++;
		return new Promise((answer) => {
			const timer = setTimeout(() => answer([]), METRICS_TIMEOUT_MS);
			const listen = (event: MessageEvent<FromDispatch>) => {
				if (event.data.kind !== "metrics" || event.data.id !== id) return;
				clearTimeout(timer);
				worker.removeEventListener("message", listen);
				answer([event.data.share]);
			};
			worker.addEventListener("message", listen);
			post(worker, { kind, id });
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

	for (let i = 1; i <= count; i++) await startOne(`dispatch-${i}`);
	return {
		metrics: async () => (await Promise.all([...threads].map((worker) => ask(worker, "metrics")))).flat(),
		async stop(graceMs) {
			stopping = true;
			await Promise.all([...threads].map((worker) => end(worker, graceMs)));
		},
	};
}
