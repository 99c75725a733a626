/** Typed jobs in long-lived threads. */

export { openPool, type Pool } from "./pool";
export type { Spelling } from "./protocol";
export { serveJobs } from "./serve-jobs";
export { createUntrustedInputPool } from "./untrusted-input-pool";
