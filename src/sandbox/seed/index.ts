/** Made-up documents for a company that has none. */
export { type SeedDeps, seedOperations } from "./seed";
