/** How secrets are kept at rest. */
export { createEnvelope, type Envelope, SealedSecretError } from "./envelope";
export { deriveKey, readKek, readOrMakeKek } from "./kek";
