/** The tenant company: registration, changes, its record and signing certificate. */

export { settleAllDue } from "./certificates/change";
export { enqueueDueNotices } from "./certificates/notices";
export { ageCertificates, countEnding, findEnding } from "./certificates/store";
export { refusePending } from "./change-company";
export { changeStatus, type StatusChange } from "./change-status";
export type { AuthorityEnvironment, CompanyRow } from "./company";
export { createTrialCompany, ensureDemoCompany } from "./demo-company";
export { createIssuerCache, type IssuerCache, toEcfIssuer } from "./issuer";
export { tenantOperations } from "./operator-routes";
export { companyMoved, configMissing, ownsDemoCompanies } from "./own-company";
export { companyOperations } from "./routes";
export { findIdentityBehind, findIssuers, findSigningIdentity, type Issuer } from "./signing-identity";
export {
	beginMove,
	dayAhead,
	dayOfTenant,
	findAllCompanies,
	findByRnc,
	findClockAhead,
	findCompany,
	findLetterhead,
	findTimes,
	hasNoMove,
	isActive,
	listCompaniesOf,
	moveClock,
	tenantsDay,
	waitForDocuments,
} from "./store";
