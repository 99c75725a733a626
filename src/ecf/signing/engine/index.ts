/** RSA signing by OpenSSL or by the runtime, behind one interface. */
export {
	bunEngine,
	FreedKeyError,
	type IdentityBytes,
	type RsaEngine,
	type SigningIdentity,
	toSigningIdentity,
} from "./engine";
export { type EngineFallback, openEngine, proveEngine } from "./open-engine";
