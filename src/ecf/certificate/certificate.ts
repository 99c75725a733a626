/**
 * The facts that a certificate states, for records, notices and logs, and what forbids it to sign. Trust is judged in
 * `src/ecf/verification/signer-certificate.ts`.
 */
import "reflect-metadata";
import { createHash } from "node:crypto";
import {
	BasicConstraintsExtension,
	KeyUsageFlags,
	KeyUsagesExtension,
	type Name,
	X509Certificate,
} from "@peculiar/x509";
import { msg, Problem } from "../../platform/problem";

export type CertificateFacts = {
	/** `CN=JUAN PEREZ, SERIALNUMBER=IDCDO-00112345678`. */
	readonly subject: string;
	readonly issuer: string;
	/** Hex pairs, upper case: `5A:1F`. */
	readonly serialNumber: string;
	/** `sha256:` and the hex digest of the DER. */
	readonly thumbprint: string;
	/** ISO instants. */
	readonly notBefore: string;
	readonly notAfter: string;
	/** Length of the RSA modulus; 0 for a key of another kind. */
	readonly keyBits: number;
	/** False if the key usage allows no signatures. */
	readonly allowsSigning: boolean;
	/** The subject's serial number; absent if there is none. It is not derived from `subject`, because a CN may contain what looks like one. */
	readonly holderSerial?: string;
	/** The person's Cédula or RNC, from a serial number of the form `IDCDO-` and digits. Absent for other forms. */
	readonly holderDocument?: string;
	/** The person's name, the subject's CN. */
	readonly holderName?: string;
};

/** Names of the subject's parts that the library knows only by number. Source: RFC 4519; RFC 5280, appendix A. */
const NAMES: Readonly<Record<string, string>> = {
	"2.5.4.4": "SURNAME",
	"2.5.4.5": "SERIALNUMBER",
	"2.5.4.12": "TITLE",
	"2.5.4.42": "GIVENNAME",
	"2.5.4.97": "ORGANIZATIONIDENTIFIER",
	"1.2.840.113549.1.9.1": "E",
};
const SERIAL_NUMBER_OID = "2.5.4.5";
const HOLDER_FORM = /^IDCDO-(\d{11}|\d{9})$/;

/**
 * Describes a certificate. Throws: certificate-invalid if the bytes are not a certificate or a name contains a zero byte. DER strings may contain
 * one, but two readers would see two persons, and no database stores it.
 */
export function describeCertificate(der: Uint8Array): CertificateFacts {
	const certificate = readCertificate(der);
	const [subject, issuer] = [printName(certificate.subjectName), printName(certificate.issuerName)];
	if (`${subject}${issuer}`.includes("\0")) {
		throw new Problem("certificate-invalid", { detail: msg`The certificate's names hold a zero byte.` });
	}
	const { modulusLength } = certificate.publicKey.algorithm as { modulusLength?: number };
	const usage = certificate.getExtension(KeyUsagesExtension)?.usages;
	const signing = KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation;
	const serials = certificate.subjectName.getField(SERIAL_NUMBER_OID);
	const [holderSerial] = serials;
	const holderDocument = serials.map((value) => HOLDER_FORM.exec(value)?.[1]).find((digits) => digits !== undefined);
	const holderName = certificate.subjectName.getField("CN")[0];
	return {
		subject,
		issuer,
		serialNumber: pairs(certificate.serialNumber),
		thumbprint: `sha256:${createHash("sha256").update(der).digest("hex")}`,
		notBefore: certificate.notBefore.toISOString(),
		notAfter: certificate.notAfter.toISOString(),
		keyBits: modulusLength ?? 0,
		allowsSigning: usage === undefined || (usage & signing) !== 0,
		...(holderSerial ? { holderSerial } : {}),
		...(holderDocument ? { holderDocument } : {}),
		...(holderName ? { holderName } : {}),
	};
}

function readCertificate(der: Uint8Array): X509Certificate {
	try {
		return new X509Certificate(new Uint8Array(der));
	} catch (cause) {
		throw new Problem("certificate-invalid", {
			detail: msg`The certificate is not a readable X.509 certificate.`,
			cause,
		});
	}
}

function printName(name: Name): string {
	return name
		.toJSON()
		.flatMap((part) => Object.entries(part))
		.flatMap(([type, values]) => values.map((value) => `${NAMES[type] ?? type}=${value}`))
		.join(", ");
}

function pairs(hex: string): string {
	const even = hex.length % 2 === 0 ? hex : `0${hex}`;
	return (even.toUpperCase().match(/../g) ?? []).join(":");
}

/** Properties to judge, besides the facts. */
export type SignerTraits = {
	readonly facts: CertificateFacts;
	readonly isRsa: boolean;
	readonly isAuthority: boolean;
	readonly criticalExtensions: readonly string[];
};

export type SignerFault = {
	readonly code: "certificate-key-refused" | "certificate-usage-refused";
	readonly detail: string;
};

const KEY_BITS_MIN = 2_048;
/** Longer keys only make verification slow. */
const KEY_BITS_MAX = 8_192;
/** Critical extensions that are understood. Source: RFC 5280, 4.2. */
const KNOWN_EXTENSIONS: readonly string[] = [
	"2.5.29.15", // key usage
	"2.5.29.17", // subject alternative name
	"2.5.29.19", // basic constraints
	"2.5.29.31", // where revocations are published
	"2.5.29.32", // policies
	"2.5.29.37", // extended key usage
];

/** Reads the properties. Throws: certificate-invalid; an Error for parts that cannot be decoded. */
export function readSignerTraits(der: Uint8Array, x509 = new X509Certificate(new Uint8Array(der))): SignerTraits {
	return {
		facts: describeCertificate(der),
		isRsa: x509.publicKey.algorithm.name === "RSASSA-PKCS1-v1_5",
		isAuthority: x509.getExtension(BasicConstraintsExtension)?.ca ?? false,
		criticalExtensions: x509.extensions.filter(({ critical }) => critical).map(({ type }) => type),
	};
}

export function judgeSigner({ facts, isRsa, isAuthority, criticalExtensions }: SignerTraits): SignerFault[] {
	const faults: SignerFault[] = [];
	if (!isRsa || facts.keyBits < KEY_BITS_MIN || facts.keyBits > KEY_BITS_MAX) {
		const detail = isRsa ? `an RSA key of ${facts.keyBits} bits` : "a key of another kind than RSA";
		faults.push({ code: "certificate-key-refused", detail });
	}
	const refuseUse = (detail: string) => faults.push({ code: "certificate-usage-refused", detail });
	if (!facts.allowsSigning) refuseUse("its key usage allows no signatures");
	if (isAuthority) refuseUse("it is an authority's, not a person's");
	for (const extension of criticalExtensions) {
		if (!KNOWN_EXTENSIONS.includes(extension)) refuseUse(`its critical extension ${extension} is not known here`);
	}
	return faults;
}
