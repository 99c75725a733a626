/**
 * HTTP load from a process of its own, so that it shares no event loop with anybody. Two kinds, for two questions:
 *
 *   closed loop   each connection sends its next request when the last one is answered. Tells how much a server can do. Its
 *                 delays tell little: while the server stalls, nobody asks.
 *   open loop     requests are due at a fixed rate, whatever the server does, and a delay counts from the moment at which the
 *                 request was due, not from when it could be sent. A stall is felt by all who were due during it.
 *
 * Quirks: the open loop looks at the clock about once a millisecond and sends what is due then, so its delays are up to a
 * millisecond too long, never too short. Above 1,000 requests per second that makes small bursts, as many callers would.
 */
import { type Child, startChild } from "./child";

/** In path, headers and body `{{uuid}}` is replaced by a fresh UUID v4, `{{number}}` by the request's number, ten digits. */
export type RequestTemplate = {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
};

export type LoadPlan = {
	readonly url: string;
	/** Used one after another, round and round. */
	readonly requests: readonly RequestTemplate[];
	/** Any other answer ends the run as an error. */
	readonly expectedStatus: number;
	/** Refusals that are no error: they are counted, and their delays do not count. */
	readonly refusals?: readonly number[];
	readonly connections: number;
	/** What `{{number}}` begins with. */
	readonly firstNumber?: number;
};

export type LoadQuestion =
	| { readonly kind: "closed"; readonly plan: LoadPlan; readonly until: { readonly seconds: number } }
	| { readonly kind: "closed"; readonly plan: LoadPlan; readonly until: { readonly requests: number } }
	| { readonly kind: "open"; readonly plan: LoadPlan; readonly ratePerSecond: number; readonly seconds: number };

export type LoadResult = {
	/** Answers in the measured time; with a number of requests as its end, all of them. */
	readonly answered: number;
	readonly perSecond: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	readonly maxMs: number;
	/** From the first request to the last answer; longer than was measured where answers were late. */
	readonly tookSeconds: number;
	/** Refusals by status, and how many of them did not say when to come back. */
	readonly refused: Readonly<Record<number, number>>;
	readonly refusedWithoutRetryAfter: number;
	/** Share of one core that the load itself took: near 1 it is the limit, not the server. */
	readonly generatorBusy: number;
	/** When each request was sent (closed) or due (open), in the order of their numbers. Units: epoch milliseconds. */
	readonly startedAtMs: Float64Array;
};

export type Load = Child<LoadQuestion, LoadResult>;

export function startLoad(stack: AsyncDisposableStack): Load {
	return startChild(stack, "load.process.ts");
}
