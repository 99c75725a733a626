/** The rim: routing, the guard's place, answers to errors, health, documents. */

export type { InvoicingDeps } from "./invoicing-operations";
export { allOperations, gatherInvoicing } from "./operations";
export { createApp } from "./server/app";
export { trustProxies } from "./server/caller-address";
