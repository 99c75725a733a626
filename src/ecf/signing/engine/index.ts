/** RSA by one of two engines behind one face. */
export {
	bunEngine,
	FreedKeyError,
	type IdentityBytes,
	type RsaEngine,
	type SigningIdentity,
	toSigningIdentity,
} from "./engine";
export { type EngineFallback, openEngine, proveEngine } from "./open-engine";
