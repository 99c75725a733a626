/** The files of the last good run in a place that all hosts of a deployment reach. */
export { createSignature, openStoreObjects, type StoreObjects } from "./objects";
export { openRegistryStore, type RegistryStore } from "./store";
