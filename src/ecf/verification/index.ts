/** Is a signed document what it says, and who signed it? For documents from outside and for our own. */

export type { SignatureProfile } from "./read-signature";
export type { DocumentFault, DocumentFaultCode } from "./signature-parts";
export {
	parseTrustedAuthorities,
	readTrustedAuthorities,
	type TrustedAuthority,
	TrustedAuthorityError,
} from "./trusted-authorities";
export {
	type Verification,
	type VerifyOptions,
	verifyDocument,
	verifyDocumentOnWeb,
} from "./verify-document";
