/** Who signs: a certificate and the private key that belongs to it. */
import { createPrivateKey, type KeyObject } from "node:crypto";

export type SigningIdentity = {
	readonly certificateDer: Uint8Array;
	readonly privateKey: KeyObject;
};

/** A key as it lies in storage after decryption. */
export type StoredIdentity = {
	readonly certificateDer: Uint8Array;
	/** PKCS#8, unencrypted. Whoever holds it wipes it after use. */
	readonly pkcs8Der: Uint8Array;
};

/** Imports the key. The caller wipes `pkcs8Der` afterwards: the engine holds a copy of its own. */
export function toSigningIdentity(stored: StoredIdentity): SigningIdentity {
	const privateKey = createPrivateKey({ key: Buffer.from(stored.pkcs8Der), format: "der", type: "pkcs8" });
	return { certificateDer: stored.certificateDer, privateKey };
}
