/** Work in threads, asked and answered. */
export type { Spelling } from "./as-text";
export { openPool, type Pool } from "./pool";
export { serveJobs } from "./serve-jobs";
export { createStrangersPool } from "./untrusted-input-pool";
