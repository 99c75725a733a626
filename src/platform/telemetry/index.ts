/** Logs, metrics and traces. */

export { createLog, describeError, type Log } from "./log";
export { LOG_FORMATS, type LogFormat } from "./log-text";
export { METRIC_NAMES } from "./metric-names";
export { createKeptShares, createMetrics, type Metrics, type MetricsShare, mergeMetrics } from "./metrics";
export { writeLine } from "./output";
export type { CurrentSpan, TracingSettings } from "./span";
export {
	currentSpan,
	inSpan,
	isTracing,
	startTracing,
	traceHeaders,
} from "./tracing";
