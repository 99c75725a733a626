/** Logs and metrics. */

export { createLog, describeError, type Log } from "./log";
export { METRIC_NAMES } from "./metric-names";
export { createKeptShares, createMetrics, type Metrics, type MetricsShare, mergeMetrics } from "./metrics";
export { writeLine } from "./output";
