/** Entry of a dispatch thread: a dispatcher with the handlers of all folders. A process runs as many as it is configured to. */
import { createWake, type Dispatcher, startDispatcher } from "../../platform/outbox";
import { createMetrics, type MetricsShare } from "../../platform/telemetry";
import { type DispatchSettings, openWorkerComponents } from "./components";
import { createHandlerTable } from "./handlers";

declare const self: Worker;

export type ToDispatch =
	| { readonly kind: "start"; readonly settings: DispatchSettings }
	| { readonly kind: "metrics"; readonly id: number }
	| { readonly kind: "wake" }
	| { readonly kind: "stop"; readonly graceMs: number };
export type FromDispatch =
	| { readonly kind: "ready" }
	| { readonly kind: "failed"; readonly message: string }
	| { readonly kind: "metrics"; readonly id: number; readonly share: MetricsShare }
	| { readonly kind: "stopped" };

/** Behind a pooler nothing signals what other processes and threads have written. */
const POOLED_POLL_MS = 50;

const metrics = createMetrics();
let stop: ((graceMs: number) => Promise<void>) | undefined;
let dispatcher: Dispatcher | undefined;

const reply = (message: FromDispatch) => self.postMessage(message);

self.onmessage = async (event: MessageEvent<ToDispatch>) => {
	const message = event.data;
	if (message.kind === "start") {
		try {
			stop = await start(message.settings);
			reply({ kind: "ready" });
		} catch (error) {
			reply({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
		}
	} else if (message.kind === "wake") {
		dispatcher?.wake();
	} else if (message.kind === "metrics") {
		reply({ kind: "metrics", id: message.id, share: await metrics.share() });
	} else {
		await stop?.(message.graceMs);
		reply({ kind: "stopped" });
	}
};

async function start(settings: DispatchSettings): Promise<(graceMs: number) => Promise<void>> {
	const components = await openWorkerComponents(settings, metrics);
	const { sql, log } = components;
	const notify = createWake(sql);
	/** Wakes this thread's dispatcher, and the others for shards that are theirs. */
	const wake = () => {
		started.wake();
		if (!started.ownsAll()) notify();
	};
	const table = await createHandlerTable(components, { wake, openLocalDispatch: () => started.openLocalDispatch() });
	const { slots, leaseSeconds, node, isByShard, name: thread } = settings;
	const started: Dispatcher = startDispatcher({
		...{ sql, log, metrics, slots, leaseSeconds, node, thread, isByShard, listens: false },
		...(settings.isPooled ? { pollMaxMs: POOLED_POLL_MS } : {}),
		...table,
	});
	dispatcher = started;
	await started.ready;
	return async (graceMs) => {
		await started.stop(graceMs);
		await components.close();
	};
}
