/**
 * The certificate that a signature carries: its facts and its key. Whether it may sign documents at all is told by `judgeSigner`.
 * It has proved nothing yet: anybody can make one. What it is worth is asked in `judge-trust.ts`.
 */
import "reflect-metadata";
import { X509Certificate } from "@peculiar/x509";
import { readSignerTraits, type SignerTraits } from "../certificate";

/** Everything that is asked of it later, read at once: the readers decode some parts only when they are asked for. */
export type SignerCertificate = SignerTraits & {
	readonly der: Uint8Array;
	/** DER of its SubjectPublicKeyInfo. */
	readonly publicKey: Uint8Array;
	/** DER of the issuer's name. */
	readonly issuerDer: Uint8Array;
	/** Hex. */
	readonly serialNumber: string;
	/** Digest of the issuer's signature, `SHA-256`. */
	readonly issuedWith: string;
};

/** An honest one has about one KiB. */
const BYTES_MAX = 16 * 1024;
/** A string says why the bytes are not one certificate with a key. */
export function readSignerCertificate(der: Uint8Array): SignerCertificate | string {
	if (der.byteLength > BYTES_MAX) return `more than ${BYTES_MAX} bytes`;
	// The reader lets bytes after the certificate pass, which would give it a second digest.
	if (lengthOfSequence(der) !== der.byteLength) return "it is not one DER value and nothing else";
	try {
		const x509 = new X509Certificate(new Uint8Array(der));
		// The reader lets a number of no bytes pass, which is none and cannot be compared with one.
		if (x509.serialNumber === "") return "it has no serial number";
		const { hash } = x509.signatureAlgorithm;
		return {
			der,
			...readSignerTraits(der, x509),
			publicKey: new Uint8Array(x509.publicKey.rawData),
			issuerDer: new Uint8Array(x509.issuerName.toArrayBuffer()),
			serialNumber: x509.serialNumber,
			issuedWith: typeof hash === "string" ? hash : (hash?.name ?? "an unknown digest"),
		};
	} catch (error) {
		return error instanceof Error ? error.message : "it cannot be read";
	}
}

/** Length of the outermost DER value with its head; 0 when it is no SEQUENCE. */
function lengthOfSequence(der: Uint8Array): number {
	const [tag, first = 0] = der;
	if (tag !== 0x30) return 0;
	if (first < 0x80) return 2 + first;
	const count = first & 0x7f;
	const length = der.subarray(2, 2 + count).reduce((sum, byte) => sum * 256 + byte, 0);
	return 2 + count + length;
}
