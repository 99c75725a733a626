/**
 * Counts answered requests and their durations.
 *
 * The metrics library finds a counter by hashing a request's labels each time, which costs a tenth of a registry look-up. Here a request
 * finds its numbers by operation, and they become the library's values only when metrics are read.
 */
import type { MetricObjectWithValues, MetricValue } from "prom-client";
import { METRIC_NAMES } from "./metric-names";

type RequestMeter = {
	/** Units: seconds. */
	readonly note: (operation: string, status: number, seconds: number) => void;
	/** Everything since the start, in the form in which the library shares its own metrics. */
	readonly share: () => MetricObjectWithValues<MetricValue<string>>[];
};

type Tally = { readonly byStatus: Map<number, number>; readonly inBucket: Float64Array; sum: number; count: number };

/** Upper bounds of the buckets; one more bucket has none. Units: seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

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
			toMetric(METRIC_NAMES.httpRequests, "counter", "Requests answered.", [...tallies].flatMap(countValues)),
			toMetric(
				METRIC_NAMES.httpRequestSeconds,
				"histogram",
				"Time from request to answer.",
				[...tallies].flatMap(timeValues),
			),
		],
	};
}

type Value = MetricValue<string> & { metricName?: string };
type Shared = MetricObjectWithValues<MetricValue<string>>;

function toMetric(name: string, type: "counter" | "histogram", help: string, values: Value[]): Shared {
	// The library shares its metrics in this form, as JSON; its declared type asks for methods that only its own objects have.
	return { name, help, type, values, aggregator: "sum" } as unknown as Shared;
}

function countValues([operation, { byStatus }]: readonly [string, Tally]): Value[] {
	return [...byStatus].map(([status, value]) => ({ value, labels: { operation, status } }));
}

/** A bucket includes the counts of those below it. Source: Prometheus, text exposition format. */
function timeValues([operation, { inBucket, sum, count }]: readonly [string, Tally]): Value[] {
	const name = METRIC_NAMES.httpRequestSeconds;
	let below = 0;
	const buckets = [...BOUNDS, "+Inf" as const].map((le, i): Value => {
		below += inBucket[i] ?? 0;
		return { value: below, labels: { le, operation }, metricName: `${name}_bucket` };
	});
	return [
		...buckets,
		{ value: sum, labels: { operation }, metricName: `${name}_sum` },
		{ value: count, labels: { operation }, metricName: `${name}_count` },
	];
}
