/** The life of what is sealed under the key-encryption key: keys that outlive it, and its change. */
export { keepExportLinkKey, keepPeerKey, keepTombstonePepper } from "../../../platform/secrets/persistent-keys";
export { checkInForce, KekNotInForceError, rotateKek } from "./rotate";
