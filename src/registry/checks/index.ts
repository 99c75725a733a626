/** Lists that customers check against the registry. */
export { checkOperations } from "./routes";
export { type CheckRunner, openCheckRunner } from "./run-checks";
