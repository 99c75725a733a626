/**
 * Reads what a XAdES signature states about itself: when it was made, and with which certificate.
 *
 *     Object/QualifyingProperties Target="#signature"
 *     └─ SignedProperties Id
 *        ├─ SignedSignatureProperties
 *        │  ├─ SigningTime
 *        │  ├─ SigningCertificateV2 (or SigningCertificate) / Cert: CertDigest, IssuerSerialV2 (or IssuerSerial)
 *        │  └─ others, signed too and not read
 *        └─ SignedDataObjectProperties, not read
 *
 * UnsignedProperties are refused, because no signature covers them.
 * Source: ETSI EN 319 132-1, 5.2.1 SigningTime, 5.2.2 SigningCertificateV2; ETSI TS 101 903, 7.2.2 SigningCertificate.
 */
import { attributeOf, type XmlElement } from "../../platform/xml";
import {
	DSIG_NAMESPACE as DS,
	expectElement,
	partsOf,
	readBase64,
	readSha256,
	SHA256,
	SignatureRefusal,
	textOnly,
	XADES_NAMESPACE as XADES,
} from "./signature-parts";

export type SignedProperties = {
	readonly element: XmlElement;
	readonly id: string;
	/** As written. */
	readonly signingTime: string;
	/** SHA-256 of the certificate, base64. */
	readonly certificateDigest: string;
	readonly issuerSerial?: IssuerSerial;
};

/** DER of an IssuerSerial, or the issuer's name as text and the number in decimal digits. */
export type IssuerSerial =
	| { readonly der: Uint8Array }
	| { readonly issuerName: string; readonly serialNumber: string };

/** Throws: SignatureRefusal. */
export function readProperties(object: XmlElement, signatureId: string | undefined): SignedProperties {
	const [qualifying, ...others] = partsOf(expectElement(object, DS, "Object", ["Id"]));
	if (qualifying?.localName !== "QualifyingProperties" || others.length > 0) {
		throw new SignatureRefusal("object-refused", "expected one QualifyingProperties in Object and nothing else");
	}
	expectElement(qualifying, XADES, "QualifyingProperties", ["Target", "Id"]);
	if (!signatureId || attributeOf(qualifying, "Target") !== `#${signatureId}`) {
		throw new SignatureRefusal("object-refused", "the properties are those of another signature");
	}
	const [signed, ...unsigned] = partsOf(qualifying);
	if (unsigned.length > 0) throw new SignatureRefusal("object-refused", `${unsigned[0]?.name} is not signed`);
	const element = expectElement(signed, XADES, "SignedProperties", ["Id"]);
	const id = attributeOf(element, "Id");
	// A plain name: anything else after # could be an expression for another program.
	if (!id || !/^[A-Za-z_][\w.-]*$/.test(id)) {
		throw new SignatureRefusal("properties-refused", "the signed properties have no Id, or one that is no plain name");
	}
	const [signature, ...rest] = partsOf(element);
	if (
		rest.length > 1 ||
		rest.some((one) => one.localName !== "SignedDataObjectProperties" || one.namespace !== XADES)
	) {
		throw new SignatureRefusal("properties-refused", `${rest[0]?.name} among the signed properties`);
	}
	const parts = partsOf(expectElement(signature, XADES, "SignedSignatureProperties", ["Id"]));
	const time = expectElement(soleOf(parts, "SigningTime"), XADES, "SigningTime");
	return { element, id, signingTime: textOnly(time), ...readSigningCertificate(parts) };
}

function readSigningCertificate(parts: readonly XmlElement[]) {
	const stated = soleOf(parts, "SigningCertificateV2", "SigningCertificate");
	const [cert, ...more] = partsOf(expectElement(stated, XADES, stated.localName));
	if (more.length > 0) throw new SignatureRefusal("properties-refused", "more than one signing certificate is stated");
	const [digest, issuer, ...rest] = partsOf(expectElement(cert, XADES, "Cert"));
	if (rest.length > 0) throw new SignatureRefusal("properties-refused", `${rest[0]?.name} in Cert`);
	const certificateDigest = readSha256(partsOf(expectElement(digest, XADES, "CertDigest")), DS, SHA256);
	if (!issuer) return { certificateDigest };
	return { certificateDigest, issuerSerial: readIssuerSerial(issuer, stated.localName === "SigningCertificateV2") };
}

function readIssuerSerial(element: XmlElement, isV2: boolean): IssuerSerial {
	if (isV2) return { der: readBase64(expectElement(element, XADES, "IssuerSerialV2"), true).bytes };
	const [name, serial, ...rest] = partsOf(expectElement(element, XADES, "IssuerSerial"));
	if (rest.length > 0) throw new SignatureRefusal("properties-refused", `${rest[0]?.name} in IssuerSerial`);
	return {
		issuerName: textOnly(expectElement(name, DS, "X509IssuerName")),
		serialNumber: textOnly(expectElement(serial, DS, "X509SerialNumber")).trim(),
	};
}

/** The one element with one of these names. Throws: SignatureRefusal if there is none or more than one. */
function soleOf(parts: readonly XmlElement[], ...names: readonly string[]): XmlElement {
	const [found, ...more] = parts.filter((one) => names.includes(one.localName));
	if (!found || more.length > 0) {
		throw new SignatureRefusal("properties-refused", `expected one ${names[0]}, got ${found ? more.length + 1 : 0}`);
	}
	return found;
}
