/**
 * What a certificate must be to sign documents with, whoever issued it: asked of those that come with documents, and of a company's own before
 * it signs, so that nothing is signed that a verifier like ours would refuse.
 *
 * Gap: RFC 5280 (4.2.1.9) only says what an authority's certificate may do besides; the entities give persons others. A key that vouches for
 * certificates is no person's signature, so `CA:TRUE` is refused.
 */
import "reflect-metadata";
import { BasicConstraintsExtension, X509Certificate } from "@peculiar/x509";
import { type CertificateFacts, describeCertificate } from "./describe-certificate";

/** What is looked at, besides the facts. */
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
/** Longer ones only make each look at them slow. */
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

/** Reads what is looked at. Throws: certificate-invalid; an Error for parts that cannot be decoded. */
export function readSignerTraits(der: Uint8Array, x509 = new X509Certificate(new Uint8Array(der))): SignerTraits {
	return {
		facts: describeCertificate(der),
		isRsa: x509.publicKey.algorithm.name === "RSASSA-PKCS1-v1_5",
		isAuthority: x509.getExtension(BasicConstraintsExtension)?.ca ?? false,
		criticalExtensions: x509.extensions.filter(({ critical }) => critical).map(({ type }) => type),
	};
}

/** What about the certificate itself forbids it to sign. */
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
