/** Every operation of the service, gathered from the folders that declare them. */
import type { Access } from "../access";
import {
	type ApprovalRouteDeps,
	approvalOperations,
	askRule,
	createFindApproval,
	createFindApprovals,
} from "../approvals";
import { archiveListOperation, checkpointOperations, type ExportRouteDeps, exportOperations } from "../archive";
import { auditOperations } from "../audit";
import { authorityRoutes, explainAll } from "../authority";
import { type AuthorityStatusDeps, authorityStatusOperations } from "../authority-status";
import { type CertificationDeps, certificationOperations } from "../certification";
import { type Changelog, checkDeprecations } from "../changelog";
import { companyOperations } from "../companies";
import { emailOperations } from "../documents/email";
import { endpointOperations } from "../endpoints";
import { invoiceOperations, RETENTION_YEARS } from "../invoices";
import type { Operation } from "../operation";
import { type ReceptionDeps, receptionOperations } from "../reception";
import type { Registry } from "../registry";
import { reportOperations } from "../reports";
import { sandboxOperations } from "../sandbox";
import { sequenceOperations } from "../sequences";
import { usageOperations } from "../usage";
import { webhookOperations } from "../webhooks";
import { changelogOperations } from "./changelog/operations";
import { documentOperations } from "./documents";
import { type HealthDeps, healthOperations } from "./health";
import { IDENTITY_VERSION, INVOICING_VERSION } from "./openapi";
import { schemaOperations } from "./schemas";
import { statusPageOperation } from "./status/operation";

type InvoicingDeps = Parameters<typeof companyOperations>[0] &
	Omit<Parameters<typeof invoiceOperations>[0], "baseUrl" | "findApproval"> &
	Omit<ApprovalRouteDeps, "baseUrl"> &
	Parameters<typeof sequenceOperations>[0] &
	Pick<CertificationDeps, "provider"> &
	Omit<ReceptionDeps, "baseUrl"> &
	Parameters<typeof sandboxOperations>[0] &
	AuthorityStatusDeps &
	Pick<ExportRouteDeps, "exportsFolder" | "exportLinkKey"> &
	Parameters<typeof reportOperations>[0] &
	Parameters<typeof endpointOperations>[0] &
	Parameters<typeof webhookOperations>[0] &
	Parameters<typeof emailOperations>[0];

export type OperationsDeps = {
	readonly baseUrl: string;
	readonly access: Pick<Access, "operations" | "keyOperations">;
	readonly registry: Pick<Registry, "operations"> | undefined;
	/** Absent where the process answers nothing that is used. */
	readonly usage: Parameters<typeof usageOperations>[0] | undefined;
	/** Absent where the process serves no invoices. */
	readonly invoicing: InvoicingDeps | undefined;
	readonly health: HealthDeps;
	readonly changelog: Changelog;
};

/** The map of the service: every operation that a process serves, by its role. Throws a ChangelogError for a deprecation that is not announced. */
export function allOperations(deps: OperationsDeps): Operation[] {
	const { invoicing } = deps;
	const api: Operation[] = [
		...deps.access.operations,
		...(invoicing ? deps.access.keyOperations : []),
		...(invoicing ? companyOperations(invoicing) : []),
		...(invoicing
			? invoiceOperations({ ...invoicing, baseUrl: deps.baseUrl, findApproval: createFindApproval(invoicing.sql) })
			: []),
		...(invoicing ? emailOperations(invoicing) : []),
		...(invoicing
			? receptionOperations({
					...{ ...invoicing, baseUrl: deps.baseUrl, onReceived: askRule },
					findApprovals: createFindApprovals(invoicing.sql),
				})
			: []),
		...(invoicing ? checkpointOperations(invoicing) : []),
		...(invoicing ? [archiveListOperation(invoicing)] : []),
		...(invoicing ? exportOperations({ ...invoicing, baseUrl: deps.baseUrl }) : []),
		...(invoicing ? sequenceOperations(invoicing) : []),
		...(invoicing ? approvalOperations({ ...invoicing, baseUrl: deps.baseUrl }) : []),
		...(invoicing ? endpointOperations(invoicing) : []),
		...(invoicing ? webhookOperations(invoicing) : []),
		...(invoicing ? auditOperations(invoicing) : []),
		...(invoicing ? certificationOperations({ ...invoicing, ...toFacts(deps) }) : []),
		...(invoicing ? reportOperations(invoicing) : []),
		...(invoicing ? sandboxOperations(invoicing) : []),
		...(deps.registry?.operations ?? []),
		...(deps.usage ? usageOperations(deps.usage) : []),
		...(invoicing ? authorityStatusOperations(invoicing) : []),
		...(invoicing ? [statusPageOperation(invoicing)] : []),
		...(invoicing ? authorityRoutes({ baseUrl: deps.baseUrl }) : []),
		...(invoicing ? schemaOperations({ baseUrl: deps.baseUrl }) : []),
		...healthOperations(deps.health),
		...changelogOperations(deps),
	];
	checkDeprecations(api, deps.changelog);
	return [
		...api,
		...documentOperations({
			baseUrl: deps.baseUrl,
			operations: api,
			...(invoicing ? { authorityCodes: { english: explainAll("en"), spanish: explainAll("es") } } : {}),
		}),
	];
}

/** What the service knows of itself. */
function toFacts({ baseUrl, health }: OperationsDeps) {
	return {
		baseUrl,
		software: { name: "sello", version: health.version },
		apiVersions: { invoicing: INVOICING_VERSION, identity: IDENTITY_VERSION },
		retentionYears: RETENTION_YEARS,
	};
}
