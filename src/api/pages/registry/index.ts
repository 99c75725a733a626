/** The public search page of the registry, in every process that serves look-ups. */
export { registryPageOperations } from "./operations";
export { PAGE_PATH } from "./page";
