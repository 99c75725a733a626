/** Logs and metrics; knows nothing of the service. */
export {
	APPROVAL_FAULT_POINTS,
	CHECKPOINT_FAULT_POINTS,
	type FaultPoint,
	faultPoint,
	INVOICE_FAULT_POINTS,
	MAIL_FAULT_POINTS,
	REGISTRY_FAULT_POINTS,
} from "./fault-point";
export { createLog, describeError, type Log } from "./log";
export { createMetrics, type Metrics, type MetricsShare, mergeMetrics } from "./metrics";
export { threadFaultPoint } from "./thread-fault";
