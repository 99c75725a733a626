/** Lists that customers check against the registry. */
export { checkOperations } from "./routes";
export { openCheckRunner } from "./run-checks";
