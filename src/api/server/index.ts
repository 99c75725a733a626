/** The HTTP server: routing, admission, the fast path, errors and health. */
export { type App, createApp, type ServerDeps } from "./app";
export { admitOperators, trustProxies } from "./caller-address";
export { createReadHealth, type HealthSettings, type HealthStatus, healthOperations } from "./health";
