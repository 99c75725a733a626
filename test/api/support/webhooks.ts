/** Callers of the operations on webhooks. */
import { get, post, type Tenant, type TestService } from "../../support/service";

export type Webhook = {
	readonly id: string;
	readonly url: string;
	readonly secret?: string | null;
	readonly secretHint: string;
	readonly version: number;
	readonly [more: string]: unknown;
};

/** The test receiver at its own path. */
export const urlAt = (service: TestService, path: string) => `http://${service.receiver.host}/${path}`;

export const postWebhook = (
	service: TestService,
	tenant: Tenant,
	over: Record<string, unknown> = {},
	headers: Record<string, string> = {},
) =>
	post(
		service,
		"/v1/webhooks",
		{ ...tenant.headers, ...headers },
		{ url: urlAt(service, crypto.randomUUID()), ...over },
	);

export async function createWebhook(
	service: TestService,
	tenant: Tenant,
	over: Record<string, unknown> = {},
): Promise<Webhook & { readonly secret: string }> {
	const answer = await postWebhook(service, tenant, over);
	if (answer.status !== 201) throw new Error(`webhook: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as Webhook & { secret: string };
}

export async function listWebhooks(service: TestService, tenant: Tenant): Promise<Webhook[]> {
	const answer = await get(service, "/v1/webhooks?limit=100", tenant.headers);
	return ((await answer.json()) as { items: Webhook[] }).items;
}

export const getWebhook = (service: TestService, tenant: Tenant, id: string) =>
	get(service, `/v1/webhooks/${id}`, tenant.headers);

export const patchWebhook = (
	service: TestService,
	tenant: Tenant,
	id: string,
	body: unknown,
	headers: Record<string, string> = {},
) =>
	fetch(`${service.url}/v1/webhooks/${id}`, {
		method: "PATCH",
		headers: { "content-type": "application/merge-patch+json", ...tenant.headers, ...headers },
		body: JSON.stringify(body),
	});

export const deleteWebhook = (service: TestService, tenant: Tenant, id: string, headers: Record<string, string> = {}) =>
	fetch(`${service.url}/v1/webhooks/${id}`, { method: "DELETE", headers: { ...tenant.headers, ...headers } });

export const rotateSecret = (
	service: TestService,
	tenant: Tenant,
	id: string,
	body: unknown = {},
	headers: Record<string, string> = {},
) => post(service, `/v1/webhooks/${id}/rotate-secret`, { ...tenant.headers, ...headers }, body);

export const promoteSecret = (service: TestService, tenant: Tenant, id: string, headers: Record<string, string> = {}) =>
	fetch(`${service.url}/v1/webhooks/${id}/promote-secret`, {
		method: "POST",
		headers: { ...tenant.headers, ...headers },
	});
