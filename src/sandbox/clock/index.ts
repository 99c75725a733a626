/** The test clock of a tenant, which exists in the sandboxes only. */
export { type SandboxDeps, sandboxOperations } from "./clock";
