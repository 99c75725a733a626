/**
 * Verifies a document's signature with a key that was chosen before the document is trusted.
 *
 * The certificate in the document is only a name: its thumbprint selects the stored certificate, which gives the key. An unknown certificate is
 * trusted on first use and stored once its signature is valid.
 *
 * Quirks of the verifier: by default it takes any key that the document offers, so it always gets one. Its comparison with the stated signing
 * certificate can run forever, so that comparison is made here. It would also parse the certificate and copy the whole tree for nothing, so it gets
 * neither. It consumes the tree, so everything is read from the document first.
 */
import { createHash, type KeyObject, X509Certificate } from "node:crypto";
import { DOMImplementation, DOMParser, XMLSerializer } from "@xmldom/xmldom";
import { Application, SignedXml, setNodeDependencies } from "xadesjs";
import type { CertificateStore } from "../store";
import { nodesOf, type ReadDocument } from "./read-document";
import { readSignatureShape, type SignatureShape } from "./signature-shape";

setNodeDependencies({ DOMImplementation, DOMParser, XMLSerializer });
Application.setEngine("WebCrypto", crypto);

export type Signed = {
	readonly certificate: Certificate;
	/** Text of SignatureValue; its first six characters are the security code. */
	readonly signatureValue: string;
};

/** A string states why the signature is not valid. */
export async function verifySignature(
	document: ReadDocument,
	certificates: CertificateStore,
	now: Date,
): Promise<Signed | string> {
	const shape = readSignatureShape(document);
	if (typeof shape === "string") return shape;
	const claimed = readCertificate(Buffer.from(shape.certificate, "base64"));
	if (!claimed) return "El certificado de la firma no se puede leer.";
	const known = certificates.find(claimed.thumbprint);
	const pinned = (known && readCertificate(known.der)) ?? claimed;
	if (!isInForce(pinned, now)) return "El certificado de la firma no está vigente.";
	if (!statesCertificate(shape, pinned)) return "El certificado firmado no es el que acompaña la firma.";
	const key = await importKey(pinned);
	if (!key) return "La clave del certificado no es RSA de 2048 bits o más.";
	if (!(await holds(document, shape, key))) return "La firma digital del documento no es válida.";
	if (!known) certificates.remember(pinned, now);
	return { certificate: pinned, signatureValue: shape.value };
}

function statesCertificate(shape: SignatureShape, certificate: Certificate): boolean {
	if (shape.statedDigest === undefined) return true;
	return shape.statedDigest === Buffer.from(certificate.thumbprint, "hex").toString("base64");
}

/** Content that needs no copy; the handler gives the real one. */
const NO_CONTENT = new Uint8Array(0);

async function holds(document: ReadDocument, shape: SignatureShape, key: CryptoKey): Promise<boolean> {
	try {
		const signed = new SignedXml(document.dom);
		for (const node of nodesOf(shape.keyInfo)) shape.keyInfo.removeChild(node);
		signed.LoadXml(shape.element);
		// The structure check covers the algorithm, and the key is for it; otherwise the key would be exported and imported again.
		delete signed.Algorithm;
		signed.contentHandler = async () => document.dom;
		return await signed.Verify({ key, content: NO_CONTENT });
	} catch {
		// It throws on a wrong digest as well as on unreadable input: either way nothing is proved.
		return false;
	}
}

const RSA_SHA256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

export type Certificate = {
	/** SHA-256 of the DER bytes, lower-case hex. */
	readonly thumbprint: string;
	readonly der: Uint8Array<ArrayBuffer>;
	readonly subject: string;
	/** RNC, cédula or passport in the subject's serial number; the whole subject if there is none. */
	readonly holder: string;
	readonly notBefore: Date;
	readonly notAfter: Date;
	readonly publicKey: KeyObject;
};

/** The certificates read last, by their bytes: few certificates sign all documents. */
const lastRead = new Map<string, Certificate>();
const LAST_READ_MAX = 1_000;

/** Reads DER bytes; undefined if they are not a certificate, or its key or dates cannot be read. */
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
		// The parts are decoded lazily, so each of them may fail.
		return undefined;
	}
}

/** True if the instant is within the certificate's dates; unreadable dates contain no instant. */
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
		// A modulus or exponent that the engine refuses.
		return undefined;
	}
}
