/** Reads the elements of a Signature and refuses everything unexpected: other attributes, text between elements, comments, CDATA sections. */
import { fromBase64 } from "../../platform/values";
import {
	attributeOf,
	type CanonicalMethod,
	childElements,
	isBlank,
	textOf,
	type XmlElement,
	type XmlFaultCode,
} from "../../platform/xml";

/** Throws: SignatureRefusal unless the element has this name and only allowed attributes. */
export function expectElement(
	element: XmlElement | undefined,
	namespace: string,
	localName: string,
	attributes: readonly string[] = [],
): XmlElement {
	if (element?.localName !== localName || element.namespace !== namespace) {
		throw new SignatureRefusal("signature-shape", `expected ${localName}, got ${element?.name ?? "nothing"}`);
	}
	if (!element.isPlain) throw new SignatureRefusal("signature-shape", `a comment or CDATA section in ${localName}`);
	const strange = element.attributes.find((one) => one.namespace !== "" || !attributes.includes(one.localName));
	if (strange) throw new SignatureRefusal("signature-shape", `the attribute ${strange.name} on ${localName}`);
	return element;
}

/** The children of an element that contains only elements. Throws: SignatureRefusal. */
export function partsOf(element: XmlElement): XmlElement[] {
	if (!isBlank(textOf(element))) throw new SignatureRefusal("signature-shape", `text in ${element.localName}`);
	return childElements(element);
}

/** The text of an element that contains only text. Throws: SignatureRefusal. */
export function textOnly(element: XmlElement): string {
	if (childElements(element).length > 0) {
		throw new SignatureRefusal("signature-shape", `an element in ${element.localName}`);
	}
	return textOf(element);
}

/** The algorithm of an element without parameters. Throws: SignatureRefusal. */
export function algorithmOf(element: XmlElement | undefined, namespace: string, localName: string): string {
	const expected = expectElement(element, namespace, localName, ["Algorithm"]);
	if (expected.children.some((child) => typeof child !== "string" || !isBlank(child))) {
		throw new SignatureRefusal("algorithm-refused", `${localName} has parameters`);
	}
	return attributeOf(expected, "Algorithm") ?? "";
}

/**
 * The bytes of a base64 text in its canonical spelling. White space is dropped only where producers wrap their lines.
 * Throws: SignatureRefusal.
 */
export function readBase64(
	element: XmlElement,
	mayWrap: boolean,
): { readonly text: string; readonly bytes: Uint8Array } {
	const raw = textOnly(element);
	const text = mayWrap ? raw.replace(/[ \t\r\n]+/g, "") : raw;
	const bytes = fromBase64(text);
	if (text === "" || !bytes) {
		throw new SignatureRefusal("base64-malformed", `${element.localName} is not written as base64 is`);
	}
	return { text, bytes };
}

/** The SHA-256 digest in DigestMethod and DigestValue, the last two parts of an element. Throws: SignatureRefusal. */
export function readSha256([method, value, ...rest]: readonly XmlElement[], namespace: string, sha256: string): string {
	if (algorithmOf(method, namespace, "DigestMethod") !== sha256) {
		throw new SignatureRefusal("algorithm-refused", "a digest other than SHA-256");
	}
	const { text, bytes } = readBase64(expectElement(value, namespace, "DigestValue"), false);
	if (bytes.byteLength !== 32)
		throw new SignatureRefusal("base64-malformed", "a DigestValue that is not 32 bytes long");
	if (rest.length > 0) throw new SignatureRefusal("signature-shape", `${rest[0]?.name} after DigestValue`);
	return text;
}

export const DSIG_NAMESPACE = "http://www.w3.org/2000/09/xmldsig#";
export const XADES_NAMESPACE = "http://uri.etsi.org/01903/v1.3.2#";
export const SIGNED_PROPERTIES_TYPE = "http://uri.etsi.org/01903#SignedProperties";
export const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
export const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
export const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";

/** Both are without comments: the forms with comments would let a comment change the digest. */
const CANONICAL_METHODS: Readonly<Record<string, CanonicalMethod>> = {
	"http://www.w3.org/TR/2001/REC-xml-c14n-20010315": "inclusive",
	"http://www.w3.org/2001/10/xml-exc-c14n#": "exclusive",
};

export function toCanonicalMethod(algorithm: string): CanonicalMethod | undefined {
	return Object.hasOwn(CANONICAL_METHODS, algorithm) ? CANONICAL_METHODS[algorithm] : undefined;
}

type SignatureFaultCode =
	/** No Signature, several, or one that is not the root's last child. */
	| "signature-missing"
	| "signature-repeated"
	| "signature-misplaced"
	/** The Signature contains something unexpected: an element, an attribute, a text, a comment. */
	| "signature-shape"
	| "id-repeated"
	| "algorithm-refused"
	| "transform-refused"
	/** Too few references, too many, or a reference to something else. */
	| "reference-refused"
	/** KeyInfo is anything but exactly one certificate. */
	| "key-info-refused"
	/** An Object with unsigned content, or with properties of another signature. */
	| "object-refused"
	| "properties-refused"
	| "base64-malformed"
	| "document-digest-differs"
	| "properties-digest-differs"
	| "signature-value-wrong";

type SignerFaultCode =
	| "certificate-unreadable"
	/** Not an RSA key of 2048 to 8192 bits. */
	| "certificate-key-refused"
	/** May not sign documents: by its key usage, as an authority, or by an unknown critical extension. */
	| "certificate-usage-refused"
	| "certificate-expired"
	| "certificate-not-yet-valid"
	/** Not issued by an authority of the bundle, or by one that was not entitled to. */
	| "certificate-untrusted"
	/** Not the certificate that the caller expects. */
	| "certificate-unexpected"
	/** The signed properties name another certificate. */
	| "certificate-mismatch"
	| "signing-time-malformed"
	| "signing-time-in-future";

export type DocumentFaultCode = XmlFaultCode | SignatureFaultCode | SignerFaultCode;

export type DocumentFault = { readonly code: DocumentFaultCode; readonly detail: string };

/** Ends the reading of a signature from any depth; the verifier returns it as a fault. */
export class SignatureRefusal extends Error {
	constructor(
		readonly code: SignatureFaultCode,
		detail: string,
	) {
		super(detail);
		this.name = "SignatureRefusal";
	}
}
