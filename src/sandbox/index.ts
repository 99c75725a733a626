/** What only the sandboxes have: a clock for each tenant that can be moved on. */
export { type SandboxDeps, sandboxOperations } from "./routes";
