import { type Doer, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import type { WebhookEndpoint } from "./endpoint";
import { countCompanyVersion } from "./store";

type EndpointChange = "create" | "patch" | "delete" | "rotate-secret" | "promote-secret";

/** Members that an owner can change, in the order in which they are told. */
const MEMBERS = ["url", "events", "description", "status", "rateLimitPerSecond", "ordering", "recovery"] as const;

/** Names of the members in which two states of an endpoint differ. */
export function listChanges(before: WebhookEndpoint, after: WebhookEndpoint): string[] {
	return MEMBERS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** Writes down that an endpoint was changed: in the audit, and as another version of its company. Call it under the company's lock. */
export async function noteEndpoint(
	tx: Tx,
	doer: Doer,
	change: EndpointChange,
	endpoint: Pick<WebhookEndpoint, "id" | "tenantId">,
	changed: readonly string[] = [],
): Promise<void> {
	await countCompanyVersion(tx, endpoint.tenantId);
	await auditEndpoint(tx, doer, change, endpoint, changed);
}

/** The entry alone, where the company is written as well. */
export async function auditEndpoint(
	tx: Tx,
	doer: Doer,
	change: EndpointChange,
	{ id, tenantId }: Pick<WebhookEndpoint, "id" | "tenantId">,
	changed: readonly string[] = [],
): Promise<void> {
	await recordAudit(tx, { ...doer, action: `webhook.${change}`, subject: id, tenantId, changed, details: {} });
}
