/** How secrets are kept at rest. */
export { createEnvelope, type Envelope, rewrap, SealedSecretError } from "./envelope";
export { deriveKey, KekFileError, readKek, readOrMakeKek } from "./kek";
export { idOfKek, type Kek, nextKekFile } from "./kek-ring";
export { keepExportLinkKey, keepPeerKey, keepTombstonePepper, placeOfKeptKey } from "./persistent-keys";
