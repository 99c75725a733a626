/**
 * Signs a small document that somebody else wrote, such as the authority's seed.
 *
 * It comes in any spelling: declaration, byte-order mark, comments, line breaks between elements, empty-element tags,
 * namespace declarations in any order. The authority's verifier loads a document without the white space between elements,
 * so that is dropped first; the rest is brought into canonical form, and from there `signXml` goes on as with our own.
 *
 * Source: the authority's signing guide.
 */
import { canonicalize, isXmlElement, OUTSIDE_LIMITS, readXmlText } from "../../platform/xml";
import type { SigningIdentity } from "./identity";
import { verifyOwnSignature } from "./verify-own";
import { type SignOptions, signXml } from "./xades";

const LIMITS = { ...OUTSIDE_LIMITS, bytesMax: 64 * 1024 };

/** What was received is not a small, plain XML document. */
export class ReceivedXmlError extends Error {
	constructor(finding: string, options?: ErrorOptions) {
		super(`the received XML cannot be signed: ${finding}`, options);
		this.name = "ReceivedXmlError";
	}
}

/** Signs a received document and checks the result. Throws a ReceivedXmlError for what cannot be read. */
export function signReceivedXml(text: string, identity: SigningIdentity, options: SignOptions): Uint8Array {
	const signed = signXml(canonicalizeReceived(text), identity, options);
	verifyOwnSignature(signed, identity);
	return signed;
}

/** A received document in canonical form, without comments and without white space between elements. */
export function canonicalizeReceived(text: string): string {
	const root = readXmlText(text, LIMITS);
	if (!isXmlElement(root)) throw new ReceivedXmlError(root.detail);
	return canonicalize(root, { dropsBlanks: true });
}
