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
 * `xades-bes` is all of it; `xmldsig` leaves out Object, the second Reference and the Ids.
 *
 * The document arrives in canonical form, so its digest is the digest of its bytes: no parser, no DOM, no second serialisation that could differ. The
 * enveloped transform removes the Signature again, so the digest covers the document without it. The two signed pieces inside the Signature are
 * written twice: as in the document, and for the digest with the namespaces in scope on their first tag; see `src/ecf/signing/canonical-form.ts`.
 *
 * A piece that is not in canonical form (an empty-element tag, a single quotation mark, a raw CR, unsorted attributes) gives a digest that no
 * verifier computes. `src/ecf/signing/verify-own.ts` detects that before anything is sent.
 *
 * Quirks:
 * - Nothing inside Signature is signed except the two pieces. The certificate's digest in SignedProperties protects KeyInfo;
 *   in the plain profile only the key itself does.
 * - Ids are fixed, so the same input gives the same bytes: RSA with PKCS#1 v1.5 padding has no randomness.
 * - The sent bytes spell some characters differently from the digested ones; see `src/ecf/signing/canonical-form.ts`.
 *
 * Source: XML Signature Syntax and Processing (W3C, 2013); ETSI EN 319 132-1, 5.2.1 SigningTime, 5.2.2 SigningCertificateV2; the authority's signing
 * guide (enveloped, inclusive C14N, RSA-SHA256, one certificate).
 */
import { readRootScope, toSentForm } from "./canonical-form";
import type { SigningIdentity } from "./engine";
import { createFormKeeper, createScratch, createSignatureKeeper, digestText, fillForm } from "./signature-form";
import {
	fillFrame,
	framesFor,
	openSubsets,
	type SignatureFrames,
	type SignatureProfile,
	sha256Base64,
} from "./signature-frame";

export type SignOptions = {
	readonly profile: SignatureProfile;
	/** SigningTime in the XAdES profile. */
	readonly signedAt: Date;
};

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

const DECLARATION = Buffer.from(XML_DECLARATION);

const scratch = createScratch();
const formsOf = createFormKeeper();
const signatureForms = createSignatureKeeper();

/**
 * Signs a document in canonical form and returns the bytes to send.
 * Shape: XML declaration, the document in its sent spelling, the Signature before the root's end tag; UTF-8, one line unless a text has line breaks.
 */
export function signXml(canonicalXml: string, identity: SigningIdentity, options: SignOptions): Uint8Array {
	const sent = toSentForm(canonicalXml);
	const bytes = scratch.encode(sent);
	const signed = sign(canonicalXml, identity, options);
	const form = signatureForms.ofValue(signed.frames, signed.value.length);
	const inside = bytes.length - Buffer.byteLength(signed.endTag);
	// A Buffer, because the check would have to convert any other array, which costs more than the copy.
	return Buffer.concat([DECLARATION, bytes.subarray(0, inside), fillForm(form, signed.places), bytes.subarray(inside)]);
}

/** The same as text, whose UTF-8 bytes are to be sent. */
export function signToText(canonicalXml: string, identity: SigningIdentity, options: SignOptions): string {
	const { endTag, frames, places } = sign(canonicalXml, identity, options);
	const before = toSentForm(canonicalXml.slice(0, -endTag.length));
	return XML_DECLARATION + before + fillFrame(frames.signature, ...places) + endTag;
}

type Signed = {
	/** The root's end tag, which the Signature precedes. */
	readonly endTag: string;
	readonly frames: SignatureFrames;
	readonly value: string;
	/** The values of the Signature's placeholders, including the signature value. */
	readonly places: readonly string[];
};

function sign(canonicalXml: string, identity: SigningIdentity, options: SignOptions): Signed {
	const scope = readRootScope(canonicalXml);
	const endTag = `</${scope.rootName}>`;
	if (!canonicalXml.endsWith(endTag)) throw new Error(`expected the document to end with ${endTag}`);
	const frames = framesFor(identity.certificateDer, options.profile);
	const forms = formsOf(frames, openSubsets(scope));
	const digests = [digestText(canonicalXml)];
	const times: string[] = [];
	if (forms.properties) {
		times.push(options.signedAt.toISOString());
		digests.push(sha256Base64(fillForm(forms.properties, times)));
	}
	const value = identity.rsa.sign(fillForm(forms.signedInfo, digests)).toBase64();
	return { endTag, frames, value, places: [...digests, value, ...times] };
}
