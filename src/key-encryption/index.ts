/** The life of what is sealed under the key-encryption key: keys that outlive it, and its change. */
export { keepExportLinkKey, keepPeerKey, keepTombstonePepper } from "./kept-key";
export { checkInForce, KekNotInForceError, rotateKek } from "./rotate";
