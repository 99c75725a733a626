/** The files of the last good run in a place that all hosts of a deployment reach. */
export { createSignature } from "./signature";
export { openRegistryStore, type RegistryStore } from "./store";
