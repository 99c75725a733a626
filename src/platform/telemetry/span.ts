/** What is recorded of a span, without the library that records it. */
import type { Attributes } from "@opentelemetry/api";

export type SpanOptions = {
	/** Of few values: no ids. */
	readonly name: string;
	/** Default: `internal`. */
	readonly kind?: "server" | "client" | "consumer" | "internal";
	readonly attributes?: Attributes;
	/** The `traceparent` of a caller. An unreadable one is ignored. */
	readonly parent?: string | null;
	/** The document whose trace the span belongs to. */
	readonly docId?: string;
};

export type CurrentSpan = {
	readonly traceId: string;
	/** For the next service. Source: W3C Trace Context, 3.2. */
	readonly traceparent: string;
	readonly rename: (name: string) => void;
	readonly set: (attributes: Attributes) => void;
	/** Marks the span as failed. */
	readonly fail: (reason: string) => void;
	readonly link: (docId: string) => void;
};

export type Tracing = {
	/** Runs `work` in a new span, which ends with its result; an error is recorded by its name alone. */
	readonly run: <T>(options: SpanOptions, work: () => T) => T;
	/** The span around the running code; undefined outside of all. */
	readonly current: () => CurrentSpan | undefined;
	/** Sends what is recorded, within a second. */
	readonly stop: () => Promise<void>;
};

export type TracingSettings = {
	/** Base address of a collector that speaks OTLP over HTTP. */
	readonly endpoint: string;
	/** From 0 to 1: how many of the traces that begin here are recorded. */
	readonly share: number;
	readonly version: string;
};
