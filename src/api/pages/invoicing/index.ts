/** Pages of processes that issue: authority status, schemas, receiving webhooks, the offline verifier and the sandbox's inbox. */
export { inboxOperations, verifierPageOperation } from "./built-pages";
export { TEXTS } from "./inbox/to-item";
export { receiversPageOperation } from "./receivers-page";
export { schemaOperations } from "./schemas";
export { statusPageOperation } from "./status/operation";
