/** The public search page of the registry, and the page behind the links of digests, in every process that serves look-ups. */
export { digestPageOperations } from "./digest-page";
export { registryPageOperations } from "./operations";
export { PAGE_PATH } from "./page";
