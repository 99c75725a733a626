/** Places at which a test may end a process or a thread; what has no log and counts nothing passes them, too. */
export {
	APPROVAL_FAULT_POINTS,
	CHECKPOINT_FAULT_POINTS,
	type FaultPoint,
	faultPoint,
	INVOICE_FAULT_POINTS,
	REGISTRY_FAULT_POINTS,
} from "./fault-point";
export { threadFaultPoint } from "./thread-fault";
