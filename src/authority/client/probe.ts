/** The sign of life of the authority's main host: it hands out a seed, which needs neither a token nor a certificate. */
import { type Clock, systemClock } from "../../platform/values";
import type { Segment } from "./segment";
import { readSeed } from "./session";
import { createWire, type WireOptions } from "./wire";

/** Asks once; tells whether there was a seed. Never throws. */
export type Probe = (segment: Segment) => Promise<boolean>;

/** `onCall` hears of each question: one that is answered by anything but a seed has failed. */
export function openProbe(options: Omit<WireOptions, "clock"> & { readonly clock?: Clock }): Probe {
	const { onCall, clock = systemClock, ...rest } = options;
	const wire = createWire({ ...rest, clock });
	return async (segment) => {
		const startedMs = performance.now();
		const seed = readSeed(await wire.call({ service: "seed", segment }));
		const outcome = typeof seed === "string" ? "ok" : seed.fault;
		onCall?.({ operation: "seed", segment, durationMs: performance.now() - startedMs, outcome });
		return outcome === "ok";
	};
}
