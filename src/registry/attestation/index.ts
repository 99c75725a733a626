/** Signed attestations of what the registry held, their consultation numbers, and the registry's keys. */
export { type Attestations, createAttestations } from "./attestation";
export { OUTCOMES } from "./consultation-number";
export { openRegistryKeys, type RegistryKeys, registryKeyContext, rotateRegistryKey } from "./keys";
