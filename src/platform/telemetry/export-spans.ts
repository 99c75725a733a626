/** Records spans and sends them to a collector. It is loaded only with an address of one. */
import { AsyncLocalStorage } from "node:async_hooks";
import {
	type Link,
	ROOT_CONTEXT,
	type Span,
	type SpanContext,
	SpanKind,
	SpanStatusCode,
	trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
	BatchSpanProcessor,
	type IdGenerator,
	ParentBasedSampler,
	RandomIdGenerator,
	type SpanExporter,
	TraceIdRatioBasedSampler,
	TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { CurrentSpan, SpanOptions, Tracing, TracingSettings } from "./span";

const EXPORT_TIMEOUT_MS = 5_000;
const STOP_MS = 1_000;
/** Further spans are dropped while so many wait. */
const QUEUE = { scheduledDelayMillis: 1_000, maxQueueSize: 16_384, maxExportBatchSize: 512 } as const;
const FAILURE_EVERY_MS = 60_000;
const SAMPLED = 1;
const KINDS = {
	server: SpanKind.SERVER,
	client: SpanKind.CLIENT,
	consumer: SpanKind.CONSUMER,
	internal: SpanKind.INTERNAL,
} as const;

type Active = { readonly span: Span; hasEnded: boolean };

export function openTracing(settings: TracingSettings, onFailure: (error: unknown) => void): Tracing {
	const ids = createIds();
	const provider = new TracerProvider({
		resource: resourceFromAttributes({
			"service.name": process.env.OTEL_SERVICE_NAME || "sello",
			"service.version": settings.version,
			"process.pid": process.pid,
		}),
		sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.share) }),
		idGenerator: ids.generator,
		spanProcessors: [new BatchSpanProcessor({ exporter: openExporter(settings.endpoint, onFailure), ...QUEUE })],
	});
	const tracer = provider.getTracer("sello", settings.version);
	const active = new AsyncLocalStorage<Active>();
	/** What a span has started and left running, such as a timer, is no part of it. */
	const findActive = () => {
		const found = active.getStore();
		return found?.hasEnded === false ? found.span : undefined;
	};

	function begin({ name, kind = "internal", attributes = {}, parent, docId }: SpanOptions): Span {
		const outer = findActive();
		const traceId = docId === undefined ? undefined : toTraceId(docId);
		const isElsewhere = traceId !== undefined && outer?.spanContext().traceId !== traceId;
		const options = {
			kind: KINDS[kind],
			attributes: docId === undefined ? attributes : { ...attributes, "sello.doc_id": docId },
		};
		if (isElsewhere) return ids.choose(traceId, () => tracer.startSpan(name, options, ROOT_CONTEXT));
		const caller = outer?.spanContext() ?? parseTraceparent(parent);
		return tracer.startSpan(name, options, caller ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT);
	}

	return {
		run<T>(options: SpanOptions, work: () => T): T {
			const own = { span: begin(options), hasEnded: false };
			const end = () => {
				own.hasEnded = true;
				own.span.end();
			};
			const fail = (error: unknown) => {
				noteError(own.span, error);
				end();
			};
			try {
				const result = active.run(own, work);
				if (result instanceof Promise) result.then(end, fail);
				else end();
				return result;
			} catch (error) {
				fail(error);
				throw error;
			}
		},
		current() {
			const span = findActive();
			return span && toCurrent(span);
		},
		async stop() {
			await Promise.race([provider.shutdown().catch(onFailure), Bun.sleep(STOP_MS)]);
		},
	};
}

function toCurrent(span: Span): CurrentSpan {
	const { traceId, spanId, traceFlags } = span.spanContext();
	return {
		traceId,
		traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
		rename: (name) => void span.updateName(name),
		set: (attributes) => void span.setAttributes(attributes),
		fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
		link: (docId) => void span.addLink(linkTo(docId)),
	};
}

/** An error's message may contain values of a statement. */
function noteError(span: Span, error: unknown): void {
	span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : typeof error });
}

const toTraceId = (docId: string): string => docId.replaceAll("-", "");

/** A link names a span too; the first one of the document's trace is not known yet. */
function linkTo(docId: string): Link {
	const traceId = toTraceId(docId);
	return {
		context: { traceId, spanId: traceId.slice(16), traceFlags: SAMPLED },
		attributes: { "sello.doc_id": docId },
	};
}

/** Random ids, but for the trace that is chosen for the next span. */
function createIds() {
	const random = new RandomIdGenerator();
	let chosen: string | undefined;
	const generator: IdGenerator = {
		generateTraceId: () => chosen ?? random.generateTraceId(),
		generateSpanId: () => random.generateSpanId(),
	};
	return {
		generator,
		choose(traceId: string, start: () => Span): Span {
			chosen = traceId;
			try {
				return start();
			} finally {
				chosen = undefined;
			}
		},
	};
}

/** Undefined for a header that is absent or invalid. Source: W3C Trace Context, 3.2.2. */
function parseTraceparent(header: string | null | undefined): SpanContext | undefined {
	const [, version, traceId = "", spanId = "", flags = ""] =
		/^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(header ?? "") ?? [];
	if (version === undefined || version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
	return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}

function openExporter(endpoint: string, onFailure: (error: unknown) => void): SpanExporter {
	const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS });
	let reportedAt = Number.NEGATIVE_INFINITY;
	const note = (error: unknown) => {
		if (performance.now() - reportedAt < FAILURE_EVERY_MS) return;
		reportedAt = performance.now();
		onFailure(error);
	};
	return {
		export: (spans, done) =>
			exporter.export(spans, (result) => {
				if (result.error) note(result.error);
				done(result);
			}),
		shutdown: () => exporter.shutdown(),
	};
}
