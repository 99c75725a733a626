/** Work in threads, asked and answered. */

export { openPool, type Pool } from "./pool";
export type { Spelling } from "./protocol";
export { serveJobs } from "./serve-jobs";
export { createStrangersPool } from "./untrusted-input-pool";
