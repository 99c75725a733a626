/** From an invoice to signed e-CF bytes, and everything that a signing certificate needs. */

export type { CertificateFacts } from "../certificate";
export { bunEngine, openEngine, type RsaEngine } from "./engine";
export { type IdentityBytes, type SigningIdentity, toSigningIdentity } from "./identity";
export { createKeyRing, placeOfSigningKey } from "./key-custody";
export { PKCS12_BYTES_MAX } from "./pkcs12-size";
export { canonicalizeReceived, ReceivedXmlError, signReceivedXml } from "./received-xml";
export { readSecurityCode } from "./security-code";
export {
	draftEcf,
	type EcfDraft,
	type SignedDocuments,
	type SignedEcf,
	signDraft,
	signEcf,
	WrongIssuerError,
} from "./sign-ecf";
export type { SignatureProfile } from "./signature-frame";
export { openSigner, type SealedCertificate, type SealedIdentity, type Signer } from "./signer";
export { SelfCheckError, verifyOwnSignature } from "./verify-own";
export { signXml } from "./xades";
