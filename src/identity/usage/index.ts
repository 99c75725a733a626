/** What was used of the service, for whoever pays for it: counted by key, operation and day. */
export { openUsage, type Usage } from "./open-usage";
export { usageOperations } from "./routes";
export { findOperationCallers, removeUnownedUsage, sweepWrites } from "./store";
