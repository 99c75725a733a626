/** How secrets are kept at rest. */
export { createEnvelope, type Envelope, rewrap, SealedSecretError } from "./envelope";
export { deriveKey, idOfKek, type Kek, KekFileError, nextKekFile, readKek, readOrMakeKek } from "./kek";
export {
	contextOfKeptKey,
	findSealedPepper,
	keepExportLinkKey,
	keepPeerKey,
	keepTombstonePepper,
	openTombstonePepper,
} from "./kept-keys";
export { nameOfKek, openWithRecoveryKey, RecoveryKeyError, sealToRecoveryKey, writeKek } from "./recovery";
export { createSealedKey, openSealedKey, toPublicJwk } from "./sealed-key";
