/** What only the sandboxes have: a clock for each tenant that can be moved on, and in the public one an end of everything after a day. */
export { sandboxOperations } from "./routes";
export { startWipes } from "./wipe/schedule";
export { type WipeDeps, wipeOld } from "./wipe/wipe";
