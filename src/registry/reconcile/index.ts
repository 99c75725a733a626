/** Reconciliation for programs such as OpenRefine, through links. */
export { linkOperations } from "./link-routes";
export { createLinks, type FindKeyCaller, type Links } from "./links";
export { reconcileOperations } from "./protocol-routes";
