import { createPrivateKey, createPublicKey, type KeyObject, sign, verify, X509Certificate } from "node:crypto";

/** An RSA engine: it holds keys in memory, signs and verifies. */
export type RsaEngine = {
	/** For logs and the ready line: `bun`, `openssl-3.0.19`. */
	readonly name: string;
	/** Imports keys; the caller may wipe its bytes at once. Throws an Error if the bytes are not an RSA key. */
	readonly importPair: (bytes: RsaPairBytes) => RsaPair;
};

export type RsaPairBytes = {
	/** PKCS#8, unencrypted. */
	readonly pkcs8Der: Uint8Array;
	/** SubjectPublicKeyInfo of the certificate. It need not match the private key; the signer checks that. */
	readonly spkiDer: Uint8Array;
};

/** A private key and a certificate's public key, for RSASSA-PKCS1-v1_5 with SHA-256. Source: RFC 8017, 8.2. */
export type RsaPair = {
	readonly sign: (data: Uint8Array) => Uint8Array;
	/** False for everything that does not verify, including a signature of another length. */
	readonly verify: (data: Uint8Array, signature: Uint8Array) => boolean;
	/** Releases the memory. Afterwards both operations throw a FreedKeyError. Freeing twice is harmless. */
	readonly free: () => void;
};

/** A key was used after its memory had been released: a defect of its holder. */
export class FreedKeyError extends Error {
	constructor() {
		super("the key's memory was given back before this use");
		this.name = "FreedKeyError";
	}
}

export type SigningIdentity = {
	readonly certificateDer: Uint8Array;
	/** The private key, and the certificate's public key. */
	readonly rsa: RsaPair;
};

/** An identity from a container or a vault, with its key in clear. */
export type IdentityBytes = {
	readonly certificateDer: Uint8Array;
	/** PKCS#8, unencrypted. The holder wipes it after use. */
	readonly pkcs8Der: Uint8Array;
};

/** Imports the key. The engine keeps its own copy, so the caller may wipe `pkcs8Der` at once. */
export function toSigningIdentity({ certificateDer, pkcs8Der }: IdentityBytes, engine: RsaEngine): SigningIdentity {
	const spkiDer = new X509Certificate(certificateDer).publicKey.export({ type: "spki", format: "der" });
	return { certificateDer, rsa: engine.importPair({ pkcs8Der, spkiDer }) };
}

/** The runtime's own engine, always available. The garbage collector releases a freed key's memory. */
export const bunEngine: RsaEngine = {
	name: "bun",
	importPair({ pkcs8Der, spkiDer }) {
		let keys: { own: KeyObject; certified: KeyObject } | undefined = {
			own: createPrivateKey({ key: view(pkcs8Der), format: "der", type: "pkcs8" }),
			certified: createPublicKey({ key: view(spkiDer), format: "der", type: "spki" }),
		};
		for (const { asymmetricKeyType } of Object.values(keys)) {
			if (asymmetricKeyType !== "rsa") throw new Error(`expected an RSA key, got ${asymmetricKeyType}`);
		}
		return {
			sign(data) {
				if (!keys) throw new FreedKeyError();
				return sign("sha256", data, keys.own);
			},
			verify(data, signature) {
				if (!keys) throw new FreedKeyError();
				return verify("sha256", data, keys.certified, signature);
			},
			free() {
				keys = undefined;
			},
		};
	},
};

/** The same bytes, not a copy: a copy would survive the caller's wipe. */
function view(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
