/**
 * The Signature as text with placeholders: what is the same in every document of a certificate, written once.
 *
 * A frame is the text between the placeholders, so n placeholders make n + 1 pieces. A placeholder holds base64 or an instant, never markup.
 */
import { openSubset, type RootScope } from "./canonical-form";

export type SignatureProfile = "xades-bes" | "xmldsig";
export type Frame = readonly string[];

export type SignatureFrames = {
	/** Placeholders: document digest; in XAdES-BES properties digest; value; in XAdES-BES signing time. */
	readonly signature: Frame;
	/** SignedInfo without its first tag, which differs between the document and the signed bytes. */
	readonly signedInfo: Frame;
	/** SignedProperties without its first tag; absent in the plain profile. Placeholder: signing time. */
	readonly properties: Frame | undefined;
};

const DSIG_NAMESPACE = "http://www.w3.org/2000/09/xmldsig#";
const XADES_NAMESPACE = "http://uri.etsi.org/01903/v1.3.2#";
const C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";
const SIGNED_PROPERTIES_TYPE = "http://uri.etsi.org/01903#SignedProperties";
const SIGNATURE_ID = "signature";
const PROPERTIES_ID = "signed-properties";

/** Marks a placeholder while a frame is written; XML cannot contain it. */
const PLACE = "\u0000";

const framesOf = new WeakMap<Uint8Array, Record<SignatureProfile, SignatureFrames>>();

export function framesFor(certificateDer: Uint8Array, profile: SignatureProfile): SignatureFrames {
	let frames = framesOf.get(certificateDer);
	if (!frames) {
		frames = { "xades-bes": writeFrames(certificateDer, true), xmldsig: writeFrames(certificateDer, false) };
		framesOf.set(certificateDer, frames);
	}
	return frames[profile];
}

export function fillFrame(frame: Frame, ...values: readonly string[]): string {
	let text = frame[0] ?? "";
	for (let i = 1; i < frame.length; i++) text += (values[i - 1] ?? "") + frame[i];
	return text;
}

/** First tags of the two signed pieces as digested, with the namespaces and attributes that the root hands down. */
export type SubsetTags = { readonly signedInfo: string; readonly properties: string };

export function openSubsets(scope: RootScope): SubsetTags {
	const handsNothingDown = scope.namespaces.size === 0 && scope.xmlAttributes.size === 0;
	return handsNothingDown ? BARE_SUBSETS : writeSubsets(scope);
}

function writeSubsets(scope: RootScope): SubsetTags {
	const id = ` Id="${PROPERTIES_ID}"`;
	return {
		signedInfo: openSubset("SignedInfo", scope, DSIG_NAMESPACE),
		properties: openSubset("xades:SignedProperties", scope, DSIG_NAMESPACE, { xades: XADES_NAMESPACE }, id),
	};
}

/** For our own documents, whose root has no attributes. */
const BARE_SUBSETS = writeSubsets({ rootName: "", namespaces: new Map(), xmlAttributes: new Map() });

function writeFrames(certificateDer: Uint8Array, isXades: boolean): SignatureFrames {
	const signedInfo = writeSignedInfo(isXades);
	const properties = isXades ? writeSignedProperties(sha256Base64(certificateDer)) : undefined;
	const certificate = Buffer.from(certificateDer).toString("base64");
	const signature =
		`<Signature xmlns="${DSIG_NAMESPACE}"${properties ? ` Id="${SIGNATURE_ID}"` : ""}><SignedInfo>${signedInfo}` +
		`<SignatureValue>${PLACE}</SignatureValue>` +
		`<KeyInfo><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo>` +
		`${properties ? envelopProperties(properties) : ""}</Signature>`;
	return {
		signature: signature.split(PLACE),
		signedInfo: signedInfo.split(PLACE),
		properties: properties?.split(PLACE),
	};
}

function writeSignedInfo(isXades: boolean): string {
	return (
		`<CanonicalizationMethod Algorithm="${C14N}"></CanonicalizationMethod>` +
		`<SignatureMethod Algorithm="${RSA_SHA256}"></SignatureMethod>` +
		`<Reference URI=""><Transforms><Transform Algorithm="${ENVELOPED}"></Transform></Transforms>` +
		`${writeDigest(PLACE)}</Reference>` +
		(isXades
			? `<Reference Type="${SIGNED_PROPERTIES_TYPE}" URI="#${PROPERTIES_ID}">${writeDigest(PLACE)}</Reference>`
			: "") +
		"</SignedInfo>"
	);
}

function writeSignedProperties(certificateDigest: string): string {
	return (
		`<xades:SignedSignatureProperties><xades:SigningTime>${PLACE}</xades:SigningTime>` +
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

function writeDigest(base64: string): string {
	return `<DigestMethod Algorithm="${SHA256}"></DigestMethod><DigestValue>${base64}</DigestValue>`;
}

export function sha256Base64(data: string | Uint8Array): string {
	return Bun.SHA256.hash(data, "base64");
}
