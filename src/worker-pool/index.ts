/** Work in threads, asked and answered. */
export type { AsText, Spelling } from "./as-text";
export { openPool, type Pool, type PoolOptions } from "./pool";
export { serveJobs } from "./serve-jobs";
