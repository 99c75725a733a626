/** What can be wrong with a signed document. */
import type { XmlFaultCode } from "../../platform/xml";

type SignatureFaultCode =
	/** No Signature, several, or one that is not the root's last child. */
	| "signature-missing"
	| "signature-repeated"
	| "signature-misplaced"
	/** Something in the Signature that has no place there: an element, an attribute, a text, a comment. */
	| "signature-shape"
	| "id-repeated"
	| "algorithm-refused"
	| "transform-refused"
	/** Too few references, too many, or to something else. */
	| "reference-refused"
	/** The key is told in another way than by one certificate. */
	| "key-info-refused"
	/** An Object with something unsigned in it, or with properties of another signature. */
	| "object-refused"
	| "properties-refused"
	| "base64-malformed"
	| "document-digest-differs"
	| "properties-digest-differs"
	| "signature-value-wrong";

type SignerFaultCode =
	| "certificate-unreadable"
	/** No RSA key of 2048 to 8192 bits. */
	| "certificate-key-refused"
	/** May not sign documents: by its key usage, as an authority, or by a critical extension that nobody here knows. */
	| "certificate-usage-refused"
	| "certificate-expired"
	| "certificate-not-yet-valid"
	/** Not issued by anybody in the bundle, or by somebody who was not entitled to. */
	| "certificate-untrusted"
	/** Another one than the caller expects. */
	| "certificate-unexpected"
	/** The signed properties name another one. */
	| "certificate-mismatch"
	| "signing-time-malformed"
	| "signing-time-in-future";

export type DocumentFaultCode = XmlFaultCode | SignatureFaultCode | SignerFaultCode;

export type DocumentFault = { readonly code: DocumentFaultCode; readonly detail: string };

/** Ends the reading of a signature's structure from any depth; the verifier gives it back as a fault. */
export class SignatureRefusal extends Error {
	constructor(
		readonly code: SignatureFaultCode,
		detail: string,
	) {
		super(detail);
		this.name = "SignatureRefusal";
	}
}
