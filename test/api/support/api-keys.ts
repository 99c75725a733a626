/** Callers of the operations on API keys. */
import { get, post, type Tenant, type TestService } from "../../support/service";

export type KeyRecord = {
	readonly id: string;
	readonly key?: string | null;
	readonly prefix: string;
	readonly label: string;
	readonly scopes: readonly string[];
	readonly expiresAt: string | null;
	readonly ipAllowList: readonly string[];
	readonly [more: string]: unknown;
};
export type MadeKey = KeyRecord & { readonly key: string };
export type KeyPage = { items: KeyRecord[]; count: number; partial: boolean; next: string | null };

export const postKey = (
	service: TestService,
	tenant: Tenant,
	over: Record<string, unknown> = {},
	headers: Record<string, string> = {},
) => post(service, "/v1/api-keys", { ...tenant.headers, ...headers }, { label: "POS backend", ...over });

export async function makeKey(
	service: TestService,
	tenant: Tenant,
	over: Record<string, unknown> = {},
): Promise<MadeKey> {
	const answer = await postKey(service, tenant, over);
	if (answer.status !== 201) throw new Error(`key: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as MadeKey;
}

export const postRotation = (service: TestService, tenant: Tenant, id: string, body: unknown = {}, headers = {}) =>
	post(service, `/v1/api-keys/${id}/rotate`, { ...tenant.headers, ...headers }, body);

export const patchKey = (
	service: TestService,
	tenant: Tenant,
	id: string,
	body: unknown,
	headers: Readonly<Record<string, string>> = {},
) =>
	fetch(`${service.url}/v1/api-keys/${id}`, {
		method: "PATCH",
		headers: { "content-type": "application/merge-patch+json", ...tenant.headers, ...headers },
		body: JSON.stringify(body),
	});

export const deleteKey = (service: TestService, tenant: Tenant, id: string) =>
	fetch(`${service.url}/v1/api-keys/${id}`, { method: "DELETE", headers: tenant.headers });

export const getKey = (service: TestService, tenant: Tenant, id: string) =>
	get(service, `/v1/api-keys/${id}`, tenant.headers);

export async function listKeys(service: TestService, tenant: Tenant, query = ""): Promise<KeyPage> {
	const answer = await get(service, `/v1/api-keys${query}`, tenant.headers);
	if (answer.status !== 200) throw new Error(`keys: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as KeyPage;
}

/** The tenant as it calls with another key of its owner. */
export const withKey = (tenant: Tenant, apiKey: string): Tenant => ({
	...tenant,
	apiKey,
	headers: { ...tenant.headers, "x-api-key": apiKey },
});

/** The status that a key alone gets. */
export const tryKey = async (service: TestService, key: string): Promise<number> =>
	(await get(service, "/v1/authority/registry/status", { "x-api-key": key })).status;

/** What the audit holds about something, oldest first. */
export const auditOf = async (service: TestService, subject: string) => [
	...(await service.sql<{ action: string; keyId: string; ownerId: string; tenantId: string; details: object }[]>`
			select action, key_id as "keyId", owner_id as "ownerId", tenant_id as "tenantId", details
			from audit where subject = ${subject} order by id`),
];
