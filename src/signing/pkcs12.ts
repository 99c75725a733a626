/**
 * Opens the container in which an accredited entity hands out a signing certificate.
 *
 * What is asked of it: one RSA key of 2048 bits or more, the certificate that belongs to it, valid today, allowed to sign.
 * A chain may lie beside it and is not looked at.
 *
 * The file is hostile until proved otherwise: its size, and the key-derivation work that it asks for, are bounded before any
 * work is done. Every refusal is a sentence that its owner can act on.
 *
 * Source: RFC 7292 (PKCS #12).
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { Problem } from "../problem";
import { type CertificateFacts, describeCertificate } from "./certificate";
import type { IdentityBytes } from "./identity";
import { type Pkcs12Content, readPkcs12, Unreadable } from "./pkcs12-container";

export const PKCS12_BYTES_MAX = 64 * 1024;
const RSA_BITS_MIN = 2048;

/**
 * Takes the signing identity out of a PKCS#12 container. `now` decides whether the certificate is valid.
 * Containers of 40-bit RC2 and triple DES are read too: several entities still issue them.
 * Throws: certificate-invalid, with a sentence for each of the reasons.
 */
export function openPkcs12(bytes: Uint8Array, password: string, now: Date): IdentityBytes {
	if (bytes.length > PKCS12_BYTES_MAX) throw refuse(`The container is larger than ${PKCS12_BYTES_MAX / 1024} KiB.`);
	const content = readContent(bytes, password);
	try {
		const { key, certificateDer } = findPair(content);
		checkCertificate(describeCertificate(certificateDer), now);
		return { certificateDer, pkcs8Der: key.export({ type: "pkcs8", format: "der" }) };
	} finally {
		for (const der of content.keys) der.fill(0);
	}
}

function readContent(bytes: Uint8Array, password: string): Pkcs12Content {
	try {
		return readPkcs12(bytes, password);
	} catch (cause) {
		if (cause instanceof Unreadable) throw refuse(cause.sentence, cause);
		throw refuse("The file is not a readable PKCS#12 container.", cause);
	}
}

/** The key that has a certificate, and that certificate. */
function findPair(content: Pkcs12Content): { key: KeyObject; certificateDer: Uint8Array } {
	const keys = content.keys.map(importRsaKey);
	const [first] = keys;
	if (!first) throw refuse("The container holds no private key.");
	if (content.certificates.length === 0) throw refuse("The container holds no certificate.");
	for (const certificateDer of content.certificates) {
		const certificate = readX509(certificateDer);
		const key = keys.find((candidate) => certificate.checkPrivateKey(candidate));
		if (key) return { key, certificateDer };
	}
	throw refuse("The private key does not belong to the certificate.");
}

function importRsaKey(der: Buffer): KeyObject {
	let key: KeyObject;
	try {
		key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
	} catch (cause) {
		throw refuse("The private key in the container cannot be read.", cause);
	}
	if (key.asymmetricKeyType !== "rsa") throw refuse("The private key is not an RSA key.");
	const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
	if (bits < RSA_BITS_MIN) throw refuse(`The RSA key has ${bits} bits; at least ${RSA_BITS_MIN} are required.`);
	return key;
}

function readX509(der: Uint8Array): X509Certificate {
	try {
		return new X509Certificate(der);
	} catch (cause) {
		throw refuse("A certificate in the container cannot be read.", cause);
	}
}

function checkCertificate(facts: CertificateFacts, now: Date): void {
	const at = now.toISOString();
	if (at < facts.notBefore) throw refuse(`The certificate is not valid before ${facts.notBefore}.`);
	if (at > facts.notAfter) throw refuse(`The certificate expired on ${facts.notAfter}.`);
	if (!facts.allowsSigning) throw refuse("The certificate's key usage does not allow signatures.");
}

function refuse(detail: string, cause?: unknown): Problem {
	return new Problem("certificate-invalid", { detail, cause });
}
