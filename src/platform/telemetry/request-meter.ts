/**
 * Counts answered requests and their times in plain numbers.
 *
 * The metrics library finds a counter by hashing a request's labels, each time, which costs a tenth of a registry look-up. Here a request
 * finds its numbers by operation, and they become the library's values when somebody asks for them.
 */
import type { MetricObjectWithValues, MetricValue } from "prom-client";

type RequestMeter = {
	/** Units: seconds. */
	readonly note: (operation: string, status: number, seconds: number) => void;
	/** What was noted since the start, as the library shares its own metrics. */
	readonly share: () => MetricObjectWithValues<MetricValue<string>>[];
};

type Tally = { readonly byStatus: Map<number, number>; readonly inBucket: Float64Array; sum: number; count: number };

/** Upper ends of the buckets, the last of which has none. Units: seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const TOTAL = "sello_http_requests_total";
const SECONDS = "sello_http_request_seconds";

export function createRequestMeter(): RequestMeter {
	const tallies = new Map<string, Tally>();
	return {
		note: (operation, status, seconds) => {
			let tally = tallies.get(operation);
			if (!tally) {
				tally = { byStatus: new Map(), inBucket: new Float64Array(BOUNDS.length + 1), sum: 0, count: 0 };
				tallies.set(operation, tally);
			}
			tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
			let bucket = 0;
			while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket++;
			tally.inBucket[bucket] = (tally.inBucket[bucket] ?? 0) + 1;
			tally.sum += seconds;
			tally.count++;
		},
		share: () => [
			toMetric(TOTAL, "counter", "Requests answered.", [...tallies].flatMap(countValues)),
			toMetric(SECONDS, "histogram", "Time from request to answer.", [...tallies].flatMap(timeValues)),
		],
	};
}

type Value = MetricValue<string> & { metricName?: string };
type Shared = MetricObjectWithValues<MetricValue<string>>;

function toMetric(name: string, type: "counter" | "histogram", help: string, values: Value[]): Shared {
	// The library shares its metrics in this form too, as text of JSON; the type that it declares asks for what only its own objects have.
	return { name, help, type, values, aggregator: "sum" } as unknown as Shared;
}

function countValues([operation, { byStatus }]: readonly [string, Tally]): Value[] {
	return [...byStatus].map(([status, value]) => ({ value, labels: { operation, status } }));
}

/** Each bucket counts what is in those below it too. Source: Prometheus, text exposition format. */
function timeValues([operation, { inBucket, sum, count }]: readonly [string, Tally]): Value[] {
	let below = 0;
	const buckets = [...BOUNDS, "+Inf" as const].map((le, i): Value => {
		below += inBucket[i] ?? 0;
		return { value: below, labels: { le, operation }, metricName: `${SECONDS}_bucket` };
	});
	return [
		...buckets,
		{ value: sum, labels: { operation }, metricName: `${SECONDS}_sum` },
		{ value: count, labels: { operation }, metricName: `${SECONDS}_count` },
	];
}
