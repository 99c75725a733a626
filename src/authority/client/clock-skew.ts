/**
 * How far a clock that signs documents is ahead of the authority's, measured by the time in a seed. A signature from the authority's future is rejected,
 * and the time of a signature has legal effect.
 *
 * A good measurement is kept for ten minutes and then renewed in the background. Callers wait for the first one, for one after the clock was set, and
 * before each refusal. While the authority has never answered, the skew is unknown and attempts are made in the background.
 */
import { createSingleFlight } from "../../platform/concurrency";
import type { Clock } from "../../platform/values";
import type { Segment } from "./addresses";
import { readXml } from "./read-answer";
import { createWire, type WireOptions } from "./wire";

export type ClockSkew = {
	/** Milliseconds ahead of the authority, negative behind it; undefined while unknown. Never throws. */
	readonly aheadMs: (segment: Segment) => Promise<number | undefined>;
};

/** The simulator of this process has the same clock. */
export const NO_SKEW: ClockSkew = { aheadMs: async () => 0 };

/** Beyond this, in either direction, nothing is signed. */
export const SKEW_MAX_MS = 5 * 60_000;
const KEPT_MS = 10 * 60_000;
const RETRY_MS = 30_000;
/** A clock that gained this much on the monotonic one has been set. */
const SET_BY_MS = 2_000;

/** `options` bound the wait for a seed. */
export function createClockSkew(options: WireOptions): ClockSkew {
	const wire = createWire(options);
	return followSkew(options.clock, async (segment) => (await wire.call({ service: "seed", segment })).text);
}

/** `askSeed` gives the text of a seed, or any other text if there is none. */
export function followSkew(clock: Clock, askSeed: (segment: Segment) => Promise<string>): ClockSkew {
	let known: { readonly aheadMs: number; readonly atMs: number; readonly offsetMs: number } | undefined;
	let triedAtMs: number | undefined;
	const measuring = createSingleFlight<void>();
	const nowMs = () => clock.now().getTime();
	const offsetMs = () => nowMs() - performance.now();

	function measure(segment: Segment): Promise<void> {
		return measuring.run("seed", async () => {
			triedAtMs = performance.now();
			const sentMs = nowMs();
			const seed = await askSeed(segment).catch(() => "");
			const aheadMs = skewOf(seed, sentMs, nowMs());
			if (aheadMs !== undefined) known = { aheadMs, atMs: performance.now(), offsetMs: offsetMs() };
		});
	}

	return {
		async aheadMs(segment) {
			if (known && Math.abs(offsetMs() - known.offsetMs) > SET_BY_MS) {
				known = undefined;
				triedAtMs = undefined;
			}
			if (known && Math.abs(known.aheadMs) > SKEW_MAX_MS) await measure(segment);
			else if (known && performance.now() - known.atMs > KEPT_MS) void measure(segment);
			else if (!known && triedAtMs === undefined) await measure(segment);
			else if (!known && performance.now() - (triedAtMs ?? 0) > RETRY_MS) void measure(segment);
			else if (!known) await measuring.current("seed");
			return known?.aheadMs;
		},
	};
}

/**
 * Milliseconds by which a clock that read `sentMs` before and `receivedMs` after the call is ahead of a seed's time; 0 if the duration of the call
 * explains the difference. Undefined for a text that is no seed.
 */
export function skewOf(seed: string, sentMs: number, receivedMs: number): number | undefined {
	const givenMs = readSeedTime(seed);
	if (givenMs === undefined) return undefined;
	if (sentMs > givenMs) return sentMs - givenMs;
	return receivedMs < givenMs ? receivedMs - givenMs : 0;
}

/** The authority's day and time in a seed, to the millisecond. Gap: a time without a zone is Dominican. */
function readSeedTime(seed: string): number | undefined {
	const xml = seed.length <= 64 * 1024 ? readXml(seed) : undefined;
	const value = xml?.root === "SemillaModel" && typeof xml.value === "object" ? xml.value : undefined;
	const text = Object.entries(value ?? {}).find(([name]) => name === "fecha")?.[1];
	const [, day, fraction = "", zone = "-04:00"] =
		/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/.exec(
			typeof text === "string" ? text.trim() : "",
		) ?? [];
	if (day === undefined) return undefined;
	const atMs = Date.parse(`${day}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`);
	return Number.isNaN(atMs) ? undefined : atMs;
}
