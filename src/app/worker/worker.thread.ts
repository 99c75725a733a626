/** Background root: a dispatcher with the handlers of all folders. Runs in a thread of its own, in as many copies as wanted. */

import { createWake, type Dispatcher, runDispatcher } from "../../platform/outbox";
import { createMetrics, type MetricsShare } from "../../platform/telemetry";
import { type DispatchSetup, openDispatchParts } from "./components";
import { openLanes } from "./handlers";

declare const self: Worker;

export type ToDispatch =
	| { readonly kind: "start"; readonly setup: DispatchSetup }
	| { readonly kind: "metrics"; readonly id: number }
	| { readonly kind: "stop"; readonly graceMs: number };
export type FromDispatch =
	| { readonly kind: "ready" }
	| { readonly kind: "failed"; readonly message: string }
	| { readonly kind: "metrics"; readonly id: number; readonly share: MetricsShare }
	| { readonly kind: "stopped" };

const metrics = createMetrics();
let stop: ((graceMs: number) => Promise<void>) | undefined;

const tell = (message: FromDispatch) => self.postMessage(message);

self.onmessage = async (event: MessageEvent<ToDispatch>) => {
	const message = event.data;
	if (message.kind === "start") {
		try {
			stop = await start(message.setup);
			tell({ kind: "ready" });
		} catch (error) {
			tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
		}
	} else if (message.kind === "metrics") {
		tell({ kind: "metrics", id: message.id, share: await metrics.share() });
	} else {
		await stop?.(message.graceMs);
		tell({ kind: "stopped" });
	}
};

async function start(setup: DispatchSetup): Promise<(graceMs: number) => Promise<void>> {
	const parts = await openDispatchParts(setup, metrics);
	const { sql, log } = parts;
	const notify = createWake(sql);
	/** This dispatcher looks at once; others are told only when it has no free slot. */
	const wake = () => {
		if (!dispatcher.ring()) notify();
	};
	const lanes = await openLanes(parts, { wake, openHandover: () => dispatcher.openHandover() });
	const { slots, leaseSeconds } = setup;
	const dispatcher: Dispatcher = runDispatcher({ sql, log, metrics, slots, leaseSeconds, ...lanes });
	return async (graceMs) => {
		await dispatcher.stop(graceMs);
		await parts.close();
	};
}
