/** The reference implementation of XAdES, asked with a pinned key. */
import "reflect-metadata";
import { X509Certificate } from "@peculiar/x509";
import { DOMImplementation, DOMParser, XMLSerializer } from "@xmldom/xmldom";
import { Application, Parse, SignedXml, setNodeDependencies } from "xadesjs";

setNodeDependencies({ DOMImplementation, DOMParser, XMLSerializer });
Application.setEngine("WebCrypto", crypto);

/** True when xadesjs verifies the document with the certificate's key, whatever the document itself brings along. */
export async function verifyByReference(bytes: Uint8Array, certificateDer: Uint8Array): Promise<boolean> {
	const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
	const key = await new X509Certificate(new Uint8Array(certificateDer)).publicKey.export(algorithm, ["verify"]);
	const document = Parse(new TextDecoder().decode(bytes));
	const [signature] = Array.from(document.getElementsByTagNameNS("http://www.w3.org/2000/09/xmldsig#", "Signature"));
	if (!signature) return false;
	const signed = new SignedXml(document);
	signed.LoadXml(signature);
	return signed.Verify(key);
}
