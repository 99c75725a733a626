/**
 * Signs a document given as text with its Signature, which has marks for digests and value. Edits before sealing leave digests and
 * signature
 * right, so that only a rule refuses the document. Edits after sealing are refused by computation.
 */
import { createHash, sign } from "node:crypto";
import {
	canonicalize,
	descendantsOf,
	isXmlElement,
	OUTSIDE_LIMITS,
	readXmlBytes,
	type XmlElement,
} from "../../src/platform/xml";
import type { Identity } from "./identities";

export const DS = "http://www.w3.org/2000/09/xmldsig#";
export const XADES = "http://uri.etsi.org/01903/v1.3.2#";
export const C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
export const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
export const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
export const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
export const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";
export const PROPERTIES_TYPE = "http://uri.etsi.org/01903#SignedProperties";

const DOCUMENT_MARK = "@document-digest@";
const PROPERTIES_MARK = "@properties-digest@";
const VALUE_MARK = "@signature-value@";

export type SealOptions = {
	readonly identity: Identity;
	readonly method?: "inclusive" | "exclusive";
	readonly digest?: string;
	readonly signature?: string;
	/** The Id of the digested element; the whole document by default. */
	readonly target?: string;
};

export const INVOICE =
	"<Encabezado><Version>1.0</Version><IdDoc><TipoeCF>31</TipoeCF><eNCF>E310000000001</eNCF></IdDoc>" +
	"<Emisor><RNCEmisor>990000001</RNCEmisor><RazonSocialEmisor>FERRETERÍA ÑANDÚ &amp; CIA</RazonSocialEmisor></Emisor>" +
	"<Totales><MontoTotal>1000.00</MontoTotal></Totales></Encabezado><FechaHoraFirma>20-11-2026 10:20:00</FechaHoraFirma>";

const method = (name: string, algorithm: string) => `<${name} Algorithm="${algorithm}"></${name}>`;
const digested = (mark: string) => `${method("DigestMethod", SHA256)}<DigestValue>${mark}</DigestValue>`;

export const DOCUMENT_REFERENCE = `<Reference URI=""><Transforms>${method("Transform", ENVELOPED)}</Transforms>${digested(DOCUMENT_MARK)}</Reference>`;
export const PROPERTIES_REFERENCE = `<Reference Type="${PROPERTIES_TYPE}" URI="#properties">${digested(PROPERTIES_MARK)}</Reference>`;

/** A plain signature template for a document. */
export function plainSignature(identity: Identity): string {
	return (
		`<Signature xmlns="${DS}"><SignedInfo>${method("CanonicalizationMethod", C14N)}${method("SignatureMethod", RSA_SHA256)}` +
		`${DOCUMENT_REFERENCE}</SignedInfo>${valueAndKey(identity)}</Signature>`
	);
}

/** A XAdES signature template. */
export function xadesSignature(identity: Identity): string {
	const digest = createHash("sha256").update(identity.certificateDer).digest("base64");
	return (
		`<Signature xmlns="${DS}" Id="signature"><SignedInfo>${method("CanonicalizationMethod", C14N)}` +
		`${method("SignatureMethod", RSA_SHA256)}${DOCUMENT_REFERENCE}${PROPERTIES_REFERENCE}</SignedInfo>${valueAndKey(identity)}` +
		`<Object><xades:QualifyingProperties xmlns:xades="${XADES}" Target="#signature"><xades:SignedProperties Id="properties">` +
		"<xades:SignedSignatureProperties><xades:SigningTime>2026-11-20T14:20:00Z</xades:SigningTime>" +
		`<xades:SigningCertificateV2><xades:Cert><xades:CertDigest>${digested(digest)}</xades:CertDigest></xades:Cert>` +
		"</xades:SigningCertificateV2></xades:SignedSignatureProperties></xades:SignedProperties>" +
		"</xades:QualifyingProperties></Object></Signature>"
	);
}

function valueAndKey({ certificateDer }: Identity): string {
	return (
		`<SignatureValue>${VALUE_MARK}</SignatureValue><KeyInfo><X509Data><X509Certificate>` +
		`${certificateDer.toString("base64")}</X509Certificate></X509Data></KeyInfo>`
	);
}

/** Fills in digests and signature value at the marks. */
export function seal(text: string, options: SealOptions): string {
	const { identity, method = "inclusive", digest = "sha256", signature = "sha256", target } = options;
	const hash = (canonical: string) => createHash(digest).update(canonical).digest("base64");
	let sealed = text;
	const root = read(sealed);
	const whole = target === undefined ? root : (find(root, (one) => idOf(one) === target) ?? root);
	const without = find(root, (one) => one.localName === "Signature" && one.namespace === DS);
	sealed = sealed.replaceAll(DOCUMENT_MARK, hash(canonicalize(whole, { method, without })));
	const properties = find(read(sealed), (one) => one.localName === "SignedProperties" && idOf(one) === "properties");
	if (properties) sealed = sealed.replaceAll(PROPERTIES_MARK, hash(canonicalize(properties)));
	const signedInfo = find(read(sealed), (one) => one.localName === "SignedInfo");
	if (!signedInfo) return sealed;
	const bytes = Buffer.from(canonicalize(signedInfo, { method }));
	return sealed.replaceAll(VALUE_MARK, sign(signature, bytes, identity.privateKey).toString("base64"));
}

function read(text: string): XmlElement {
	const root = readXmlBytes(Buffer.from(text), { ...OUTSIDE_LIMITS, nodesMax: 1_000_000, bytesMax: 2 ** 26 });
	if (!isXmlElement(root)) throw new Error(`expected a document that can be sealed, got ${root.code}: ${root.detail}`);
	return root;
}

function find(root: XmlElement, is: (element: XmlElement) => boolean): XmlElement | undefined {
	return [...descendantsOf(root)].find(is);
}

function idOf(element: XmlElement): string | undefined {
	return element.attributes.find(({ name }) => name === "Id")?.value;
}
