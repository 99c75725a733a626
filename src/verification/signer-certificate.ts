/**
 * The certificate that a signature carries: its facts, its key, and whether it may sign documents at all.
 * It has proved nothing yet: anybody can make one. What it is worth is asked in `judge-trust.ts`.
 */
import "reflect-metadata";
import { BasicConstraintsExtension, X509Certificate } from "@peculiar/x509";
import { type CertificateFacts, describeCertificate } from "../certificate";
import type { DocumentFault } from "./fault";

/** Everything that is asked of it later, read at once: the readers decode some parts only when they are asked for. */
export type SignerCertificate = {
	readonly der: Uint8Array;
	readonly facts: CertificateFacts;
	/** DER of its SubjectPublicKeyInfo. */
	readonly publicKey: Uint8Array;
	readonly isRsa: boolean;
	/** DER of the issuer's name. */
	readonly issuerDer: Uint8Array;
	/** Hex. */
	readonly serialNumber: string;
	/** Digest of the issuer's signature, `SHA-256`. */
	readonly issuedWith: string;
	readonly isAuthority: boolean;
	readonly criticalExtensions: readonly string[];
};

/** An honest one has about one KiB. */
const BYTES_MAX = 16 * 1024;
const KEY_BITS_MIN = 2_048;
/** Longer ones only make each look at them slow. */
const KEY_BITS_MAX = 8_192;
/** Critical extensions that are understood. Source: RFC 5280, 4.2. */
const KNOWN_EXTENSIONS: readonly string[] = [
	"2.5.29.15", // key usage
	"2.5.29.17", // subject alternative name
	"2.5.29.19", // basic constraints
	"2.5.29.31", // where revocations are published
	"2.5.29.32", // policies
	"2.5.29.37", // extended key usage
];

/** A string says why the bytes are not one certificate with a key. */
export function readSignerCertificate(der: Uint8Array): SignerCertificate | string {
	if (der.byteLength > BYTES_MAX) return `more than ${BYTES_MAX} bytes`;
	// The reader lets bytes after the certificate pass, which would give it a second digest.
	if (lengthOfSequence(der) !== der.byteLength) return "it is not one DER value and nothing else";
	try {
		const x509 = new X509Certificate(new Uint8Array(der));
		const { hash } = x509.signatureAlgorithm;
		return {
			der,
			facts: describeCertificate(der),
			publicKey: new Uint8Array(x509.publicKey.rawData),
			isRsa: x509.publicKey.algorithm.name === "RSASSA-PKCS1-v1_5",
			issuerDer: new Uint8Array(x509.issuerName.toArrayBuffer()),
			serialNumber: x509.serialNumber,
			issuedWith: typeof hash === "string" ? hash : (hash?.name ?? "an unknown digest"),
			isAuthority: x509.getExtension(BasicConstraintsExtension)?.ca ?? false,
			criticalExtensions: x509.extensions.filter(({ critical }) => critical).map(({ type }) => type),
		};
	} catch (error) {
		return error instanceof Error ? error.message : "it cannot be read";
	}
}

/** What about the certificate itself forbids it to sign, whoever issued it. */
export function judgeCertificate(certificate: SignerCertificate): DocumentFault[] {
	const { facts, isRsa } = certificate;
	const faults: DocumentFault[] = [];
	if (!isRsa || facts.keyBits < KEY_BITS_MIN || facts.keyBits > KEY_BITS_MAX) {
		const detail = isRsa ? `an RSA key of ${facts.keyBits} bits` : "a key of another kind than RSA";
		faults.push({ code: "certificate-key-refused", detail });
	}
	const refuseUse = (detail: string) => faults.push({ code: "certificate-usage-refused", detail });
	if (!facts.allowsSigning) refuseUse("its key usage allows no signatures");
	if (certificate.isAuthority) refuseUse("it is an authority's, not a person's");
	for (const extension of certificate.criticalExtensions) {
		if (!KNOWN_EXTENSIONS.includes(extension)) refuseUse(`its critical extension ${extension} is not known here`);
	}
	return faults;
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
