/** Reads signing certificates and turns them into verification keys. */
import { createHash, type KeyObject, X509Certificate } from "node:crypto";

const RSA_SHA256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

export type Certificate = {
	/** SHA-256 of the DER bytes, lower-case hex. */
	readonly thumbprint: string;
	readonly der: Uint8Array<ArrayBuffer>;
	readonly subject: string;
	/** RNC, cédula or passport of the person in the subject's serial number; the whole subject when it has none. */
	readonly holder: string;
	readonly notBefore: Date;
	readonly notAfter: Date;
	readonly publicKey: KeyObject;
};

/** Certificates that were read last, by their bytes: few sign all documents, and the same bytes always read the same. */
const lastRead = new Map<string, Certificate>();
const LAST_READ_MAX = 1_000;

/** Reads DER bytes; undefined when they are no certificate, or one whose key or dates cannot be read. */
export function readCertificate(der: Uint8Array): Certificate | undefined {
	const name = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString("base64");
	const known = lastRead.get(name);
	if (known) return known;
	const certificate = readAfresh(der);
	if (certificate === undefined) return undefined;
	if (lastRead.size >= LAST_READ_MAX) lastRead.clear();
	lastRead.set(name, certificate);
	return certificate;
}

function readAfresh(der: Uint8Array): Certificate | undefined {
	try {
		const x509 = new X509Certificate(der);
		const serial = /^serialNumber=(.+)$/m.exec(x509.subject)?.[1]?.trim();
		return {
			thumbprint: createHash("sha256").update(der).digest("hex"),
			der: new Uint8Array(der),
			subject: x509.subject,
			holder: serial?.replace(/^IDC[A-Z]{2}-/, "") ?? x509.subject,
			notBefore: new Date(x509.validFrom),
			notAfter: new Date(x509.validTo),
			publicKey: x509.publicKey,
		};
	} catch {
		// The parts are decoded when they are asked for, so each of them may be the one that fails.
		return undefined;
	}
}

/** True when the instant lies within the certificate's dates; dates that cannot be read contain no instant. */
export function isInForce(certificate: Certificate, now: Date): boolean {
	return certificate.notBefore <= now && now <= certificate.notAfter;
}

const imported = new WeakMap<Certificate, Promise<CryptoKey | undefined>>();

/** The RSA key of a certificate, for RSA-SHA256; undefined for another kind of key or fewer than 2048 bits. */
export function importKey(certificate: Certificate): Promise<CryptoKey | undefined> {
	const known = imported.get(certificate);
	if (known) return known;
	const key = importAfresh(certificate);
	imported.set(certificate, key);
	return key;
}

async function importAfresh({ publicKey }: Certificate): Promise<CryptoKey | undefined> {
	try {
		const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
		if (publicKey.asymmetricKeyType !== "rsa" || bits < 2048) return undefined;
		const spki = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
		return await crypto.subtle.importKey("spki", spki, RSA_SHA256, false, ["verify"]);
	} catch {
		// A modulus or exponent that the engine will not have.
		return undefined;
	}
}
