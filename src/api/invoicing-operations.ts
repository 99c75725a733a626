/** The operations of a process that serves invoices, beside those that every process has. */

import {
	archiveListOperation,
	checkpointOperations,
	type ExportRouteDeps,
	exportOperations,
	RETENTION_YEARS,
} from "../archive";
import { authorityRoutes, explainAll } from "../authority/codes";
import { type AuthorityStatusDeps, authorityStatusOperations } from "../authority/status";
import { companyOperations } from "../companies";
import { endpointOperations } from "../events/endpoints";
import { feedOperations } from "../events/feed";
import { webhookOperations } from "../events/webhooks";
import {
	type ApprovalRouteDeps,
	approvalOperations,
	createFindApproval,
	createFindApprovals,
	enqueueRule,
} from "../exchange/approvals";
import { type ReceptionDeps, receptionOperations } from "../exchange/reception";
import { auditOperations } from "../identity/audit-log";
import { type CertificationDeps, certificationOperations } from "../invoicing/certification";
import { emailOperations } from "../invoicing/email";
import { invoiceOperations } from "../invoicing/invoices";
import { reportOperations } from "../invoicing/reports";
import { sequenceOperations } from "../invoicing/sequences";
import type { Operation } from "../platform/operation";
import type { Log } from "../platform/telemetry";
import { sandboxOperations } from "../sandbox/clock";
import { IDENTITY_VERSION, INVOICING_VERSION } from "./openapi/versions";
import { authorityCodesOperation } from "./pages/authority-codes-page";
import { TAG as DOCUMENTATION } from "./pages/documents";
import { inboxOperations } from "./pages/inbox/operations";
import { receiversPageOperation } from "./pages/receivers-page";
import { schemaOperations } from "./pages/schemas";
import { statusPageOperation } from "./pages/status/operation";
import { verifierPageOperation } from "./pages/verifier-page";

export type InvoicingDeps = Parameters<typeof companyOperations>[0] &
	Omit<Parameters<typeof invoiceOperations>[0], "findApproval"> &
	ApprovalRouteDeps &
	Parameters<typeof sequenceOperations>[0] &
	Pick<CertificationDeps, "provider"> &
	Omit<ReceptionDeps, "onReceived" | "findApprovals"> &
	Parameters<typeof sandboxOperations>[0] &
	AuthorityStatusDeps &
	Pick<ExportRouteDeps, "exportsFolder" | "exportLinkKey"> &
	Parameters<typeof reportOperations>[0] &
	Parameters<typeof endpointOperations>[0] &
	Parameters<typeof webhookOperations>[0] &
	Parameters<typeof emailOperations>[0] & {
		readonly baseUrl: string;
		/** The software's. */
		readonly version: string;
		readonly isDraining: () => boolean;
		readonly log: Log;
	};

/** In three parts, because the description tells what every process has between them. */
export type InvoicingOperations = {
	readonly areas: readonly Operation[];
	/** What the tax authority is like, and its own words. */
	readonly authority: readonly Operation[];
	/** Pages of the documentation. */
	readonly pages: readonly Operation[];
};

export function invoicingOperations(deps: InvoicingDeps): InvoicingOperations {
	const { baseUrl, sql } = deps;
	return {
		areas: [
			...companyOperations(deps),
			...invoiceOperations({ ...deps, findApproval: createFindApproval(sql) }),
			...emailOperations(deps),
			...receptionOperations({ ...deps, onReceived: enqueueRule, findApprovals: createFindApprovals(sql) }),
			...checkpointOperations(deps),
			archiveListOperation(deps),
			...exportOperations(deps),
			...sequenceOperations(deps),
			...approvalOperations(deps),
			...endpointOperations(deps),
			...webhookOperations(deps),
			...feedOperations(deps),
			...auditOperations(deps),
			...certificationOperations({ ...deps, ...toFacts(deps) }),
			...reportOperations(deps),
			...sandboxOperations(deps),
		],
		authority: [
			...authorityStatusOperations(deps),
			statusPageOperation(deps),
			...authorityRoutes({ baseUrl }),
			...schemaOperations({ baseUrl }),
		],
		pages: [
			authorityCodesOperation({ english: explainAll("en"), spanish: explainAll("es") }, DOCUMENTATION),
			receiversPageOperation(DOCUMENTATION),
			verifierPageOperation(DOCUMENTATION),
			...inboxOperations(deps, DOCUMENTATION),
		],
	};
}

/** What the service knows of itself. */
function toFacts({ baseUrl, version }: InvoicingDeps) {
	return {
		baseUrl,
		software: { name: "sello", version },
		apiVersions: { invoicing: INVOICING_VERSION, identity: IDENTITY_VERSION },
		retentionYears: RETENTION_YEARS,
	};
}
