/** The operations of a process that serves invoices. Loaded by those processes only, because most of the service is behind them. */
import { linkOperations } from "../api/links";
import { IDENTITY_VERSION, INVOICING_VERSION } from "../api/openapi";
import {
	inboxOperations,
	receiversPageOperation,
	schemaOperations,
	statusPageOperation,
	verifierPageOperation,
} from "../api/pages/invoicing";
import type { HealthStatus } from "../api/server";
import {
	type Archive,
	archiveListOperation,
	type Checkpoints,
	checkpointOperations,
	exportOperations,
	openSharedFiles,
	RETENTION_YEARS,
	type ReadSealed,
	type SharedFiles,
	verificationOperations,
} from "../archive";
import type { AuthorityUrls, ClockSkew } from "../authority/client";
import { authorityRoutes, explainAll, placeRoutes } from "../authority/codes";
import { type AuthorityStatus, authorityStatusOperations, createAuthorityStatus } from "../authority/status";
import { type CompanyRow, companyOperations, findCompany, tenantOperations } from "../companies";
import type { Printer } from "../ecf/printing";
import type { Signer } from "../ecf/signing";
import { type EndpointPlace, endpointOperations, forOwners } from "../events/endpoints";
import { feedOperations } from "../events/feed";
import { deadLetterOperations, resumeProbe, webhookOperations } from "../events/webhooks";
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
import type { Sessions } from "../identity/sessions";
import { certificationOperations, hasPassedTestSet, type Provider } from "../invoicing/certification";
import { emailOperations } from "../invoicing/email";
import {
	type AcknowledgedRing,
	createAcknowledgedRing,
	createIssuing,
	INVOICE_CHOICE,
	invoiceOperations,
	listInvoicesOperation,
	measureLoad,
} from "../invoicing/invoices";
import { overviewOperations } from "../invoicing/overview";
import { preparedOperations } from "../invoicing/prepared";
import { reportOperations } from "../invoicing/reports";
import { sequenceOperations } from "../invoicing/sequences";
import type { Sql, Tx } from "../platform/database";
import { type EgressPolicy, type Resolve, resolveAt } from "../platform/egress";
import type { Operation } from "../platform/operation";
import { createWake, outboxOperations } from "../platform/outbox";
import type { Language } from "../platform/problem";
import { type Envelope, keepExportLinkKey, keepPeerKey } from "../platform/secrets";
import type { Log } from "../platform/telemetry";
import type { Clock, Environment } from "../platform/values";
import type { Registry } from "../registry";
import { sandboxOperations } from "../sandbox/clock";
import { seedOperations } from "../sandbox/seed";
import type { Components } from "./components";
import type { Infrastructure } from "./infrastructure";
import type { InvoicingOperations } from "./operations";
import { openReplica, preferReplica, type Replica } from "./replica-reads";
import { findCommit, VERSION } from "./version";

export type InvoicingOperationsParts = {
	readonly baseUrl: string;
	readonly version: string;
	readonly environment: Environment;
	readonly docsLanguage: Language;
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
	readonly sharedExports: SharedFiles | undefined;
	readonly exportLinkKey: Uint8Array;
	/** Absent without the console. */
	readonly findSessionCaller: Sessions["findCompanyCaller"] | undefined;
	readonly forgetPerson: Sessions["forgetPerson"] | undefined;
	readonly counterpartyKey: Uint8Array;
	readonly counterpartyAuthentication: CounterpartyAuthentication;
	/** Where webhooks may be sent; `egress` and `policy` are the same. */
	readonly egress: EgressPolicy;
	readonly policy: EgressPolicy;
	/** Absent: the machine's resolver. */
	readonly limits?: { readonly resolve: Resolve };
	readonly authorityUrls: AuthorityUrls;
	readonly clockSkew: ClockSkew;
	/** Whether what is stored may be acknowledged, although a standby may be missing. */
	readonly mayAcknowledge: () => boolean;
	/** Absent with the embedded database. */
	readonly ring: AcknowledgedRing | undefined;
	readonly authorityStatus: AuthorityStatus;
	/** Absent: reports of mail servers are refused. */
	readonly mailHookSecret: string | undefined;
	readonly findCompany: (tenantId: string) => Promise<CompanyRow | undefined>;
	readonly hasPassedTestSet: (tenantId: string) => Promise<boolean>;
	readonly isDraining: () => boolean;
	/** As `/health` reports it. */
	readonly readHealth: () => Promise<HealthStatus>;
	/** Reads lists and reports. */
	readonly replica?: Replica | undefined;
	readonly measureTenantLoad: (tenantId: string) => ReturnType<typeof measureLoad>;
	readonly resumeProbe: (tx: Tx, endpoint: EndpointPlace) => Promise<void>;
	readonly wake: () => void;
};

/** Undefined in processes that lack one of the components. */
export async function openInvoicingOperations(
	{
		config,
		log,
		shutdownHooks,
		clock,
		environment,
		envelope,
		sql,
		initialKek,
		authorityUrls,
		url,
		isByShard,
		replication,
		membership,
		metrics,
	}: Infrastructure,
	{ access, registry, invoicing, sessions }: Components,
	{ isDraining, readHealth }: Pick<InvoicingOperationsParts, "isDraining" | "readHealth">,
): Promise<InvoicingOperations | undefined> {
	if (!registry || !authorityUrls || !invoicing?.signer) return undefined;
	const { signer, printer, approvalExaminer, examiner, archive, readSealed, checkpoints, clockSkew } = invoicing;
	const wake = createWake(sql);
	const ring =
		config.databaseUrl === undefined ? undefined : createAcknowledgedRing({ sql, clock, log, metrics, wake });
	if (ring) membership.restoreBy(ring.restore);
	const egress = { environment, allow: config.webhookAllow };
	const replica = config.databaseReadUrl === undefined ? undefined : openReplica(config.databaseReadUrl, sql);
	if (replica) shutdownHooks.add(replica.close);
	return listInvoicingOperations({
		replica,
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
			mayAcknowledge: () => config.durabilityOnLoss === "alarm" || replication?.isReplicated() !== false,
			ring,
			isDraining,
			readHealth,
			isByShard,
			egress,
			policy: egress,
		},
		provider: { ...config.provider, commit: config.provider.commit ?? findCommit() },
		examineApproval: approvalExaminer.examine,
		docsLanguage: config.docsLanguage,
		exportsFolder: config.exportsDir,
		sharedExports: await openSharedFiles(config.archiveUrl),
		exportLinkKey: await keepExportLinkKey({ sql, envelope }, initialKek),
		findSessionCaller: sessions?.findCompanyCaller,
		forgetPerson: sessions?.forgetPerson,
		counterpartyKey: await keepPeerKey({ sql, envelope }, initialKek),
		counterpartyAuthentication: config.receiverAuthentication,
		...(config.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(config.webhookResolver) } }),
		authorityStatus: createAuthorityStatus({ sql }),
		mailHookSecret: config.mailHookSecret,
		findCompany: (tenantId) => findCompany(sql, tenantId),
		hasPassedTestSet: (tenantId) => hasPassedTestSet(sql, tenantId, environment),
		measureTenantLoad: (tenantId) => measureLoad(sql, tenantId, clock.now()),
		resumeProbe: (tx, endpoint) => resumeProbe(tx, { timeScale: config.webhookTimeScale }, endpoint),
		wake,
	});
}

export function listInvoicingOperations(deps: InvoicingOperationsParts): InvoicingOperations {
	const { baseUrl, sql, version } = deps;
	const { replica } = deps;
	const reads = (of: Sql) => {
		const own = { ...deps, sql: of };
		return [
			listInvoicesOperation(own),
			archiveListOperation(own),
			...exportOperations({ ...own, choice: INVOICE_CHOICE }),
			...auditOperations(own),
			...reportOperations(own),
		];
	};
	const events = [...endpointOperations(deps), ...webhookOperations(deps), ...feedOperations(deps)];
	const issuing = createIssuing(deps);
	const areas: Operation[] = [
		...linkOperations({
			...deps,
			linkKey: deps.exportLinkKey,
			findKeyCaller: (keyId) => deps.access.findKeyCaller(keyId),
			operations: () => areas,
		}),
		...companyOperations(deps),
		...tenantOperations(deps),
		...outboxOperations(deps),
		...deadLetterOperations(deps),
		...invoiceOperations({ ...deps, findApproval: createFindApproval(sql) }, issuing),
		...preparedOperations({ ...deps, issuing }),
		...emailOperations(deps),
		...receptionOperations({ ...deps, onReceived: enqueueRule, findApprovals: createFindApprovals(sql) }),
		...checkpointOperations(deps),
		...verificationOperations(deps),
		archiveListOperation(deps),
		...exportOperations({ ...deps, choice: INVOICE_CHOICE }),
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
		...overviewOperations(deps),
		...sandboxOperations(deps),
		...seedOperations({ ...deps, issuing }),
	];
	return {
		areas: replica ? preferReplica(areas, reads(replica.sql), replica) : areas,
		authority: [
			...authorityStatusOperations(deps),
			statusPageOperation(deps),
			...authorityRoutes({ baseUrl }),
			...placeRoutes(),
			...schemaOperations({ baseUrl }),
		],
		codes: { en: explainAll("en"), es: explainAll("es") },
		pages: [receiversPageOperation(deps), verifierPageOperation(), ...inboxOperations(deps)],
	};
}
