/** The rim: routing, the guard's place, answers to errors, health, documents. */
export { createApp } from "./app";
export { trustProxies } from "./caller-address";
export type { InvoicingDeps } from "./invoicing-operations";
export { allOperations, gatherInvoicing } from "./operations";
