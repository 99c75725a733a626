/**
 * Checks a signature's structure before anything is computed: what it may contain, and where it must be.
 *
 *     root
 *     ├─ … the document …
 *     └─ Signature                         one in the whole document, last child of the root
 *        ├─ SignedInfo                     inclusive C14N, RSA-SHA256
 *        │  ├─ Reference URI=""            enveloped transform alone, SHA-256
 *        │  └─ Reference URI="#props"      XAdES only: Type SignedProperties, SHA-256
 *        ├─ SignatureValue
 *        ├─ KeyInfo/X509Data/X509Certificate   exactly one
 *        └─ Object/QualifyingProperties/SignedProperties   XAdES only, exactly one
 *
 * The enveloped transform removes the whole Signature from the digest. Everything in it that is not named above is unsigned, so nothing else is
 * allowed.
 */
import type { Element } from "@xmldom/xmldom";
import { isElement, isSignature, nodesOf, type ReadDocument, SIGNATURE_NAMESPACE } from "./read-document";

const C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const EXCLUSIVE_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#";
const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const SIGNED_PROPERTIES_TYPE = "http://uri.etsi.org/01903#SignedProperties";
const XADES_NAMESPACE = "http://uri.etsi.org/01903/v1.3.2#";

export type SignatureShape = {
	readonly element: Element;
	readonly keyInfo: Element;
	/** Text of the document with white space removed. */
	readonly value: string;
	/** Base64 of the signer's certificate. */
	readonly certificate: string;
	/** SHA-256 of the signing certificate in a XAdES signature, base64; absent in a plain one. */
	readonly statedDigest: string | undefined;
};

/** A string states what is wrong with the structure. */
export function readSignatureShape(document: ReadDocument): SignatureShape | string {
	const all = elementsBelow(document.rootElement);
	const signatures = all.filter(isSignature);
	const [signature] = signatures;
	if (!signature) return "El documento no está firmado.";
	if (signatures.length > 1) return "El documento tiene más de una firma.";
	if (document.rootElement.lastChild !== signature) return "La firma no es el último elemento del documento.";
	const ids = all.flatMap((element) => ["Id", "ID", "id"].flatMap((name) => element.getAttribute(name) ?? []));
	if (new Set(ids).size < ids.length) return "El documento tiene identificadores repetidos.";

	const [signedInfo, value, keyInfo, object, ...rest] = elementsOf(signature);
	if (!is(signedInfo, "SignedInfo") || !is(value, "SignatureValue") || !is(keyInfo, "KeyInfo") || rest.length > 0) {
		return "La firma no tiene la estructura esperada.";
	}
	const [certificate] = at(keyInfo, "X509Data/X509Certificate");
	if (!certificate || elementsBelow(keyInfo).length !== 3) return "La firma debe tener un solo X509Certificate.";
	const properties = object ? readProperties(object, signature) : undefined;
	if (typeof properties === "string") return properties;
	const fault = checkSignedInfo(signedInfo, properties?.id);
	if (fault) return fault;
	return {
		element: signature,
		keyInfo,
		value: withoutSpace(value),
		certificate: withoutSpace(certificate),
		statedDigest: properties?.digest,
	};
}

function checkSignedInfo(signedInfo: Element, propertiesId: string | undefined): string | undefined {
	const [canonicalization, method, ...references] = elementsOf(signedInfo);
	const [whole, properties, ...rest] = references.toSorted(byUri);
	if (!is(canonicalization, "CanonicalizationMethod") || canonicalization.getAttribute("Algorithm") !== C14N) {
		return "La canonicalización de la firma no es la esperada.";
	}
	if (!is(method, "SignatureMethod") || method.getAttribute("Algorithm") !== RSA_SHA256) {
		return "El algoritmo de la firma no es el esperado.";
	}
	if (rest.length > 0 || !isReference(whole, "", [ENVELOPED])) return "La referencia al documento no es la esperada.";
	if (propertiesId === undefined) return properties ? "La firma tiene una referencia inesperada." : undefined;
	if (properties?.getAttribute("Type") !== SIGNED_PROPERTIES_TYPE)
		return "Falta la referencia a las propiedades firmadas.";
	const uri = `#${propertiesId}`;
	const transforms = [[], [C14N], [EXCLUSIVE_C14N]];
	if (transforms.some((allowed) => isReference(properties, uri, allowed))) return undefined;
	return "La referencia a las propiedades firmadas no es la esperada.";
}

/** The whole document first: its URI is empty. */
function byUri(a: Element, b: Element): number {
	return (a.getAttribute("URI") ?? "").length - (b.getAttribute("URI") ?? "").length;
}

function isReference(element: Element | undefined, uri: string, transforms: readonly string[]): boolean {
	if (!is(element, "Reference") || element.getAttribute("URI") !== uri) return false;
	const found = at(element, "Transforms/Transform").map((transform) => transform.getAttribute("Algorithm"));
	const digests = at(element, "DigestMethod").map((method) => method.getAttribute("Algorithm"));
	return found.join(" ") === transforms.join(" ") && digests.join(" ") === SHA256;
}

/** The one SignedProperties of a XAdES signature; a string states why the Object is not acceptable. */
function readProperties(object: Element, signature: Element): { id: string; digest: string } | string {
	const [qualifying, ...others] = elementsOf(object);
	if (!is(object, "Object") || !isXades(qualifying, "QualifyingProperties") || others.length > 0) {
		return "La firma contiene un objeto inesperado.";
	}
	if (qualifying.getAttribute("Target") !== `#${signature.getAttribute("Id")}`) {
		return "Las propiedades firmadas son de otra firma.";
	}
	const [signed, ...unsigned] = elementsOf(qualifying);
	const id = signed?.getAttribute("Id");
	if (!isXades(signed, "SignedProperties") || unsigned.length > 0 || !id) return "Faltan las propiedades firmadas.";
	const [certificates, ...repeated] = elementsOf(signed)
		.flatMap(elementsOf)
		.filter((element) => element.localName === "SigningCertificate" || element.localName === "SigningCertificateV2");
	if (!certificates) return "Falta el certificado entre las propiedades firmadas.";
	const [digest, ...otherDigests] = at(certificates, "Cert/CertDigest/DigestValue");
	const [method] = at(certificates, "Cert/CertDigest/DigestMethod");
	if (!digest || repeated.length + otherDigests.length > 0 || method?.getAttribute("Algorithm") !== SHA256) {
		return "El certificado de las propiedades firmadas no es el esperado.";
	}
	return { id, digest: withoutSpace(digest) };
}

function is(element: Element | undefined, localName: string): element is Element {
	return element?.localName === localName && element.namespaceURI === SIGNATURE_NAMESPACE;
}

function isXades(element: Element | undefined, localName: string): element is Element {
	return element?.localName === localName && element.namespaceURI === XADES_NAMESPACE;
}

function elementsOf(element: Element): Element[] {
	return nodesOf(element).filter(isElement);
}

function elementsBelow(element: Element): Element[] {
	return [element, ...elementsOf(element).flatMap(elementsBelow)];
}

function at(element: Element, path: string): Element[] {
	let found = [element];
	for (const name of path.split("/")) {
		found = found.flatMap(elementsOf).filter((candidate) => candidate.localName === name);
	}
	return found;
}

function withoutSpace(element: Element): string {
	return (element.textContent ?? "").replace(/\s/g, "");
}
