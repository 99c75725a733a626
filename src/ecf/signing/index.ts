/** From an invoice to signed e-CF bytes, and everything that a signing certificate needs. */

export type { CertificateFacts } from "../certificate";
export { findFormatFault } from "../format/check-format";
export { carries, mostOf } from "../format/ecf";
export { writeEcf } from "../format/ecf-xml";
export { writeSummary } from "../format/summary-xml";
export { listAdjustedSums } from "../mapping/adjusted-sums";
export { defaultAdditionalRate } from "../mapping/ecf-codes";
export type { EcfAdditionalTax, EcfAdjustment, EcfInput, EcfInvoice, EcfIssuer, EcfLine } from "../mapping/ecf-input";
export { ECF_TYPE_NAMES, ECF_TYPES, type EcfType, toEcfType } from "../mapping/ecf-type";
export { type Warning, WarningSchema } from "../mapping/findings";
export { findOtherIssuer } from "../mapping/other-issuer";
export { isPlaceCode } from "../mapping/place-codes";
export { type EcfPlan, isSummaryPlan, isSummaryRoad, needsSequenceExpiry, planEcf } from "../mapping/plan-ecf";
export type { PlannedLine } from "../mapping/plan-lines";
export { checkIssuer } from "../mapping/plan-parties";
export type { PlannedTotals } from "../mapping/plan-totals";
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
