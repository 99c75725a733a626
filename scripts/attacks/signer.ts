/** Valid signatures by signers that must not be trusted, or with false statements. */
import { type Attack, type Edit, sealedPlain, sealedXades } from "./attack";
import { identities } from "./identities";
import { SHA256 } from "./seal";

const TIME = "2026-11-20T14:20:00Z";
const V2 = /<xades:SigningCertificateV2>(.*)<\/xades:SigningCertificateV2>/;
const CERT_END = "</xades:Cert>";
const digest = sealedXades().match(/<xades:CertDigest>.*?<\/xades:CertDigest>/)?.[0] ?? "";

/** The first form of the signing certificate, with the issuer in words. */
export const statesFirstForm = (issuer: string, serial: string): Edit => [
	V2,
	`<xades:SigningCertificate><xades:Cert>${digest}<xades:IssuerSerial><X509IssuerName>${issuer}</X509IssuerName>` +
		`<X509SerialNumber>${serial}</X509SerialNumber></xades:IssuerSerial></xades:Cert></xades:SigningCertificate>`,
];
export const statesSecondForm = (der: Uint8Array): Edit => [
	CERT_END,
	`<xades:IssuerSerialV2>${Buffer.from(der).toString("base64")}</xades:IssuerSerialV2>${CERT_END}`,
];
export const ISSUER = "CN=ENTIDAD DE CERTIFICACION DE PRUEBA";
/** IssuerSerial of the authority and a serial number below 128. */
export function issuerSerialOf(issuer: string, serial: number): Uint8Array {
	const tlv = (tag: number, content: Uint8Array) => Buffer.concat([Buffer.of(tag, content.byteLength), content]);
	const name = tlv(
		0x30,
		tlv(0x31, tlv(0x30, Buffer.concat([Buffer.of(6, 3, 0x55, 4, 3), tlv(12, Buffer.from(issuer))]))),
	);
	return tlv(0x30, Buffer.concat([tlv(0x30, tlv(0xa4, name)), tlv(2, Buffer.of(serial))]));
}

type Row = readonly [name: string, shows: string, fault: Attack["fault"], document: string];

const rows: readonly Row[] = [
	[
		"certificate-self-made",
		"a certificate that its holder has made himself",
		"certificate-untrusted",
		sealedXades([], { identity: identities.selfMade }),
	],
	[
		"certificate-namesake",
		"an authority that only has the right name",
		"certificate-untrusted",
		sealedXades([], { identity: identities.namesake }),
	],
	[
		"certificate-other-authority",
		"an untrusted authority",
		"certificate-untrusted",
		sealedXades([], { identity: identities.otherAuthority }),
	],
	[
		"certificate-self-made-plain",
		"a certificate that its holder has made himself, in the plain profile",
		"certificate-untrusted",
		sealedPlain([], { identity: identities.selfMade }),
	],
	[
		"certificate-issued-with-sha1",
		"a certificate over SHA-1, of which there may be two",
		"certificate-untrusted",
		sealedXades([], { identity: identities.issuedWithSha1 }),
	],
	[
		"certificate-expired",
		"a certificate that had expired",
		"certificate-expired",
		sealedXades([], { identity: identities.expired }),
	],
	[
		"certificate-expired-plain",
		"the same in the plain profile, by the time in the document",
		"certificate-expired",
		sealedPlain([], { identity: identities.expired }),
	],
	[
		"certificate-not-yet-valid",
		"a certificate of the future",
		"certificate-not-yet-valid",
		sealedXades([], { identity: identities.notYetValid }),
	],
	[
		"certificate-backdated-plain",
		"a document dated before its certificate",
		"certificate-not-yet-valid",
		sealedPlain([["20-11-2026 10:20:00", "20-11-2025 10:20:00"]]),
	],
	[
		"certificate-weak-key",
		"a key of 1024 bits",
		"certificate-key-refused",
		sealedXades([], { identity: identities.weak }),
	],
	[
		"certificate-elliptic-key",
		"a key of another kind",
		"certificate-key-refused",
		sealedXades([], { identity: identities.elliptic }),
	],
	[
		"certificate-encrypts-only",
		"a certificate that may not sign",
		"certificate-usage-refused",
		sealedXades([], { identity: identities.encryptsOnly }),
	],
	[
		"certificate-of-authority",
		"the certificate of an authority below the trusted one",
		"certificate-usage-refused",
		sealedXades([], { identity: identities.subordinateAuthority }),
	],
	[
		"certificate-of-trusted-authority",
		"the trusted authority's own certificate",
		"certificate-usage-refused",
		sealedXades([], { identity: identities.authority }),
	],
	[
		"certificate-strange-extension",
		"an unknown critical extension",
		"certificate-usage-refused",
		sealedXades([], { identity: identities.strangeExtension }),
	],
	[
		"certificate-bytes-behind",
		"bytes behind the certificate, which give it another digest",
		"certificate-unreadable",
		sealedXades([], { identity: identities.bytesBehind }),
	],
	[
		"certificate-cut-short",
		"a third of a certificate",
		"certificate-unreadable",
		sealedXades([], { identity: identities.cutShort }),
	],
	[
		"certificate-no-certificate",
		"a text in place of a certificate",
		"certificate-unreadable",
		sealedXades([[/<X509Certificate>[^<]+/, `<X509Certificate>${Buffer.from("hello").toString("base64")}`]]),
	],
	[
		"certificate-nested-der",
		"thousands of values within each other in place of a certificate",
		"certificate-unreadable",
		sealedXades([[/<X509Certificate>[^<]+/, `<X509Certificate>${nested(4_000).toString("base64")}`]]),
	],
	[
		"certificate-large",
		"a certificate of a megabyte",
		"certificate-unreadable",
		sealedXades([[/<X509Certificate>[^<]+/, `<X509Certificate>${Buffer.alloc(1_048_576, 0x30).toString("base64")}`]]),
	],
	[
		"statement-other-certificate",
		"signed properties that state another certificate of the same key",
		"certificate-mismatch",
		sealedXades([
			[/<X509Certificate>[^<]+/, `<X509Certificate>${identities.otherGood.certificateDer.toString("base64")}`],
		]),
	],
	[
		"statement-other-issuer",
		"an issuer that is not the certificate's",
		"certificate-mismatch",
		sealedXades([statesFirstForm("CN=OTRA ENTIDAD", "17")]),
	],
	[
		"statement-other-serial",
		"a serial number that is not the certificate's",
		"certificate-mismatch",
		sealedXades([statesFirstForm(ISSUER, "18")]),
	],
	[
		"statement-serial-expression",
		"a serial number that is no number",
		"certificate-mismatch",
		sealedXades([statesFirstForm(ISSUER, "0x11")]),
	],
	[
		"statement-issuer-endless",
		"an issuer of ten thousand parts",
		"certificate-mismatch",
		sealedXades([statesFirstForm(`${'CN="'.repeat(10_000)}`, "17")]),
	],
	[
		"statement-other-issuer-v2",
		"an issuer that is not the certificate's, in the second form",
		"certificate-mismatch",
		sealedXades([statesSecondForm(issuerSerialOf("OTRA ENTIDAD", 0x11))]),
	],
	[
		"statement-other-serial-v2",
		"a serial number that is not the certificate's, in the second form",
		"certificate-mismatch",
		sealedXades([statesSecondForm(issuerSerialOf(ISSUER.slice(3), 0x12))]),
	],
	[
		"statement-sha1",
		"a certificate stated by SHA-1",
		"algorithm-refused",
		sealedXades([
			[
				`<xades:CertDigest><DigestMethod Algorithm="${SHA256}">`,
				'<xades:CertDigest><DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1">',
			],
		]),
	],
	["statement-missing", "no statement of the certificate", "properties-refused", sealedXades([[V2, ""]])],
	[
		"statement-two-certificates",
		"two certificates stated",
		"properties-refused",
		sealedXades([
			[/<xades:Cert>.*<\/xades:Cert>/, `<xades:Cert>${digest}</xades:Cert><xades:Cert>${digest}</xades:Cert>`],
		]),
	],
	[
		"statement-two-forms",
		"both forms of the statement",
		"properties-refused",
		sealedXades([
			[
				"</xades:SigningCertificateV2>",
				`</xades:SigningCertificateV2><xades:SigningCertificate><xades:Cert>${digest}</xades:Cert></xades:SigningCertificate>`,
			],
		]),
	],
	[
		"statement-other-element",
		"an unknown element among the signed properties",
		"properties-refused",
		sealedXades([["</xades:SignedProperties>", "<xades:Otra></xades:Otra></xades:SignedProperties>"]]),
	],
	[
		"properties-id-expression",
		"an Id that is an expression to another program",
		"properties-refused",
		sealedXades([
			['SignedProperties Id="properties"', 'SignedProperties Id="xpointer(/)"'],
			["#properties", "#xpointer(/)"],
		]),
	],
	[
		"properties-id-missing",
		"signed properties without an Id",
		"properties-refused",
		sealedXades([['SignedProperties Id="properties"', "SignedProperties"]]),
	],
	["time-missing", "no time", "properties-refused", sealedXades([[/<xades:SigningTime>.*<\/xades:SigningTime>/, ""]])],
	[
		"time-twice",
		"two times",
		"properties-refused",
		sealedXades([
			["<xades:SigningTime>", "<xades:SigningTime>2026-11-19T14:20:00Z</xades:SigningTime><xades:SigningTime>"],
		]),
	],
	[
		"time-without-zone",
		"a time that is several instants",
		"signing-time-malformed",
		sealedXades([[TIME, "2026-11-20T14:20:00"]]),
	],
	[
		"time-no-such-day",
		"the thirtieth of February",
		"signing-time-malformed",
		sealedXades([[TIME, "2027-02-30T14:20:00Z"]]),
	],
	["time-in-words", "a time in words", "signing-time-malformed", sealedXades([[TIME, "ayer"]])],
	["time-in-future", "a time to come", "signing-time-in-future", sealedXades([[TIME, "2027-11-20T14:20:00Z"]])],
	[
		"time-in-future-plain",
		"a time to come in the document",
		"signing-time-in-future",
		sealedPlain([["20-11-2026 10:20:00", "20-11-2027 10:20:00"]]),
	],
];

export const signerAttacks: readonly Attack[] = rows.map(([name, shows, fault, document]) => ({
	name,
	shows,
	fault,
	document,
}));

/** SEQUENCE within SEQUENCE, each length right. */
function nested(depth: number): Buffer {
	let value = Buffer.of(5, 0);
	for (let i = 0; i < depth && value.byteLength < 16_000; i++) {
		const { byteLength } = value;
		const head =
			byteLength < 0x80
				? [byteLength]
				: byteLength < 0x100
					? [0x81, byteLength]
					: [0x82, byteLength >> 8, byteLength & 0xff];
		value = Buffer.concat([Buffer.of(0x30, ...head), value]);
	}
	return value;
}
