/** The operations of a process that serves invoices. Loaded by those processes only, because most of the service is behind them. */
import { IDENTITY_VERSION, INVOICING_VERSION } from "../api/openapi";
import {
	authorityCodesOperation,
	inboxOperations,
	receiversPageOperation,
	schemaOperations,
	statusPageOperation,
	verifierPageOperation,
} from "../api/pages/invoicing";
import {
	type Archive,
	archiveListOperation,
	type Checkpoints,
	checkpointOperations,
	exportOperations,
	RETENTION_YEARS,
	type ReadSealed,
} from "../archive";
import type { AuthorityUrls, ClockSkew } from "../authority/client";
import { authorityRoutes, explainAll, placeRoutes } from "../authority/codes";
import { type AuthorityStatus, authorityStatusOperations, createAuthorityStatus } from "../authority/status";
import { type CompanyRow, companyOperations, findCompany } from "../companies";
import type { Printer } from "../ecf/printing";
import type { Signer } from "../ecf/signing";
import { type EndpointPlace, endpointOperations, forOwners } from "../events/endpoints";
import { feedOperations } from "../events/feed";
import { resumeProbe, webhookOperations } from "../events/webhooks";
import {
	type ApprovalExaminer,
	approvalOperations,
	createFindApproval,
	createFindApprovals,
	enqueueRule,
} from "../exchange/approvals";
import { type Examiner, receptionOperations } from "../exchange/reception";
import type { CounterpartyAuthentication } from "../exchange/reception/settings";
import { auditOperations } from "../identity/audit-log";
import type { Access } from "../identity/auth";
import { certificationOperations, hasPassedTestSet, type Provider } from "../invoicing/certification";
import { emailOperations } from "../invoicing/email";
import { invoiceOperations, measureLoad } from "../invoicing/invoices";
import { reportOperations } from "../invoicing/reports";
import { sequenceOperations } from "../invoicing/sequences";
import type { Sql, Tx } from "../platform/database";
import { type EgressPolicy, type Resolve, resolveAt } from "../platform/egress";
import { createWake } from "../platform/outbox";
import { type Envelope, keepExportLinkKey, keepPeerKey } from "../platform/secrets";
import type { Log } from "../platform/telemetry";
import type { Clock, Environment } from "../platform/values";
import type { Registry } from "../registry";
import { sandboxOperations } from "../sandbox/clock";
import type { Components } from "./components";
import type { Infrastructure } from "./infrastructure";
import type { InvoicingOperations } from "./operations";
import { findCommit, VERSION } from "./version";

export type InvoicingOperationsParts = {
	readonly baseUrl: string;
	readonly version: string;
	readonly environment: Environment;
	readonly provider: Provider;
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly envelope: Envelope;
	readonly access: Access;
	readonly registry: Registry;
	readonly signer: Signer;
	readonly printer: Printer;
	readonly examiner: Examiner;
	readonly examineApproval: ApprovalExaminer["examine"];
	readonly archive: Archive;
	readonly readSealed: ReadSealed;
	readonly checkpoints: Checkpoints;
	readonly exportsFolder: string;
	readonly exportLinkKey: Uint8Array;
	readonly counterpartyKey: Uint8Array;
	readonly counterpartyAuthentication: CounterpartyAuthentication;
	/** Where webhooks may be sent; `egress` and `policy` are the same. */
	readonly egress: EgressPolicy;
	readonly policy: EgressPolicy;
	/** Absent: the machine's resolver. */
	readonly limits?: { readonly resolve: Resolve };
	readonly authorityUrls: AuthorityUrls;
	readonly clockSkew: ClockSkew;
	readonly authorityStatus: AuthorityStatus;
	/** Absent: reports of mail servers are refused. */
	readonly mailHookSecret: string | undefined;
	readonly findCompany: (tenantId: string) => Promise<CompanyRow | undefined>;
	readonly hasPassedTestSet: (tenantId: string) => Promise<boolean>;
	readonly isDraining: () => boolean;
	readonly measureTenantLoad: (tenantId: string) => ReturnType<typeof measureLoad>;
	readonly resumeProbe: (tx: Tx, endpoint: EndpointPlace) => Promise<void>;
	readonly wake: () => void;
};

/** Undefined in processes that lack one of the components. */
export async function openInvoicingOperations(
	{ config, log, clock, environment, envelope, sql, initialKek, authorityUrls, url }: Infrastructure,
	{ access, registry, invoicing }: Components,
	isDraining: () => boolean,
): Promise<InvoicingOperations | undefined> {
	if (!registry || !authorityUrls || !invoicing?.signer) return undefined;
	const { signer, printer, approvalExaminer, examiner, archive, readSealed, checkpoints, clockSkew } = invoicing;
	const egress = { environment, allow: config.webhookAllow };
	return listInvoicingOperations({
		...{ baseUrl: url, version: VERSION, environment, sql, clock, log, envelope, access, registry },
		...{
			signer,
			printer,
			examiner,
			archive,
			readSealed,
			checkpoints,
			authorityUrls,
			clockSkew,
			isDraining,
			egress,
			policy: egress,
		},
		provider: { ...config.provider, commit: config.provider.commit ?? findCommit() },
		examineApproval: approvalExaminer.examine,
		exportsFolder: config.exportsDir,
		exportLinkKey: await keepExportLinkKey({ sql, envelope }, initialKek),
		counterpartyKey: await keepPeerKey({ sql, envelope }, initialKek),
		counterpartyAuthentication: config.receiverAuthentication,
		...(config.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(config.webhookResolver) } }),
		authorityStatus: createAuthorityStatus({ sql }),
		mailHookSecret: config.mailHookSecret,
		findCompany: (tenantId) => findCompany(sql, tenantId),
		hasPassedTestSet: (tenantId) => hasPassedTestSet(sql, tenantId, environment),
		measureTenantLoad: (tenantId) => measureLoad(sql, tenantId, clock.now()),
		resumeProbe: (tx, endpoint) => resumeProbe(tx, { timeScale: config.webhookTimeScale }, endpoint),
		wake: createWake(sql),
	});
}

export function listInvoicingOperations(deps: InvoicingOperationsParts): InvoicingOperations {
	const { baseUrl, sql, version } = deps;
	const events = [...endpointOperations(deps), ...webhookOperations(deps), ...feedOperations(deps)];
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
			...events,
			...forOwners(events),
			...auditOperations(deps),
			...certificationOperations({
				...deps,
				software: { name: "sello", version },
				apiVersions: { invoicing: INVOICING_VERSION, identity: IDENTITY_VERSION },
				retentionYears: RETENTION_YEARS,
			}),
			...reportOperations(deps),
			...sandboxOperations(deps),
		],
		authority: [
			...authorityStatusOperations(deps),
			statusPageOperation(deps),
			...authorityRoutes({ baseUrl }),
			...placeRoutes(),
			...schemaOperations({ baseUrl }),
		],
		pages: [
			authorityCodesOperation({ english: explainAll("en"), spanish: explainAll("es") }),
			receiversPageOperation(),
			verifierPageOperation(),
			...inboxOperations(deps),
		],
	};
}
