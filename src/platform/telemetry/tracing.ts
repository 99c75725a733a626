/**
 * Spans of OpenTelemetry, for a collector that the operator names; without one nothing is loaded and nothing is recorded.
 *
 *   request ──┬── sign                 trace of the caller's `traceparent`, or a new one
 *             └── statement
 *   invoice.submit ──┬── POST host     trace of the document: its id without hyphens. The request's span links to it.
 *                    └── statement
 *   webhook.post                       the same trace, also in the `traceparent` that the receiver gets
 *
 * A document's work runs later and in other threads and processes, so its trace is found by its id instead of being stored.
 */
import type { CurrentSpan, SpanOptions, Tracing, TracingSettings } from "./span";

let tracing: Tracing | undefined;

/** Starts tracing for this thread. `onFailure` is called at most once a minute, when spans were lost. The returned function ends it. */
export async function startTracing(
	settings: TracingSettings | undefined,
	onFailure: (error: unknown) => void,
): Promise<() => Promise<void>> {
	if (!settings) return async () => undefined;
	const { openTracing } = await import("./export-spans");
	const opened = openTracing(settings, onFailure);
	tracing = opened;
	return async () => {
		tracing = undefined;
		await opened.stop();
	};
}

export const isTracing = (): boolean => tracing !== undefined;

export function inSpan<T>(options: SpanOptions, work: () => T): T {
	return tracing ? tracing.run(options, work) : work();
}

export function currentSpan(): CurrentSpan | undefined {
	return tracing?.current();
}

/** The header for a request to another service; empty outside of all spans. */
export function traceHeaders(): { readonly traceparent?: string } {
	const traceparent = tracing?.current()?.traceparent;
	return traceparent === undefined ? {} : { traceparent };
}
