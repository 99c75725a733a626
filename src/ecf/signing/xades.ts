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
	/** Stands as SigningTime in the XAdES profile. */
	readonly signedAt: Date;
};

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

const DECLARATION = Buffer.from(XML_DECLARATION);

const scratch = createScratch();
const formsOf = createFormKeeper();
const signatureForms = createSignatureKeeper();

/**
 * Signs a document that is in canonical form and gives the bytes to send.
 * Shape: XML declaration, the document in its sent spelling, the Signature before the root's end tag; UTF-8, one line
 * unless a text holds line breaks.
 */
export function signXml(canonicalXml: string, identity: SigningIdentity, options: SignOptions): Uint8Array {
	const sent = toSentForm(canonicalXml);
	const bytes = scratch.encode(sent);
	const signed = sign(canonicalXml, identity, options);
	const form = signatureForms.ofValue(signed.frames, signed.value.length);
	const inside = bytes.length - Buffer.byteLength(signed.endTag);
	// A Buffer, which the check reads as it is: a view of another kind of array costs more than the copy.
	return Buffer.concat([DECLARATION, bytes.subarray(0, inside), fillForm(form, signed.places), bytes.subarray(inside)]);
}

/** The same as text, whose UTF-8 bytes are the ones to send. */
export function signToText(canonicalXml: string, identity: SigningIdentity, options: SignOptions): string {
	const { endTag, frames, places } = sign(canonicalXml, identity, options);
	const before = toSentForm(canonicalXml.slice(0, -endTag.length));
	return XML_DECLARATION + before + fillFrame(frames.signature, ...places) + endTag;
}

type Signed = {
	/** The root's, before which the Signature stands. */
	readonly endTag: string;
	readonly frames: SignatureFrames;
	readonly value: string;
	/** What stands in the Signature's places, the value too. */
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
