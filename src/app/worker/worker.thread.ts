/** Entry of a dispatch thread: a dispatcher with the handlers of all folders. A process runs as many as it is configured to. */
import { SHARD_COUNT, startLane } from "../../platform/lanes";
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
const POOLED_POLL_MS = 250;

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
	const { slots, leaseSeconds, node, name: thread } = settings;
	const lane = await startLane({
		...{ sql, log, metrics, leaseSeconds, node, thread },
		gained: () => void dispatcher?.wake(),
	});
	/** Prefers this thread's dispatcher; notifies the others for shards that are theirs. */
	const wake = () => {
		const ownsAll = lane.listShards().length === SHARD_COUNT;
		if (!dispatcher?.wake() || !ownsAll) notify();
	};
	/** Handlers run only once there is a dispatcher. */
	const openLocalDispatch = () => (dispatcher as Dispatcher).openLocalDispatch();
	const table = await createHandlerTable(components, { wake, openLocalDispatch });
	const arrival = settings.isPooled ? { listens: false, pollMaxMs: POOLED_POLL_MS } : { listens: false };
	dispatcher = startDispatcher({
		...{ sql, log, metrics, slots, leaseSeconds, listShards: lane.listShards },
		...arrival,
		...table,
	});
	return async (graceMs) => {
		// Others take the shards while what runs here ends, under leases of its own.
		await lane.stop();
		await dispatcher?.stop(graceMs);
		await components.close();
	};
}
