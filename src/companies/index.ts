/** The tenant company: registration, changes, its record and signing certificate. */
export { countEnding } from "./certificates/ending-store";
export { tellDueNotices } from "./certificates/notices";
export { settleAllDue } from "./certificates/settle";
export { ageCertificates, type CertificateNotice } from "./certificates/store";
export { changeStatus, type StatusChange } from "./change-status";
export type { AuthorityEnvironment, CompanyRow } from "./company";
export { companyMoved } from "./company-moved";
export { configMissing } from "./config-missing";
export { ensureDemoCompany } from "./demo-company";
export { toEcfIssuer } from "./issuer";
export { createIssuerCache, type IssuerCache, issuerVersion } from "./issuer-cache";
export { companyOperations } from "./routes";
export { findIdentityBehind, findIssuers, findSigningIdentity, type Issuer } from "./signing-identity";
export {
	dayAhead,
	dayOfTenant,
	findAllCompanies,
	findByRnc,
	findClockAhead,
	findCompany,
	findLetterhead,
	isActive,
	moveClock,
} from "./store";
export { tenantsDay } from "./tenants-day";
export { stays, waitForDocuments } from "./wait-for-documents";
