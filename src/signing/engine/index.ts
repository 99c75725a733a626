/** RSA by one of two engines behind one face. */
export { bunEngine } from "./bun-engine";
export { FreedKeyError, type RsaEngine, type RsaPair, type RsaPairBytes } from "./engine";
export { type EngineFallback, type OpenedEngine, openEngine } from "./open-engine";
export { proveEngine } from "./prove-engine";
