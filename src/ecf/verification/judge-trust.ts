/**
 * Whether the signer's certificate is worth anything: expected by the caller, or issued by a trusted authority.
 *
 * The authority's documents carry the signer's certificate alone, so the issuer has to be in the bundle itself; nothing is fetched,
 * and no certificate of the document is a step on the way.
 * Gap: revocation is not asked. The entities publish it over the network, and a verifier that waits for a network has no bound.
 */
import { isSameBytes } from "../../platform/values";
import type { DocumentFault } from "./fault";
import type { Examination } from "./question";
import type { SignerCertificate } from "./signer-certificate";
import type { TrustedAuthority } from "./trusted-authorities";

export type TrustOptions = {
	/** The bundle; without one nobody is trusted and nobody is refused. */
	readonly authorities?: readonly TrustedAuthority[] | undefined;
	/** DER of the only certificate that is accepted; it needs no authority. */
	readonly expectedCertificate?: Uint8Array | undefined;
};

export type Trust = { readonly isTrusted: boolean; readonly faults: readonly DocumentFault[] };

/** Judges at an instant: the authority must have been entitled then. */
export function* judgeTrust(certificate: SignerCertificate, at: Date, options: TrustOptions): Examination<Trust> {
	if (options.expectedCertificate) {
		if (isSameBytes(options.expectedCertificate, certificate.der)) return { isTrusted: true, faults: [] };
		return refuse("certificate-unexpected", "it is not the certificate that was expected");
	}
	if (!options.authorities) return { isTrusted: false, faults: [] };
	const { issuerDer, issuedWith } = certificate;
	const named = options.authorities.filter(({ subjectDer }) => isSameBytes(subjectDer, issuerDer));
	if (named.length === 0)
		return refuse("certificate-untrusted", `no trusted authority is called ${certificate.facts.issuer}`);
	const issuer = yield* findIssuer(certificate, named);
	if (!issuer) return refuse("certificate-untrusted", "the authority that it names has not issued it");
	// Collisions of SHA-1 are made to order: such a certificate may be another one than the authority has seen.
	if (!["SHA-256", "SHA-384", "SHA-512"].includes(issuedWith)) {
		return refuse("certificate-untrusted", `it was issued with ${issuedWith}`);
	}
	if (at < issuer.notBefore || issuer.notAfter < at) {
		return refuse("certificate-untrusted", "the authority that issued it was not in force then");
	}
	return { isTrusted: true, faults: [] };
}

function* findIssuer(
	{ der }: SignerCertificate,
	authorities: readonly TrustedAuthority[],
): Examination<TrustedAuthority | undefined> {
	for (const authority of authorities) {
		if (yield { kind: "issued", publicKey: authority.publicKey, certificate: der }) return authority;
	}
	return undefined;
}

function refuse(code: "certificate-untrusted" | "certificate-unexpected", detail: string): Trust {
	return { isTrusted: false, faults: [{ code, detail }] };
}
