/** The rim: routing, the guard's place, answers to errors, health, documents. */
export { type App, type AppDeps, createApp } from "./app";
export { trustProxies } from "./caller-address";
export type { Checks } from "./health";
export type { InvoicingDeps, InvoicingOperations } from "./invoicing-operations";
export { allOperations, gatherInvoicing } from "./operations";
