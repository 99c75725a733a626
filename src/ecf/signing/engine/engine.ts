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
