/** Places at which a test may end a process or a thread. This folder has no imports, so every thread may use it. */
export {
	APPROVAL_FAILPOINTS,
	CHECKPOINT_FAILPOINTS,
	type Failpoint,
	failpoint,
	INVOICE_FAILPOINTS,
	REGISTRY_FAILPOINTS,
	threadFailpoint,
} from "./failpoints";
