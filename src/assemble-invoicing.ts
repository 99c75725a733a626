/** Gives the operations of invoices the parts that they need. */
import type { Alive } from "./assemble-operations";
import { openAuthorityStatus } from "./authority-status";
import { hasPassedTestSet } from "./certification";
import { resolveAt } from "./egress";
import type { InvoicingDeps } from "./http";
import { measureLoad } from "./invoices";
import { keepExportLinkKey, keepPeerKey } from "./key-encryption";
import type { Ground } from "./open-ground";
import type { Parts } from "./open-parts";
import { createWake } from "./outbox";
import { findCommit, VERSION } from "./version";
import { resumeProbe } from "./webhooks";

/** Undefined where a part is absent. */
export async function assembleInvoicing(
	ground: Ground,
	parts: Parts,
	{ isDraining }: Alive,
): Promise<InvoicingDeps | undefined> {
	const { config, log, clock, environment, envelope, sql, firstKek, authorityUrls, url } = ground;
	const { access, registry, invoicing } = parts;
	if (!registry || !authorityUrls || !invoicing?.signer) return undefined;
	const { signer, printer, approvalExaminer, examiner, archive, checkpoints } = invoicing;
	const egress = { environment, allow: config.webhookAllow };
	return {
		baseUrl: url,
		version: VERSION,
		sql,
		access,
		registry,
		signer,
		printer,
		examineApproval: approvalExaminer.examine,
		examiner,
		peerKey: await keepPeerKey({ sql, envelope }, firstKek),
		peerAuthentication: config.receiverAuthentication,
		envelope,
		egress,
		policy: egress,
		...(config.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(config.webhookResolver) } }),
		environment,
		clock,
		authorityUrls,
		authorityStatus: openAuthorityStatus({ sql }),
		measureTenantLoad: (tenantId) => measureLoad(sql, tenantId, clock.now()),
		archive,
		checkpoints,
		wake: createWake(sql),
		resumeProbe: (tx, endpointId) => resumeProbe(tx, { timeScale: config.webhookTimeScale }, endpointId),
		exportsFolder: config.exportsDir,
		exportLinkKey: await keepExportLinkKey({ sql, envelope }, firstKek),
		hasPassedTestSet: (tenantId) => hasPassedTestSet(sql, tenantId, environment),
		isDraining,
		mailHookSecret: config.mailHookSecret,
		provider: { ...config.provider, commit: config.provider.commit ?? findCommit() },
		log,
	};
}
