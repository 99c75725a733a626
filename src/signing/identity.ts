/** Who signs: a certificate and the private key that belongs to it. */
import { createPrivateKey, type KeyObject } from "node:crypto";

export type SigningIdentity = {
	readonly certificateDer: Uint8Array;
	readonly privateKey: KeyObject;
};

/** An identity as it leaves a container or a vault, its key in clear. */
export type IdentityBytes = {
	readonly certificateDer: Uint8Array;
	/** PKCS#8, unencrypted. Whoever holds it wipes it after use. */
	readonly pkcs8Der: Uint8Array;
};

/** Imports the key. The engine keeps a copy of its own, so the caller may wipe `pkcs8Der` at once. */
export function toSigningIdentity({ certificateDer, pkcs8Der }: IdentityBytes): SigningIdentity {
	// A view, not a copy: a copy would outlive the caller's wiping.
	const key = Buffer.from(pkcs8Der.buffer, pkcs8Der.byteOffset, pkcs8Der.byteLength);
	return { certificateDer, privateKey: createPrivateKey({ key, format: "der", type: "pkcs8" }) };
}
