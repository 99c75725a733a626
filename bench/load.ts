/**
 * HTTP load from a separate process, so that it shares no event loop. Two kinds, for two questions:
 *
 *   closed loop   each connection sends its next request after the last answer. Measures capacity. Its delays mean little: while the
 *                 server stalls, no requests are sent.
 *   open loop     requests are due at a fixed rate, whatever the server does, and a delay counts from the moment the request was due, not
 *                 from when it could be sent. A stall delays every request that was due during it.
 *
 * Quirks: the open loop checks the clock about once a millisecond and sends what is due, so its delays are up to a millisecond too long,
 * never
 * too short. Above 1,000 requests per second this creates small bursts, as many callers would.
 */
import { type Child, startChild } from "./child";

/** In path, headers and body, `{{uuid}}` becomes a fresh UUID v4 and `{{number}}` the request's number with ten digits. */
export type RequestTemplate = {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
};

export type LoadPlan = {
	readonly url: string;
	/** Used in turn, repeatedly. */
	readonly requests: readonly RequestTemplate[];
	/** Any other answer ends the run with an error. */
	readonly expectedStatus: number;
	/** Refusals that are counted without their delays. */
	readonly refusals?: readonly number[];
	readonly connections: number;
	/** The first value of `{{number}}`. */
	readonly firstNumber?: number;
};

export type LoadQuestion =
	| { readonly kind: "closed"; readonly plan: LoadPlan; readonly until: { readonly seconds: number } }
	| { readonly kind: "closed"; readonly plan: LoadPlan; readonly until: { readonly requests: number } }
	| { readonly kind: "open"; readonly plan: LoadPlan; readonly ratePerSecond: number; readonly seconds: number };

export type LoadResult = {
	/** Answers in the measured time; all of them if the run ends after a number of requests. */
	readonly answered: number;
	readonly perSecond: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	readonly maxMs: number;
	/** From the first request to the last answer; longer than the measured time if answers were late. */
	readonly tookSeconds: number;
	/** Refusals by status, and how many of them lacked Retry-After. */
	readonly refused: Readonly<Record<number, number>>;
	readonly refusedWithoutRetryAfter: number;
	/** Share of one core used by the load: near 1, the load is the limit. */
	readonly generatorBusy: number;
	/** When each request was sent (closed) or due (open), in order. Units: epoch milliseconds. */
	readonly startedAtMs: Float64Array;
};

export type Load = Child<LoadQuestion, LoadResult>;

export function startLoad(stack: AsyncDisposableStack): Load {
	return startChild(stack, "load.process.ts");
}
