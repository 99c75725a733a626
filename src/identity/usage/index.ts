/** Usage for billing: counted by key, operation and day. */
export { openUsage, type Usage } from "./open-usage";
export { usageOperations } from "./routes";
export { findOperationCallers, removeUnownedUsage, sweepWrites, writeBillable } from "./store";
export { sumOwnerUsage } from "./units";
