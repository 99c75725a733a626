/** The algorithms that are accepted. What is not here is refused, whatever it would compute. */
import type { CanonicalMethod } from "../../platform/xml";

export const DSIG_NAMESPACE = "http://www.w3.org/2000/09/xmldsig#";
export const XADES_NAMESPACE = "http://uri.etsi.org/01903/v1.3.2#";
export const SIGNED_PROPERTIES_TYPE = "http://uri.etsi.org/01903#SignedProperties";
export const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
export const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
export const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";

/** Without comments, both: the forms with comments would let a comment change what a digest is over. */
const CANONICAL_METHODS: Readonly<Record<string, CanonicalMethod>> = {
	"http://www.w3.org/TR/2001/REC-xml-c14n-20010315": "inclusive",
	"http://www.w3.org/2001/10/xml-exc-c14n#": "exclusive",
};

export function toCanonicalMethod(algorithm: string): CanonicalMethod | undefined {
	return Object.hasOwn(CANONICAL_METHODS, algorithm) ? CANONICAL_METHODS[algorithm] : undefined;
}
