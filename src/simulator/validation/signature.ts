/**
 * Verifies a document's signature with a key that was chosen before the document is believed.
 *
 * The certificate in the document is only a name: its thumbprint is looked up among those seen before, and the stored one gives
 * the key. One that was never seen is trusted on first use and remembered once its signature holds.
 *
 * Quirks of the verifier: left alone it takes whatever key the document offers, so it always gets one; its check of the stated
 * signing certificate can run for ever, so that comparison is made here. It would parse the certificate and copy the whole tree, both
 * for nothing: it gets neither. The tree is used up by it, so whatever is read from the document is read before.
 */
import { DOMImplementation, DOMParser, XMLSerializer } from "@xmldom/xmldom";
import { Application, SignedXml, setNodeDependencies } from "xadesjs";
import type { CertificateStore } from "../store/certificates";
import { type Certificate, importKey, isInForce, readCertificate } from "./certificate";
import { nodesOf, type ReadDocument } from "./read-document";
import { readSignatureShape, type SignatureShape } from "./signature-shape";

setNodeDependencies({ DOMImplementation, DOMParser, XMLSerializer });
Application.setEngine("WebCrypto", crypto);

export type Signed = {
	readonly certificate: Certificate;
	/** Text of SignatureValue; its first six characters are the security code. */
	readonly signatureValue: string;
};

/** A string says why the signature does not hold. */
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
		// The shape has seen to the algorithm, and the key is for that one: without this it would be exported and imported again.
		delete signed.Algorithm;
		signed.contentHandler = async () => document.dom;
		return await signed.Verify({ key, content: NO_CONTENT });
	} catch {
		// It throws on a wrong digest as well as on what it cannot read: either way nothing has been proved.
		return false;
	}
}
