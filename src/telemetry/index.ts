/** Logs and metrics; knows nothing of the service. */
export { FAULT_POINTS, type FaultPoint, faultPoint } from "./fault-point";
export { createLog, describeError, type Log } from "./log";
export { createMetrics, type Metrics, type MetricsShare, mergeMetrics } from "./metrics";
export { threadFaultPoint } from "./thread-fault";
