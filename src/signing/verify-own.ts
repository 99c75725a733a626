/**
 * Checks what we are about to send: reads the finished bytes back and verifies them with the certificate.
 *
 * It is no general verifier. It knows the one form that `xades.ts` writes and refuses everything else, which makes it cheap
 * enough for every document: one pass over the markup, one pattern over the Signature, two digests, one public-key operation.
 * What it finds is a defect of ours: a key that is not the certificate's, a text that a parser would read differently
 * from what was digested, a byte that changed on the way.
 */
import { isUtf8 } from "node:buffer";
import { type KeyObject, verify, X509Certificate } from "node:crypto";
import { fromSentForm } from "./canonical-text";
import { findBrokenMarkup } from "./markup";
import { openSubset, readRootScope } from "./root-scope";
import { DSIG_NAMESPACE, XADES_NAMESPACE, XML_DECLARATION } from "./xades";

/** Our own output does not verify. Never the caller's fault; nothing may be sent. */
export class SelfCheckError extends Error {
	constructor(readonly finding: string) {
		super(`the signed document does not verify: ${finding}`);
		this.name = "SelfCheckError";
	}
}

const digestNamed = (name: string) =>
	'<DigestMethod Algorithm="http://www\\.w3\\.org/2001/04/xmlenc#sha256"></DigestMethod>' +
	`<DigestValue>(?<${name}>[\\w+/=]+)</DigestValue>`;
/** The Signature as we write it, whole: nothing else may be in it. */
const SIGNATURE = new RegExp(
	'^<Signature xmlns="http://www\\.w3\\.org/2000/09/xmldsig#"(?: Id="(?<id>[\\w-]+)")?><SignedInfo>(?<info>' +
		'<CanonicalizationMethod Algorithm="http://www\\.w3\\.org/TR/2001/REC-xml-c14n-20010315"></CanonicalizationMethod>' +
		'<SignatureMethod Algorithm="http://www\\.w3\\.org/2001/04/xmldsig-more#rsa-sha256"></SignatureMethod>' +
		'<Reference URI=""><Transforms>' +
		'<Transform Algorithm="http://www\\.w3\\.org/2000/09/xmldsig#enveloped-signature"></Transform></Transforms>' +
		`${digestNamed("documentDigest")}</Reference>` +
		'(?:<Reference Type="http://uri\\.etsi\\.org/01903#SignedProperties" URI="#(?<reference>[\\w-]+)">' +
		`${digestNamed("propertiesDigest")}</Reference>)?` +
		"</SignedInfo>)<SignatureValue>(?<value>[\\w+/=]+)</SignatureValue>" +
		"<KeyInfo><X509Data><X509Certificate>(?<certificate>[\\w+/=]+)</X509Certificate></X509Data></KeyInfo>" +
		'(?:<Object><xades:QualifyingProperties xmlns:xades="http://uri\\.etsi\\.org/01903/v1\\.3\\.2#" Target="#\\k<id>">' +
		'<xades:SignedProperties Id="\\k<reference>">(?<properties>' +
		"<xades:SignedSignatureProperties><xades:SigningTime>[\\d.:TZ-]+</xades:SigningTime>" +
		`<xades:SigningCertificateV2><xades:Cert><xades:CertDigest>${digestNamed("certificateDigest")}` +
		"</xades:CertDigest></xades:Cert></xades:SigningCertificateV2></xades:SignedSignatureProperties>" +
		"</xades:SignedProperties>)</xades:QualifyingProperties></Object>)?</Signature>$",
);

/** Verifies our own bytes with the certificate they were signed for. Throws a SelfCheckError when anything is off. */
export function verifyOwnSignature(bytes: Uint8Array, certificateDer: Uint8Array): void {
	const sent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (!isUtf8(sent)) throw new SelfCheckError("it is not UTF-8");
	const start = sent.indexOf("<Signature ");
	const end = sent.lastIndexOf("</");
	const found = start < 0 ? undefined : SIGNATURE.exec(sent.toString("latin1", start, end))?.groups;
	if (!found) throw new SelfCheckError("its root does not end with one Signature as we write it");
	const { info = "", documentDigest, reference, propertiesDigest, value = "", properties, certificateDigest } = found;

	const from = sent.indexOf(XML_DECLARATION) === 0 ? XML_DECLARATION.length : 0;
	const document = Buffer.concat([sent.subarray(from, start), sent.subarray(end)]);
	const broken = findBrokenMarkup(document);
	if (broken !== undefined) throw new SelfCheckError(`it holds ${broken}`);
	const canonical = document.includes("&") ? fromSentForm(document.toString()) : document;
	if (sha256Base64(canonical) !== documentDigest) throw new SelfCheckError("the document's digest differs");

	const certificate = describe(certificateDer);
	if (found.certificate !== certificate.base64) throw new SelfCheckError("it carries another certificate");

	const scope = readRootScope(document.toString("utf8", 0, document.indexOf(">") + 1));
	if ((properties === undefined) !== (reference === undefined)) {
		throw new SelfCheckError("its properties are there without their reference, or the reverse");
	}
	if (properties !== undefined) {
		const id = ` Id="${reference}"`;
		const tag = openSubset("xades:SignedProperties", scope, DSIG_NAMESPACE, { xades: XADES_NAMESPACE }, id);
		if (sha256Base64(tag + properties) !== propertiesDigest) {
			throw new SelfCheckError("the digest of its properties differs");
		}
		if (certificateDigest !== certificate.digest) throw new SelfCheckError("its properties name another certificate");
	}

	const signed = Buffer.from(openSubset("SignedInfo", scope, DSIG_NAMESPACE) + info);
	const signature = Buffer.from(value, "base64");
	// Several texts decode to the same bytes; the security code is read from the text.
	if (signature.toString("base64") !== value) throw new SelfCheckError("its value is not written as base64 is");
	if (!verify("sha256", signed, certificate.publicKey, signature)) {
		throw new SelfCheckError("the certificate's key does not fit the signature");
	}
}

function sha256Base64(text: string | Uint8Array): string {
	return new Bun.CryptoHasher("sha256").update(text).digest("base64");
}

type OwnCertificate = { readonly base64: string; readonly digest: string; readonly publicKey: KeyObject };
const described = new WeakMap<Uint8Array, OwnCertificate>();

function describe(der: Uint8Array): OwnCertificate {
	let entry = described.get(der);
	if (!entry) {
		const { publicKey } = new X509Certificate(der);
		entry = { base64: Buffer.from(der).toString("base64"), digest: sha256Base64(der), publicKey };
		described.set(der, entry);
	}
	return entry;
}
