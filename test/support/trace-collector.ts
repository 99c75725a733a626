/** A collector of OpenTelemetry on a loopback port, for OTLP over HTTP as JSON. */

type Value = { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number };
type SentSpan = {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	readonly kind: number;
	readonly attributes: readonly { readonly key: string; readonly value: Value }[];
	readonly links?: readonly { readonly traceId: string }[];
};
type Sent = {
	readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[] }[];
};

export type CollectedSpan = Omit<SentSpan, "attributes" | "links"> & {
	readonly attributes: Readonly<Record<string, string | number | undefined>>;
	readonly linkedTraces: readonly string[];
};

export function startCollector() {
	const spans: CollectedSpan[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			if (new URL(request.url).pathname !== "/v1/traces") return new Response(null, { status: 404 });
			const { resourceSpans } = (await request.json()) as Sent;
			spans.push(...resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)).map(toCollected));
			return Response.json({});
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		spans: (): readonly CollectedSpan[] => spans,
		named: (name: string) => spans.filter((one) => one.name === name),
		stop: () => server.stop(true),
	};
}

function toCollected({ attributes, links = [], ...span }: SentSpan): CollectedSpan {
	return {
		...span,
		attributes: Object.fromEntries(
			attributes.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
				key,
				stringValue ?? (intValue === undefined ? doubleValue : Number(intValue)),
			]),
		),
		linkedTraces: links.map(({ traceId }) => traceId),
	};
}
