/** Ed25519 keys whose private part is stored sealed: those of tokens, of the registry and of the archive. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Envelope } from "./envelope";

export type SealedKey = {
	/** The 32 bytes of RFC 8032. */
	readonly publicKey: Uint8Array;
	readonly sealedPrivateKey: Buffer;
};

/** A new key, sealed for a context that may depend on its public part. */
export function createSealedKey(envelope: Envelope, contextOf: (publicKey: Uint8Array) => string): SealedKey {
	const pair = generateKeyPairSync("ed25519");
	const publicKey = new Uint8Array(pair.publicKey.export({ format: "der", type: "spki" }).subarray(-32));
	const secret = pair.privateKey.export({ format: "der", type: "pkcs8" });
	const sealedPrivateKey = Buffer.from(envelope.seal(secret, contextOf(publicKey)));
	secret.fill(0);
	return { publicKey, sealedPrivateKey };
}

/** The private part. Throws: SealedSecretError. */
export function openSealedKey(envelope: Envelope, sealed: Uint8Array, context: string): KeyObject {
	const secret = envelope.open(sealed, context);
	try {
		return createPrivateKey({ key: secret, format: "der", type: "pkcs8" });
	} finally {
		secret.fill(0);
	}
}

/** The public part as its holders verify with it. Source: RFC 8037, 2. */
export function toPublicJwk(kid: string, publicKey: Uint8Array) {
	return { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey).toString("base64url"), kid, alg: "EdDSA", use: "sig" };
}
