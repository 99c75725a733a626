/** From an invoice to signed e-CF bytes, and everything that a signing certificate needs. */

export type { CertificateFacts } from "../certificate";
export { type AdditionalTaxKind, defaultAdditionalRate, type TaxIndicator } from "./ecf-codes";
export type {
	EcfAdditionalTax,
	EcfAdjustment,
	EcfInput,
	EcfInvoice,
	EcfIssuer,
	EcfItemCode,
	EcfLine,
	EcfPayment,
	EcfReference,
} from "./ecf-input";
export { ECF_TYPE_NAMES, ECF_TYPES, type EcfType, toEcfType } from "./ecf-type";
export { writeEcf } from "./ecf-xml";
export {
	bunEngine,
	type EngineFallback,
	type OpenedEngine,
	openEngine,
	type RsaEngine,
} from "./engine";
export { type Warning, WarningSchema } from "./findings";
export { findFormatFault } from "./format/check-format";
export { carries, mostOf } from "./format/ecf";
export { type IdentityBytes, type SigningIdentity, toSigningIdentity } from "./identity";
export { createKeyRing, placeOfSigningKey } from "./key-custody";
export { isPlaceCode } from "./place-codes";
export type { PlannedCurrency } from "./plan-currency";
export {
	type EcfPlan,
	isSummaryRoad,
	needsSequenceExpiry,
	type PlannedPayment,
	type PlannedReference,
	planEcf,
} from "./plan-ecf";
export type { PlannedLine } from "./plan-lines";
export { checkIssuer, type PlannedBuyer, type PlannedIssuer } from "./plan-parties";
export type { PlannedAdditionalTax, PlannedAdjustment, PlannedTotals } from "./plan-totals";
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
export {
	type EphemeralJob,
	openSigner,
	type Pkcs12Job,
	type SealedCertificate,
	type SealedIdentity,
	type SignDocumentJob,
	type Signer,
	type SignInvoiceJob,
} from "./signer";
export { writeSummary } from "./summary-xml";
export { SelfCheckError, verifyOwnSignature } from "./verify-own";
export { type SignOptions, signXml } from "./xades";
