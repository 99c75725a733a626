/** Who signs: a certificate and the private key that belongs to it. */
import { X509Certificate } from "node:crypto";
import type { RsaEngine, RsaPair } from "./engine";

export type SigningIdentity = {
	readonly certificateDer: Uint8Array;
	/** The private key, and the certificate's public one. */
	readonly rsa: RsaPair;
};

/** An identity as it leaves a container or a vault, its key in clear. */
export type IdentityBytes = {
	readonly certificateDer: Uint8Array;
	/** PKCS#8, unencrypted. Whoever holds it wipes it after use. */
	readonly pkcs8Der: Uint8Array;
};

/** Imports the key. The engine keeps a copy of its own, so the caller may wipe `pkcs8Der` at once. */
export function toSigningIdentity({ certificateDer, pkcs8Der }: IdentityBytes, engine: RsaEngine): SigningIdentity {
	const spkiDer = new X509Certificate(certificateDer).publicKey.export({ type: "spki", format: "der" });
	return { certificateDer, rsa: engine.importPair({ pkcs8Der, spkiDer }) };
}
