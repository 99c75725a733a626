/** RSA by one of two engines behind one face. */
export { bunEngine } from "./bun-engine";
export { FreedKeyError, type RsaEngine, type RsaPair } from "./engine";
export { type EngineFallback, openEngine } from "./open-engine";
export { proveEngine } from "./prove-engine";
