/** Usage for billing: counted by key, operation and day. */
export { openUsage, type Usage } from "./open-usage";
export { usageOperations } from "./routes";
export { findOperationCallers, removeUnownedUsage, sumUsage, sweepWrites, writeBillable } from "./store";
export { addUp, type OperationTally, toUnits } from "./units";
