/** Creates and changes endpoints: limits of the plan, merge patches, rotation of secrets, and the audit of each change. */
import { type Doer, recordAudit } from "../../identity/audit-log";
import { PLAN_LIMITS } from "../../identity/rate-limits";
import type { Tx } from "../../platform/database";
import { checkOutboundUrl, type EgressPolicy } from "../../platform/egress";
import type { Plan } from "../../platform/operation";
import { type Fault, msg, Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { newId } from "../../platform/values";
import type { EndpointPatch, EndpointRequest, WebhookEndpoint } from "./endpoint";
import { createSecret, currentSecrets, sealEndpointSecret } from "./secret";
import {
	countCompanyVersion,
	type EndpointPlace,
	insertEndpoint,
	lockCompany,
	lockEndpoint,
	updateEndpoint,
} from "./store";

/** A requested endpoint; `pointer` points at its URL in the request. */
export type WantedEndpoint = Omit<EndpointRequest, "events"> & {
	readonly events: readonly string[];
	readonly pointer: string;
};

/** Throws webhook-url-not-allowed with every URL that may not be called. */
export function checkEndpointUrls(
	policy: EgressPolicy,
	wanted: readonly { readonly url: string; readonly pointer: string }[],
): void {
	const faults: Fault[] = [];
	for (const { url, pointer } of wanted) {
		const reason = checkOutboundUrl(url, policy);
		if (reason) faults.push({ pointer, code: reason.code, detail: reason.detail });
	}
	if (faults.length > 0) throw new Problem("webhook-url-not-allowed", { faults });
}

/** Stores an enabled endpoint with a new secret. The secret is returned here and never again. */
export async function addEndpoint(
	tx: Tx,
	envelope: Envelope,
	tenantId: string,
	wanted: WantedEndpoint,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
	const id = newId();
	const { secret, hint } = createSecret();
	const endpoint = await insertEndpoint(tx, {
		...{ id, tenantId, url: wanted.url, events: wanted.events, description: wanted.description ?? null },
		...{ rateLimitPerSecond: wanted.rateLimitPerSecond ?? null, ordering: wanted.ordering ?? "per_document" },
		recovery: wanted.recovery ?? "automatic",
		...{ sealedSecret: sealEndpointSecret(envelope, { tenantId, id }, secret), secretHint: hint },
	});
	return { endpoint, secret };
}

/**
 * The violation of a company that would have so many webhooks; none if its plan allows them.
 * Gap: too many webhooks are a `validation-error`, since the request has too many members of a kind. The detail names the plan.
 */
export function findTooManyEndpoints(plan: Plan, count: number, pointer: string): Fault[] {
	const maximum = PLAN_LIMITS[plan].webhookEndpoints;
	if (count <= maximum) return [];
	const detail =
		maximum === 0
			? msg`The plan ${plan} has no webhooks. Read the company's events at /v1/events.`
			: msg`The plan ${plan} allows ${maximum} webhooks per company. Remove one first, or choose a larger plan.`;
	return [{ pointer, code: "too-many-webhooks", detail, maximum }];
}

/** Throws: validation-error. */
export function checkEndpointCount(plan: Plan, count: number, pointer: string): void {
	const faults = findTooManyEndpoints(plan, count, pointer);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

/** The tenant's endpoint, locked with its company until the transaction ends. Throws: not-found. */
export async function takeEndpoint(tx: Tx, tenantId: string, id: string): Promise<WebhookEndpoint> {
	await lockCompany(tx, tenantId);
	const endpoint = await lockEndpoint(tx, tenantId, id);
	if (!endpoint) throw new Problem("not-found");
	return endpoint;
}

/** The endpoint after a patch. Throws: webhook-url-not-allowed. */
export function applyPatch(policy: EgressPolicy, endpoint: WebhookEndpoint, patch: EndpointPatch): WebhookEndpoint {
	if (patch.url !== undefined) checkEndpointUrls(policy, [{ url: patch.url, pointer: "/url" }]);
	return { ...endpoint, ...patch };
}

/** Begins a probe of a locked endpoint, if it has dead letters. */
export type ResumeProbe = (tx: Tx, endpoint: EndpointPlace) => Promise<void>;

/** Writes a changed endpoint. If automatic recovery is possible again, its dead letters are probed. */
export async function writeChange(
	tx: Tx,
	resumeProbe: ResumeProbe,
	before: WebhookEndpoint,
	wanted: WebhookEndpoint,
): Promise<WebhookEndpoint> {
	const after = await updateEndpoint(tx, wanted);
	if (mayBeProbed(before) || !mayBeProbed(after)) return after;
	await resumeProbe(tx, after);
	return (await lockEndpoint(tx, after.tenantId, after.id)) ?? after;
}

function mayBeProbed({ status, recovery }: WebhookEndpoint): boolean {
	return status === "enabled" && recovery === "automatic";
}

/**
 * Gives an endpoint a new secret, which takes over after `overlapSeconds`, or at once with 0. It replaces an unfinished rotation: the secret
 * that signs the main header now continues to do so.
 */
export async function rotateSecret(
	tx: Tx,
	envelope: Envelope,
	endpoint: WebhookEndpoint,
	overlapSeconds: number,
	now: Date,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
	const { secret, hint } = createSecret();
	const fresh = { sealed: sealEndpointSecret(envelope, endpoint, secret), hint };
	const { main } = currentSecrets(endpoint, now);
	const changed =
		overlapSeconds === 0
			? withSecrets(endpoint, fresh)
			: withSecrets(endpoint, main, { ...fresh, at: new Date(now.getTime() + overlapSeconds * 1_000) });
	return { endpoint: await updateEndpoint(tx, changed), secret };
}

/** Ends a rotation: its secret takes over now. Without a rotation nothing changes, so a repeat is harmless. */
export async function promoteSecret(tx: Tx, endpoint: WebhookEndpoint, now: Date): Promise<WebhookEndpoint> {
	const { next } = currentSecrets(endpoint, now);
	return next ? updateEndpoint(tx, withSecrets(endpoint, next)) : endpoint;
}

type Kept = { readonly sealed: Uint8Array; readonly hint: string };

function withSecrets(endpoint: WebhookEndpoint, main: Kept, next?: Kept & { readonly at: Date }): WebhookEndpoint {
	return {
		...endpoint,
		...{ sealedSecret: main.sealed, secretHint: main.hint },
		...{ sealedNextSecret: next?.sealed ?? null, nextSecretHint: next?.hint ?? null, nextSecretAt: next?.at ?? null },
	};
}

type EndpointChange = "create" | "patch" | "delete" | "rotate-secret" | "promote-secret";

/** Members that an owner can change, in the order of the audit log. */
const MEMBERS = ["url", "events", "description", "status", "rateLimitPerSecond", "ordering", "recovery"] as const;

/** Names of the members in which two states of an endpoint differ. */
export function listChanges(before: WebhookEndpoint, after: WebhookEndpoint): string[] {
	return MEMBERS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** Records a change of an endpoint in the audit log and as a new version of its company. Call it under the company's lock. */
export async function recordChange(
	tx: Tx,
	doer: Doer,
	change: EndpointChange,
	endpoint: Pick<WebhookEndpoint, "id" | "tenantId">,
	changed: readonly string[] = [],
): Promise<void> {
	await countCompanyVersion(tx, endpoint.tenantId);
	await auditEndpoint(tx, doer, change, endpoint, changed);
}

/** Writes only the audit entry, for callers that write the company themselves. */
export async function auditEndpoint(
	tx: Tx,
	doer: Doer,
	change: EndpointChange,
	{ id, tenantId }: Pick<WebhookEndpoint, "id" | "tenantId">,
	changed: readonly string[] = [],
): Promise<void> {
	await recordAudit(tx, { ...doer, action: `webhook.${change}`, subject: id, tenantId, changed, details: {} });
}
