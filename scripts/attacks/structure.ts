/** Signatures with forbidden or missing parts; digests and values are right wherever possible. */
import { createHash } from "node:crypto";
import { type Attack, type Edit, edit, sealedPlain, sealedXades, wrap } from "./attack";
import { identities } from "./identities";
import {
	C14N,
	DOCUMENT_REFERENCE,
	DS,
	ENVELOPED,
	EXCLUSIVE,
	INVOICE,
	PROPERTIES_REFERENCE,
	PROPERTIES_TYPE,
	plainSignature,
	RSA_SHA256,
	SHA256,
	seal,
	XADES,
	xadesSignature,
} from "./seal";

const { good, namesake } = identities;
const unsealed = xadesSignature(good);
const forger = seal(wrap(plainSignature(namesake)), { identity: namesake });
const forgedSignature = /<Signature .*<\/Signature>/.exec(forger)?.[0] ?? "";
const certificate = good.certificateDer.toString("base64");
const TRANSFORM = `<Transform Algorithm="${ENVELOPED}"></Transform>`;
const ENVELOPED_ONLY = `<Transforms>${TRANSFORM}</Transforms>`;
const KEY_INFO = /<KeyInfo>.*<\/KeyInfo>/;
const KEY_VALUE =
	`<KeyValue><RSAKeyValue><Modulus>${good.certificateDer.subarray(0, 256).toString("base64")}</Modulus>` +
	"<Exponent>AQAB</Exponent></RSAKeyValue></KeyValue>";
const FAKE = `<ECF xmlns="">${INVOICE.replace("1000.00", "9000.00")}</ECF>`;
const TARGET = 'Target="#signature"';
const UNSIGNED =
	"<xades:UnsignedProperties><xades:UnsignedSignatureProperties></xades:UnsignedSignatureProperties></xades:UnsignedProperties>";

type Row = readonly [name: string, shows: string, fault: Attack["fault"], ...edits: readonly Edit[]];

/** Edited, then sealed. */
const before: readonly Row[] = [
	[
		"place-element-behind",
		"an element behind the Signature",
		"signature-misplaced",
		[/<\/Signature>/, "</Signature><Nota></Nota>"],
	],
	["place-text-behind", "text behind the Signature", "signature-misplaced", [/<\/Signature>/, "</Signature>pagado"]],
	[
		"place-first",
		"the Signature as the first child",
		"signature-misplaced",
		[/<ECF>(.*?)<Signature.*<\/Signature>/, `<ECF>${unsealed}${INVOICE}`],
	],
	[
		"place-deeper",
		"the Signature in the header",
		"signature-misplaced",
		[/<Signature .*<\/Signature>/, ""],
		["</Encabezado>", `${unsealed}</Encabezado>`],
	],
	[
		"place-root",
		"the Signature around the invoice",
		"signature-misplaced",
		[/^.*$/s, edit(unsealed, ["</Signature>", `<Object>${FAKE}</Object></Signature>`])],
	],
	[
		"decoy-signature",
		"another element called Signature, for readers that search by name",
		"signature-repeated",
		["<Encabezado>", '<x:Signature xmlns:x="urn:x"></x:Signature><Encabezado>'],
	],
	[
		"decoy-reference",
		"a Reference outside the Signature",
		"signature-shape",
		["<Encabezado>", `<Reference xmlns="${DS}" URI=""></Reference><Encabezado>`],
	],
	[
		"shape-namespace-rebound",
		"SignedInfo in another namespace under the same prefix",
		"signature-shape",
		[/<SignedInfo>.*<\/SignedInfo>/, '<SignedInfo xmlns="urn:x"></SignedInfo>'],
	],
	[
		"shape-signed-info-twice",
		"a second SignedInfo, with the attacker's digest",
		"signature-shape",
		["</SignedInfo>", "</SignedInfo><SignedInfo></SignedInfo>"],
	],
	[
		"shape-signed-info-nested",
		"SignedInfo within SignedInfo",
		"signature-shape",
		["<SignedInfo>", "<SignedInfo><SignedInfo></SignedInfo>"],
	],
	[
		"shape-signed-info-second",
		"SignedInfo behind the value",
		"signature-shape",
		[
			/(<SignedInfo>.*<\/SignedInfo>)(<SignatureValue>.*?<\/SignatureValue>)/,
			"<SignatureValue>AAAA</SignatureValue><SignedInfo></SignedInfo>",
		],
	],
	[
		"shape-value-twice",
		"a second SignatureValue",
		"signature-shape",
		["</SignatureValue>", "</SignatureValue><SignatureValue>AAAA</SignatureValue>"],
	],
	["shape-text", "text in SignedInfo", "signature-shape", ["<SignedInfo>", "<SignedInfo>x"]],
	[
		"shape-comment",
		"a comment between the parts of SignedInfo",
		"signature-shape",
		["<SignedInfo>", "<SignedInfo><!-- x -->"],
	],
	[
		"shape-attribute",
		"an attribute on SignedInfo that another program may obey",
		"signature-shape",
		["<SignedInfo>", '<SignedInfo xml:base="http://127.0.0.1:9/">'],
	],
	[
		"shape-element-in-value",
		"an element in SignatureValue",
		"signature-shape",
		["<SignatureValue>", "<SignatureValue><x></x>"],
	],
	[
		"id-twice",
		"the Id of the signed properties on the header as well",
		"id-repeated",
		["<Encabezado>", '<Encabezado Id="properties">'],
	],
	["id-spelt-ID", "the same, spelt ID", "id-repeated", ["<Encabezado>", '<Encabezado ID="properties">']],
	["id-spelt-id", "the same, spelt id", "id-repeated", ["<Encabezado>", '<Encabezado id="properties">']],
	["id-xml", "the same, as xml:id", "id-repeated", ["<Encabezado>", '<Encabezado xml:id="properties">']],
	[
		"id-two-on-one",
		"two Ids on one element",
		"id-repeated",
		["SignedProperties Id=", 'SignedProperties ID="decoy" Id='],
	],
	["algorithm-c14n-with-comments", "canonical form with comments", "algorithm-refused", [C14N, `${C14N}#WithComments`]],
	[
		"algorithm-c14n-1.1",
		"another version of canonical form",
		"algorithm-refused",
		[C14N, "http://www.w3.org/2006/12/xml-c14n11"],
	],
	["algorithm-c14n-unknown", "an unknown canonical form", "algorithm-refused", [C14N, "urn:none"]],
	[
		"algorithm-c14n-prototype",
		"a canonical form called like a member of every object",
		"algorithm-refused",
		[C14N, "constructor"],
	],
	[
		"algorithm-rsa-pss",
		"another padding",
		"algorithm-refused",
		[RSA_SHA256, "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1"],
	],
	[
		"algorithm-ecdsa",
		"another kind of signature",
		"algorithm-refused",
		[RSA_SHA256, "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"],
	],
	["algorithm-none", "no algorithm at all", "algorithm-refused", [RSA_SHA256, ""]],
	[
		"algorithm-parameters",
		"a parameter for the signature method",
		"algorithm-refused",
		[`"${RSA_SHA256}">`, `"${RSA_SHA256}"><HMACOutputLength>0</HMACOutputLength>`],
	],
	["transform-missing", "no enveloped transform", "transform-refused", [ENVELOPED_ONLY, ""]],
	[
		"transform-empty-list",
		"an empty list of transforms",
		"transform-refused",
		[ENVELOPED_ONLY, "<Transforms></Transforms>"],
	],
	[
		"transform-xpath",
		"an XPath that leaves only what was genuine",
		"transform-refused",
		[
			TRANSFORM,
			`${TRANSFORM}<Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><XPath>not(self::Nota)</XPath></Transform>`,
		],
	],
	[
		"transform-xpath-filter",
		"the second XPath transform",
		"transform-refused",
		[
			TRANSFORM,
			`${TRANSFORM}<Transform Algorithm="http://www.w3.org/2002/06/xmldsig-filter2"><XPath xmlns="http://www.w3.org/2002/06/xmldsig-filter2" Filter="subtract">//Nota</XPath></Transform>`,
		],
	],
	[
		"transform-xslt",
		"a program as a transform",
		"transform-refused",
		[
			TRANSFORM,
			`${TRANSFORM}<Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"></xsl:stylesheet></Transform>`,
		],
	],
	[
		"transform-base64",
		"the text of the document as base64",
		"transform-refused",
		[TRANSFORM, `${TRANSFORM}<Transform Algorithm="http://www.w3.org/2000/09/xmldsig#base64"></Transform>`],
	],
	[
		"transform-six",
		"six transforms",
		"transform-refused",
		[TRANSFORM, TRANSFORM + `<Transform Algorithm="${C14N}"></Transform>`.repeat(5)],
	],
	[
		"transform-prefix-list",
		"a list of prefixes for exclusive canonical form",
		"transform-refused",
		[
			TRANSFORM,
			`${TRANSFORM}<Transform Algorithm="${EXCLUSIVE}"><InclusiveNamespaces xmlns="${EXCLUSIVE}" PrefixList="xsi"></InclusiveNamespaces></Transform>`,
		],
	],
	[
		"transform-enveloped-properties",
		"the properties' reference enveloped, so that it is over nothing",
		"transform-refused",
		[`URI="#properties">`, `URI="#properties">${ENVELOPED_ONLY}`],
	],
	["reference-thirty-one", "31 references", "reference-refused", [DOCUMENT_REFERENCE, DOCUMENT_REFERENCE.repeat(30)]],
	["reference-none", "no reference", "reference-refused", [DOCUMENT_REFERENCE + PROPERTIES_REFERENCE, ""]],
	[
		"reference-two-documents",
		"two references to the document, none to the properties",
		"reference-refused",
		[PROPERTIES_REFERENCE, DOCUMENT_REFERENCE],
	],
	[
		"reference-properties-missing",
		"signed properties that are not signed",
		"reference-refused",
		[PROPERTIES_REFERENCE, ""],
	],
	["reference-document-missing", "the properties alone are signed", "reference-refused", [DOCUMENT_REFERENCE, ""]],
	[
		"reference-type-missing",
		"the properties without their type",
		"reference-refused",
		[` Type="${PROPERTIES_TYPE}"`, ""],
	],
	[
		"reference-type-on-document",
		"the document as if it were a manifest",
		"reference-refused",
		['URI="">', `URI="" Type="${DS}Manifest">`],
	],
	["reference-file", "a file", "reference-refused", ['URI=""', 'URI="file:///etc/hostname"']],
	["reference-address", "an address", "reference-refused", ['URI=""', 'URI="http://127.0.0.1:9/ecf.xml"']],
	["reference-relative", "a file beside the document", "reference-refused", ['URI=""', 'URI="ecf.xml"']],
	["reference-without-uri", "whatever the program thinks", "reference-refused", [' URI="">', ">"]],
	["reference-pointer", "an expression instead of an Id", "reference-refused", ['URI=""', `URI="#xpointer(/)"`]],
	["reference-to-signature", "the Signature itself", "reference-refused", ['URI=""', 'URI="#signature"']],
	["key-value", "a bare key and no certificate", "key-info-refused", [KEY_INFO, `<KeyInfo>${KEY_VALUE}</KeyInfo>`]],
	["key-value-beside", "a bare key beside the certificate", "key-info-refused", ["<KeyInfo>", `<KeyInfo>${KEY_VALUE}`]],
	[
		"key-retrieval",
		"a key at an address",
		"key-info-refused",
		[KEY_INFO, '<KeyInfo><RetrievalMethod URI="http://127.0.0.1:9/key"></RetrievalMethod></KeyInfo>'],
	],
	["key-name", "the name of a key", "key-info-refused", [KEY_INFO, "<KeyInfo><KeyName>signer</KeyName></KeyInfo>"]],
	["key-empty", "no key at all", "key-info-refused", [KEY_INFO, "<KeyInfo></KeyInfo>"]],
	["key-info-missing", "no KeyInfo", "signature-shape", [KEY_INFO, ""]],
	[
		"key-two-certificates",
		"a second certificate",
		"key-info-refused",
		["</X509Data>", `<X509Certificate>${certificate}</X509Certificate></X509Data>`],
	],
	[
		"key-two-data",
		"a second X509Data",
		"key-info-refused",
		["</KeyInfo>", `<X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo>`],
	],
	[
		"key-subject-name",
		"a name beside the certificate that says something else",
		"key-info-refused",
		["</X509Data>", "<X509SubjectName>CN=OTRA PERSONA</X509SubjectName></X509Data>"],
	],
	[
		"object-fake-behind",
		"a forged invoice in a second Object",
		"object-refused",
		["</Object>", `</Object><Object>${FAKE}</Object>`],
	],
	[
		"object-fake-in-front",
		"a forged invoice in the first Object",
		"object-refused",
		["<Object>", `<Object>${FAKE}</Object><Object>`],
	],
	["object-fake-beside", "a forged invoice beside the properties", "object-refused", ["</Object>", `${FAKE}</Object>`]],
	[
		"object-two-properties",
		"two QualifyingProperties",
		"object-refused",
		[
			"</Object>",
			`<xades:QualifyingProperties xmlns:xades="${XADES}" ${TARGET}></xades:QualifyingProperties></Object>`,
		],
	],
	["object-target-elsewhere", "properties of another signature", "object-refused", [TARGET, 'Target="#other"']],
	["object-target-missing", "properties of no signature", "object-refused", [` ${TARGET}`, ""]],
	[
		"object-target-without-id",
		"a signature without the Id that its properties name",
		"object-refused",
		[' Id="signature"', ""],
	],
	[
		"object-unsigned-properties",
		"properties that are not signed",
		"object-refused",
		["</xades:QualifyingProperties>", `${UNSIGNED}</xades:QualifyingProperties>`],
	],
	[
		"object-mime-type",
		"an Object that says what it is",
		"signature-shape",
		["<Object>", '<Object MimeType="text/html">'],
	],
	[
		"object-other-xades",
		"properties of another version of XAdES",
		"signature-shape",
		[`xmlns:xades="${XADES}"`, 'xmlns:xades="http://uri.etsi.org/01903/v1.1.1#"'],
	],
];

/** Digests and methods of other algorithms, correctly computed. */
const sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";
const md5 = "http://www.w3.org/2001/04/xmldsig-more#md5";
const everySha256: Edit = [new RegExp(SHA256, "g"), sha1];

const sealed = sealedXades();
const after: readonly Row[] = [
	["signature-stripped", "the Signature is gone", "signature-missing", [/<Signature .*<\/Signature>/, ""]],
	[
		"signature-forged-first",
		"a second Signature by another signer, first",
		"signature-repeated",
		["<Signature ", `${forgedSignature}<Signature `],
	],
	[
		"signature-forged-second",
		"a second Signature by another signer, last",
		"signature-repeated",
		["</Signature></ECF>", `</Signature>${forgedSignature}</ECF>`],
	],
	[
		"signature-twice",
		"the same Signature twice",
		"signature-repeated",
		[/<\/ECF>$/, `${/<Signature .*<\/Signature>/.exec(sealed)?.[0]}</ECF>`],
	],
	["base64-digest-white-space", "white space in DigestValue", "base64-malformed", ["<DigestValue>", "<DigestValue> "]],
	[
		"base64-digest-reference",
		"a line break by reference in DigestValue",
		"base64-malformed",
		["<DigestValue>", "<DigestValue>&#10;"],
	],
	[
		"base64-digest-short",
		"a digest of 20 bytes",
		"base64-malformed",
		[/<DigestValue>[^<]+/, `<DigestValue>${"A".repeat(27)}=`],
	],
	["base64-digest-empty", "an empty digest", "base64-malformed", [/<DigestValue>[^<]+/, "<DigestValue>"]],
	["base64-value-empty", "an empty value", "base64-malformed", [/<SignatureValue>[^<]+/, "<SignatureValue>"]],
	[
		"base64-value-alphabet",
		"a value in the alphabet of addresses",
		"base64-malformed",
		[/<SignatureValue>../, "<SignatureValue>_-"],
	],
	[
		"base64-value-padding",
		"a value without its padding",
		"base64-malformed",
		[/==<\/SignatureValue>/, "</SignatureValue>"],
	],
	[
		"base64-certificate-garbage",
		"characters between those of the certificate, which decoders skip",
		"base64-malformed",
		["<X509Certificate>", "<X509Certificate>!"],
	],
	[
		"shape-cdata-digest",
		"a digest in a CDATA section",
		"signature-shape",
		[/<DigestValue>([^<]+)/, `<DigestValue><![CDATA[${/<DigestValue>([^<]+)/.exec(sealed)?.[1]}]]>`],
	],
];

const publicKeyDigest = createHash("sha256").update(good.certificateDer).digest("base64");

export const structureAttacks: readonly Attack[] = [
	...before.map(([name, shows, fault, ...edits]) => ({ name, shows, fault, document: sealedXades(edits) })),
	...after.map(([name, shows, fault, ...edits]) => ({ name, shows, fault, document: edit(sealed, ...edits) })),
	{
		name: "algorithm-rsa-sha1",
		shows: "a signature over SHA-1",
		fault: "algorithm-refused",
		document: sealedPlain([[RSA_SHA256, "http://www.w3.org/2000/09/xmldsig#rsa-sha1"]], { signature: "sha1" }),
	},
	{
		name: "algorithm-digest-sha1",
		shows: "digests by SHA-1",
		fault: "algorithm-refused",
		document: sealedPlain([everySha256], { digest: "sha1" }),
	},
	{
		name: "algorithm-digest-md5",
		shows: "digests by MD5",
		fault: "algorithm-refused",
		document: sealedPlain([[SHA256, md5]], { digest: "md5" }),
	},
	{
		name: "algorithm-hmac",
		shows: "a code made with the public key, which everybody has",
		fault: "algorithm-refused",
		document: hmac("http://www.w3.org/2001/04/xmldsig-more#hmac-sha256", ""),
	},
	{
		name: "algorithm-hmac-length",
		shows: "the same, of which no bit is compared",
		fault: "algorithm-refused",
		document: hmac("http://www.w3.org/2000/09/xmldsig#hmac-sha1", "<HMACOutputLength>0</HMACOutputLength>"),
	},
	{
		name: "reference-file-plain",
		shows: "a file, in the plain profile",
		fault: "reference-refused",
		document: sealedPlain([['URI=""', 'URI="file:///etc/hostname"']]),
	},
	{
		name: "reference-second-plain",
		shows: "a second reference in the plain profile",
		fault: "reference-refused",
		document: sealedPlain([[DOCUMENT_REFERENCE, DOCUMENT_REFERENCE.repeat(2)]]),
	},
	{
		name: "properties-stripped",
		shows: "the signed properties are gone, their reference is not",
		fault: "reference-refused",
		document: edit(sealed, [/<Object>.*<\/Object>/, ""]),
	},
	{
		name: "properties-moved",
		shows: "the signed properties in the document, forged ones in their place",
		fault: "signature-shape",
		document: edit(sealed, [
			"<Encabezado>",
			`${/<xades:SignedProperties.*<\/xades:SignedProperties>/.exec(sealed)?.[0].replace("<xades:SignedProperties", `<xades:SignedProperties xmlns="${DS}" xmlns:xades="${XADES}"`)}<Encabezado>`,
		]),
	},
];

function hmac(algorithm: string, parameter: string): string {
	const open = `<SignatureMethod Algorithm="${RSA_SHA256}">`;
	return sealedPlain([
		[open, `<SignatureMethod Algorithm="${algorithm}">${parameter}`],
		[/<SignatureValue>[^<]+/, `<SignatureValue>${publicKeyDigest}`],
	]);
}
