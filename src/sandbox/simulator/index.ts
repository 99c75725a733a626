/** Starts the authority's simulator in a thread of this service. */
export { type SandboxAuthority, startRehearsalAuthority, startSandboxAuthority } from "./authority-simulator";
