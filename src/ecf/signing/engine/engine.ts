import { createPrivateKey, createPublicKey, type KeyObject, sign, verify, X509Certificate } from "node:crypto";

/** What an RSA engine is: it holds keys in memory and does the two operations with them. */
export type RsaEngine = {
	/** For logs and the ready line: `bun`, `openssl-3.0.19`. */
	readonly name: string;
	/** Takes keys over; the caller may wipe its bytes at once. Throws an Error for what is no readable RSA key. */
	readonly importPair: (bytes: RsaPairBytes) => RsaPair;
};

export type RsaPairBytes = {
	/** PKCS#8, unencrypted. */
	readonly pkcs8Der: Uint8Array;
	/** SubjectPublicKeyInfo of the certificate, which need not belong to the private key: whoever signs checks that. */
	readonly spkiDer: Uint8Array;
};

/** A private key and a certificate's public key, for RSASSA-PKCS1-v1_5 with SHA-256. Source: RFC 8017, 8.2. */
export type RsaPair = {
	readonly sign: (data: Uint8Array) => Uint8Array;
	/** False for whatever does not verify, a signature of another length included. */
	readonly verify: (data: Uint8Array, signature: Uint8Array) => boolean;
	/** Gives the memory back. From then on both operations throw a FreedKeyError; freeing twice is as once. */
	readonly free: () => void;
};

/** A key was used after its memory had been given back: a defect of whoever kept it. */
export class FreedKeyError extends Error {
	constructor() {
		super("the key's memory was given back before this use");
		this.name = "FreedKeyError";
	}
}

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

/** The runtime's own engine: always there. A freed key's memory is wiped and given back when the collector comes by. */
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

/** The same bytes, not a copy: a copy would outlive the caller's wiping. */
function view(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
