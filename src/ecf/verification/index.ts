/** Verifies signed documents from outside and our own: is the document intact, and who signed it? */
export { describeFault } from "./describe-fault";
export { answerAtOnce } from "./engine";
export type { SignatureProfile } from "./read-signature";
export type { DocumentFault, DocumentFaultCode } from "./signature-parts";
export { judgeTrust, readSignerCertificate } from "./signer-certificate";
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
