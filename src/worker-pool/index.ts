/** Work in threads, asked and answered. */
export { openPool, type Pool, type PoolOptions } from "./pool";
export { serveJobs } from "./serve-jobs";
