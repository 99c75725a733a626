/** Gives the operations of invoices the parts that they need. */

import type { InvoicingDeps } from "../api";
import { createAuthorityStatus } from "../authority/status";
import { findCompany } from "../companies";
import { resumeProbe } from "../events/webhooks";
import { hasPassedTestSet } from "../invoicing/certification";
import { measureLoad } from "../invoicing/invoices";
import { resolveAt } from "../platform/egress";
import { createWake } from "../platform/outbox";
import type { Parts } from "./components";
import type { Ground } from "./infrastructure";
import { keepExportLinkKey, keepPeerKey } from "./maintenance/kek";
import type { Alive } from "./operations";
import { findCommit, VERSION } from "./version";

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
		counterpartyKey: await keepPeerKey({ sql, envelope }, firstKek),
		counterpartyAuthentication: config.receiverAuthentication,
		envelope,
		egress,
		policy: egress,
		...(config.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(config.webhookResolver) } }),
		environment,
		clock,
		authorityUrls,
		authorityStatus: createAuthorityStatus({ sql }),
		measureTenantLoad: (tenantId) => measureLoad(sql, tenantId, clock.now()),
		archive,
		checkpoints,
		wake: createWake(sql),
		findCompany: (tenantId) => findCompany(sql, tenantId),
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
