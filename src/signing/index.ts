/** From an invoice to signed e-CF bytes, and everything that a signing certificate needs. */

export type { CertificateFacts } from "../certificate";
export { listAdjustedSums } from "./adjusted-sums";
export { defaultAdditionalRate } from "./ecf-codes";
export type { EcfAdditionalTax, EcfAdjustment, EcfInput, EcfInvoice, EcfIssuer, EcfLine } from "./ecf-input";
export { ECF_TYPE_NAMES, ECF_TYPES, type EcfType, toEcfType } from "./ecf-type";
export { writeEcf } from "./ecf-xml";
export { bunEngine, openEngine, type RsaEngine } from "./engine";
export { type Warning, WarningSchema } from "./findings";
export { findFormatFault } from "./format/check-format";
export { carries, mostOf } from "./format/ecf";
export { type IdentityBytes, type SigningIdentity, toSigningIdentity } from "./identity";
export { createKeyRing, placeOfSigningKey } from "./key-custody";
export { findOtherIssuer } from "./other-issuer";
export { PKCS12_BYTES_MAX } from "./pkcs12-size";
export { isPlaceCode } from "./place-codes";
export { type EcfPlan, isSummaryPlan, isSummaryRoad, needsSequenceExpiry, planEcf } from "./plan-ecf";
export type { PlannedLine } from "./plan-lines";
export { checkIssuer } from "./plan-parties";
export type { PlannedTotals } from "./plan-totals";
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
export { writeSummary } from "./summary-xml";
export { SelfCheckError, verifyOwnSignature } from "./verify-own";
export { signXml } from "./xades";
