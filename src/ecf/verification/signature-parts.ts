/**
 * Walks a Signature by absolute paths and refuses what has no place on them.
 * Whatever is not named is not there: no further attribute, no text between elements, no comment, no CDATA section.
 */
import { fromBase64 } from "../../platform/values";
import { attributeOf, childElements, isBlank, textOf, type XmlElement } from "../../platform/xml";
import { SignatureRefusal } from "./fault";

/** Throws: SignatureRefusal, unless the element has this name and no attributes but the ones that are allowed. */
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

/** The element children of an element that holds elements and nothing else. Throws: SignatureRefusal. */
export function partsOf(element: XmlElement): XmlElement[] {
	if (!isBlank(textOf(element))) throw new SignatureRefusal("signature-shape", `text in ${element.localName}`);
	return childElements(element);
}

/** The text of an element that holds text and nothing else. Throws: SignatureRefusal. */
export function textOnly(element: XmlElement): string {
	if (childElements(element).length > 0) {
		throw new SignatureRefusal("signature-shape", `an element in ${element.localName}`);
	}
	return textOf(element);
}

/** The algorithm that an element names and says nothing more about. Throws: SignatureRefusal. */
export function algorithmOf(element: XmlElement | undefined, namespace: string, localName: string): string {
	const expected = expectElement(element, namespace, localName, ["Algorithm"]);
	if (expected.children.some((child) => typeof child !== "string" || !isBlank(child))) {
		throw new SignatureRefusal("algorithm-refused", `${localName} has parameters`);
	}
	return attributeOf(expected, "Algorithm") ?? "";
}

/**
 * Bytes of a base64 text. The one spelling that these bytes have is expected; white space is dropped only where producers wrap
 * their lines. Throws: SignatureRefusal.
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

/** A SHA-256 digest as DigestMethod and DigestValue tell it, the last two of an element's parts. Throws: SignatureRefusal. */
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
