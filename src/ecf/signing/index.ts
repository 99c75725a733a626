/** From an invoice to signed e-CF bytes, and everything that a signing certificate needs. */
export type { CertificateFacts } from "../certificate";
export {
	bunEngine,
	type IdentityBytes,
	openEngine,
	type RsaEngine,
	type SigningIdentity,
	toSigningIdentity,
} from "./engine";
export { createKeyRing, signingKeyContext } from "./key-custody";
export {
	canonicalizeReceived,
	draftEcf,
	type EcfDraft,
	ReceivedXmlError,
	readSecurityCode,
	type SignedDocuments,
	type SignedEcf,
	signDraft,
	signEcf,
	signReceivedXml,
	WrongIssuerError,
} from "./sign-ecf";
export {
	type PackedDocuments,
	PKCS12_BYTES_MAX,
	packDocuments,
	type SealedCertificate,
	type SealedIdentity,
	unpackDocuments,
} from "./sign-job";
export type { SignatureProfile } from "./signature-frame";
export { openSigner, type Signer } from "./signer";
export { SelfCheckError, verifyOwnSignature } from "./verify-own";
export { signXml } from "./xades";
