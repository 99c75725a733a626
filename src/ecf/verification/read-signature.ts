/**
 * Reads a document's signature by its structure, before anything is computed.
 *
 *     root
 *     ├─ … the document …
 *     └─ Signature                         one in the whole document, last child of the root
 *        ├─ SignedInfo                     C14N inclusive or exclusive, RSA-SHA256
 *        │  ├─ Reference URI=""            enveloped, then at most one C14N; SHA-256
 *        │  └─ Reference URI="#props"      XAdES only: Type SignedProperties, at most one C14N; SHA-256
 *        ├─ SignatureValue
 *        ├─ KeyInfo/X509Data/X509Certificate   exactly one
 *        └─ Object/QualifyingProperties/SignedProperties   XAdES only, exactly one
 *
 * The enveloped transform removes the whole Signature from the digest. What is in it and not drawn above is unsigned, so nothing else is allowed. For
 * the same reason no element is searched for by name: each is reached from the root, step by step. A second element of the same name elsewhere
 * deceives no reader.
 *
 * Source: XML Signature Syntax and Processing (W3C, 2013), section 4; ETSI EN 319 132-1, 4.3 and 5.2; the secure validation of Apache Santuario; the
 * wrapping attacks of McIntosh and Austel (2005) and Somorovsky et al. (2012).
 */
import {
	attributeOf,
	type CanonicalMethod,
	childElements,
	descendantsOf,
	isBlank,
	type XmlElement,
} from "../../platform/xml";
import { readProperties, type SignedProperties } from "./read-properties";
import {
	algorithmOf,
	DSIG_NAMESPACE as DS,
	ENVELOPED,
	expectElement,
	partsOf,
	RSA_SHA256,
	readBase64,
	readSha256,
	SHA256,
	SIGNED_PROPERTIES_TYPE,
	SignatureRefusal,
	toCanonicalMethod,
} from "./signature-parts";

export type SignatureProfile = "xades-bes" | "xmldsig";

export type SignatureReading = {
	readonly element: XmlElement;
	readonly signedInfo: XmlElement;
	readonly signedInfoMethod: CanonicalMethod;
	readonly document: Digest;
	readonly value: Uint8Array;
	/** Base64 without white space. */
	readonly valueText: string;
	readonly certificateDer: Uint8Array;
	/** Absent in the plain profile. */
	readonly properties?: SignedProperties & { readonly digest: Digest };
};

export type Digest = { readonly sha256: string; readonly method: CanonicalMethod };

type Reference = Digest & { readonly uri: string; readonly type: string | undefined; readonly isEnveloped: boolean };

/** Throws: SignatureRefusal at the first deviation from the structure above. */
export function readSignature(root: XmlElement): SignatureReading {
	const element = findSignature(root);
	checkIds(root);
	expectElement(element, DS, "Signature", ["Id"]);
	const [infoPart, valuePart, keyPart, objectPart, ...rest] = partsOf(element);
	const signedInfo = expectElement(infoPart, DS, "SignedInfo", ["Id"]);
	const { text, bytes } = readBase64(expectElement(valuePart, DS, "SignatureValue", ["Id"]), true);
	const certificateDer = readKeyInfo(expectElement(keyPart, DS, "KeyInfo", ["Id"]));
	if (rest.length > 0) throw new SignatureRefusal("object-refused", `${rest[0]?.name} after the properties`);
	const properties = objectPart && readProperties(objectPart, attributeOf(element, "Id"));
	const { method, document, properties: propertiesDigest } = readSignedInfo(signedInfo, properties?.id);
	return {
		element,
		signedInfo,
		signedInfoMethod: method,
		document,
		value: bytes,
		valueText: text,
		certificateDer,
		...(properties && propertiesDigest ? { properties: { ...properties, digest: propertiesDigest } } : {}),
	};
}

function findSignature(root: XmlElement): XmlElement {
	const named = [...descendantsOf(root)].filter((one) => one.localName === "Signature");
	const signatures = named.filter((one) => one.namespace === DS);
	const [signature] = signatures;
	if (!signature) throw new SignatureRefusal("signature-missing", "the document is not signed");
	if (named.length > 1) throw new SignatureRefusal("signature-repeated", `${named.length} elements called Signature`);
	if (signature.parent !== root || childElements(root).at(-1) !== signature) {
		throw new SignatureRefusal("signature-misplaced", "the Signature is not the root's last child");
	}
	const after = root.children.slice(root.children.indexOf(signature) + 1);
	if (after.some((text) => typeof text !== "string" || !isBlank(text))) {
		throw new SignatureRefusal("signature-misplaced", "text after the Signature");
	}
	const strays = [...descendantsOf(root)].filter((one) => one.namespace === DS && !isWithin(one, signature));
	if (strays.length > 0) throw new SignatureRefusal("signature-shape", `${strays[0]?.name} outside the Signature`);
	return signature;
}

function isWithin(element: XmlElement, ancestor: XmlElement): boolean {
	for (let at: XmlElement | undefined = element; at; at = at.parent) if (at === ancestor) return true;
	return false;
}

/** An Id must be unique, and an element has only one, in whatever spelling and namespace. */
function checkIds(root: XmlElement): void {
	const seen = new Set<string>();
	for (const element of descendantsOf(root)) {
		const ids = element.attributes.filter((one) => one.localName.toLowerCase() === "id");
		const [id] = ids;
		if (!id) continue;
		if (ids.length > 1) throw new SignatureRefusal("id-repeated", `${element.name} has ${ids.length} Ids`);
		if (seen.has(id.value))
			throw new SignatureRefusal("id-repeated", `the Id ${JSON.stringify(id.value)} stands twice`);
		seen.add(id.value);
	}
}

function readKeyInfo(keyInfo: XmlElement): Uint8Array {
	const [data, ...others] = partsOf(keyInfo);
	const [certificate, ...more] = data?.localName === "X509Data" ? partsOf(data) : [];
	if (!data || others.length > 0 || certificate?.localName !== "X509Certificate" || more.length > 0) {
		const names = partsOf(keyInfo).map((one) =>
			[one, ...childElements(one)].map(({ localName }) => localName).join("/"),
		);
		throw new SignatureRefusal("key-info-refused", `expected one X509Certificate in KeyInfo, got ${names.join(", ")}`);
	}
	expectElement(data, DS, "X509Data");
	return readBase64(expectElement(certificate, DS, "X509Certificate"), true).bytes;
}

function readSignedInfo(signedInfo: XmlElement, propertiesId: string | undefined) {
	const [canonicalization, signature, ...references] = partsOf(signedInfo);
	const method = readMethod(algorithmOf(canonicalization, DS, "CanonicalizationMethod"), "algorithm-refused");
	const algorithm = algorithmOf(signature, DS, "SignatureMethod");
	if (algorithm !== RSA_SHA256) throw new SignatureRefusal("algorithm-refused", `the signature method ${algorithm}`);
	const wanted = propertiesId === undefined ? 1 : 2;
	if (references.length !== wanted) {
		throw new SignatureRefusal("reference-refused", `expected ${wanted} references, got ${references.length}`);
	}
	const read = references.map(readReference);
	const [document] = read.filter(({ uri }) => uri === "");
	if (!document || document.type !== undefined) {
		throw new SignatureRefusal("reference-refused", "no reference to the document as a whole");
	}
	if (!document.isEnveloped)
		throw new SignatureRefusal("transform-refused", "the document's reference is not enveloped");
	if (propertiesId === undefined) return { method, document };
	const [properties] = read.filter(({ uri, type }) => uri === `#${propertiesId}` && type === SIGNED_PROPERTIES_TYPE);
	if (!properties) throw new SignatureRefusal("reference-refused", "no reference to the signed properties");
	if (properties.isEnveloped) throw new SignatureRefusal("transform-refused", "the properties' reference is enveloped");
	return { method, document, properties };
}

function readReference(element: XmlElement): Reference {
	const reference = expectElement(element, DS, "Reference", ["URI", "Type", "Id"]);
	const uri = attributeOf(reference, "URI");
	if (uri === undefined) throw new SignatureRefusal("reference-refused", "a reference without a URI");
	if (uri !== "" && !uri.startsWith("#")) {
		throw new SignatureRefusal("reference-refused", `a reference out of the document, to ${uri.slice(0, 100)}`);
	}
	const parts = partsOf(reference);
	const transforms = parts[0]?.localName === "Transforms" ? readTransforms(parts.shift()) : [];
	const isEnveloped = transforms[0] === ENVELOPED;
	const [canonicalization, ...further] = isEnveloped ? transforms.slice(1) : transforms;
	if (further.length > 0) throw new SignatureRefusal("transform-refused", `${transforms.length} transforms`);
	// A reference that yields nodes is digested in inclusive form. Source: XML Signature, 4.4.3.2.
	const method = canonicalization === undefined ? "inclusive" : readMethod(canonicalization, "transform-refused");
	return { uri, type: attributeOf(reference, "Type"), isEnveloped, method, sha256: readSha256(parts, DS, SHA256) };
}

function readTransforms(element: XmlElement | undefined): string[] {
	const transforms = partsOf(expectElement(element, DS, "Transforms"));
	return transforms.map((one) => {
		if (childElements(one).length > 0) throw new SignatureRefusal("transform-refused", "a transform with parameters");
		return algorithmOf(one, DS, "Transform");
	});
}

function readMethod(algorithm: string, code: "algorithm-refused" | "transform-refused"): CanonicalMethod {
	const method = toCanonicalMethod(algorithm);
	if (!method) throw new SignatureRefusal(code, `the method ${algorithm.slice(0, 100)}`);
	return method;
}
