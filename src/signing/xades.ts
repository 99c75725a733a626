/**
 * Signs a document: an enveloped XML signature as the last child of the root, in one of two profiles.
 *
 *   <ECF>                                                        RSA-SHA256 over
 *     …the document…  ◄───────── Reference URI="" ────────────┐   canonical SignedInfo
 *     <Signature Id="signature">                              │          │
 *       <SignedInfo>  two digests, SHA-256 ───────────────────┤ ◄────────┤
 *       <SignatureValue>  base64, one line  ◄─────────────────┼──────────┘
 *       <KeyInfo>  one X509Certificate                        │
 *       <Object><xades:QualifyingProperties>                  │
 *         <xades:SignedProperties Id="signed-properties">  ◄──┘  Reference URI="#signed-properties"
 *           SigningTime, SigningCertificateV2 (SHA-256 of the certificate)
 *
 * `xades-bes` is the whole of it; `xmldsig` leaves out Object, the second Reference and the Ids.
 *
 * The document arrives in canonical form, so its digest is the digest of its bytes: no parser, no DOM, no second
 * serialisation that could differ. The enveloped transform takes the Signature away again, hence the digest is over the
 * document as it was before. The two signed pieces inside the Signature are written once as they stand in the document and
 * once, for the digest, with the namespaces in scope on their first tag; see `root-scope.ts`.
 *
 * What fails, and how it is seen: a piece that is not in canonical form (an empty-element tag, a single quotation mark, a raw
 * CR, attributes out of order) digests to something no verifier finds. `verify-own.ts` catches that before anything leaves.
 *
 * Quirks:
 * - What lies inside Signature but outside the two signed pieces is not signed by anybody's rules. KeyInfo is bound by the
 *   certificate's digest in SignedProperties, in the plain profile only by the key itself.
 * - Ids are fixed words, so the same input gives the same bytes: RSA with PKCS#1 v1.5 padding has no randomness.
 * - The sent bytes spell some characters differently from the digested ones; see `canonical-text.ts`.
 *
 * Source: XML Signature Syntax and Processing (W3C, 2013); ETSI EN 319 132-1, 5.2.1 SigningTime, 5.2.2 SigningCertificateV2;
 * the authority's signing guide (enveloped, inclusive C14N, RSA-SHA256, one certificate).
 */
import { sign } from "node:crypto";
import { toSentForm } from "./canonical-text";
import type { SigningIdentity } from "./identity";
import { openSubset, type RootScope, readRootScope } from "./root-scope";

export type SignatureProfile = "xades-bes" | "xmldsig";

export type SignOptions = {
	readonly profile: SignatureProfile;
	/** Stands as SigningTime in the XAdES profile. */
	readonly signedAt: Date;
};

export const DSIG_NAMESPACE = "http://www.w3.org/2000/09/xmldsig#";
export const XADES_NAMESPACE = "http://uri.etsi.org/01903/v1.3.2#";
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

const C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";
const SIGNED_PROPERTIES_TYPE = "http://uri.etsi.org/01903#SignedProperties";
const encoder = new TextEncoder();

const SIGNATURE_ID = "signature";
const PROPERTIES_ID = "signed-properties";

/**
 * Signs a document that is in canonical form and gives the bytes to send.
 * Shape: XML declaration, the document in its sent spelling, the Signature before the root's end tag; UTF-8, one line
 * unless a text holds line breaks.
 */
export function signXml(canonicalXml: string, identity: SigningIdentity, options: SignOptions): Uint8Array {
	const scope = readRootScope(canonicalXml);
	const endTag = `</${scope.rootName}>`;
	if (!canonicalXml.endsWith(endTag)) throw new Error(`expected the document to end with ${endTag}`);
	const certificate = describeForSignature(identity.certificateDer);
	const documentDigest = sha256Base64(canonicalXml);
	const properties = options.profile === "xades-bes" ? writeSignedProperties(certificate.digest, options.signedAt) : "";
	const signedInfo = writeSignedInfo(
		documentDigest,
		properties === "" ? "" : digestSignedProperties(properties, scope),
	);
	const toSign = openSubset("SignedInfo", scope, DSIG_NAMESPACE) + signedInfo;
	const value = sign("sha256", Buffer.from(toSign), identity.privateKey).toString("base64");

	const signature =
		`<Signature xmlns="${DSIG_NAMESPACE}"${properties === "" ? "" : ` Id="${SIGNATURE_ID}"`}><SignedInfo>${signedInfo}` +
		`<SignatureValue>${value}</SignatureValue>` +
		`<KeyInfo><X509Data><X509Certificate>${certificate.base64}</X509Certificate></X509Data></KeyInfo>` +
		`${properties === "" ? "" : envelopProperties(properties)}</Signature>`;
	const before = toSentForm(canonicalXml.slice(0, -endTag.length));
	// An array of its own: a pooled Buffer would drag its neighbours along to another thread.
	return encoder.encode(XML_DECLARATION + before + signature + endTag);
}

/** SignedInfo without its first tag: that one differs between the document and the bytes that are signed. */
function writeSignedInfo(documentDigest: string, propertiesDigest: string): string {
	return (
		`<CanonicalizationMethod Algorithm="${C14N}"></CanonicalizationMethod>` +
		`<SignatureMethod Algorithm="${RSA_SHA256}"></SignatureMethod>` +
		`<Reference URI=""><Transforms><Transform Algorithm="${ENVELOPED}"></Transform></Transforms>` +
		`${writeDigest(documentDigest)}</Reference>` +
		(propertiesDigest === ""
			? ""
			: `<Reference Type="${SIGNED_PROPERTIES_TYPE}" URI="#${PROPERTIES_ID}">${writeDigest(propertiesDigest)}</Reference>`) +
		"</SignedInfo>"
	);
}

/** SignedProperties without its first tag. */
function writeSignedProperties(certificateDigest: string, signedAt: Date): string {
	return (
		`<xades:SignedSignatureProperties><xades:SigningTime>${signedAt.toISOString()}</xades:SigningTime>` +
		`<xades:SigningCertificateV2><xades:Cert><xades:CertDigest>${writeDigest(certificateDigest)}</xades:CertDigest>` +
		"</xades:Cert></xades:SigningCertificateV2></xades:SignedSignatureProperties></xades:SignedProperties>"
	);
}

function envelopProperties(properties: string): string {
	return (
		`<Object><xades:QualifyingProperties xmlns:xades="${XADES_NAMESPACE}" Target="#${SIGNATURE_ID}">` +
		`<xades:SignedProperties Id="${PROPERTIES_ID}">${properties}</xades:QualifyingProperties></Object>`
	);
}

function digestSignedProperties(properties: string, scope: RootScope): string {
	const tag = openSubset(
		"xades:SignedProperties",
		scope,
		DSIG_NAMESPACE,
		{ xades: XADES_NAMESPACE },
		` Id="${PROPERTIES_ID}"`,
	);
	return sha256Base64(tag + properties);
}

function writeDigest(base64: string): string {
	return `<DigestMethod Algorithm="${SHA256}"></DigestMethod><DigestValue>${base64}</DigestValue>`;
}

function sha256Base64(text: string | Uint8Array): string {
	return new Bun.CryptoHasher("sha256").update(text).digest("base64");
}

type CertificateForSignature = { readonly base64: string; readonly digest: string };
const described = new WeakMap<Uint8Array, CertificateForSignature>();

/** The certificate as KeyInfo and SignedProperties need it, worked out once for each identity. */
function describeForSignature(der: Uint8Array): CertificateForSignature {
	let entry = described.get(der);
	if (!entry) {
		entry = { base64: Buffer.from(der).toString("base64"), digest: sha256Base64(der) };
		described.set(der, entry);
	}
	return entry;
}
