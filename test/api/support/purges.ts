/** Erasures over HTTP: keys that may erase, requests, and records. */
import { createTenant, post, type Tenant, type TestService } from "../../support/service";

export const PURGE_REQUEST = {
	legal_basis: "arco-cancellation",
	request_reference: "ARCO-2026-00017",
	requested_by: "dpo@example.do",
	reason: "Data subject request, Law 172-13",
};

export type PurgeAnswer = { purge_id: string; receipt: string; _links: { self: string } } & Record<string, unknown>;

/** A company whose key may erase. */
export const createOfficer = (service: TestService): Promise<Tenant> =>
	createTenant(service, { scopes: ["registry:purge", "registry:read", "company:write"] });

export const orderPurge = (
	service: TestService,
	officer: Tenant,
	document: string,
	body: unknown = PURGE_REQUEST,
	headers: Readonly<Record<string, string>> = officer.headers,
): Promise<Response> => post(service, `/v1/authority/document/${document}:purge`, headers, body);

/** Erases and returns the answer. */
export async function purgeAs(service: TestService, officer: Tenant, document: string): Promise<PurgeAnswer> {
	const answer = await orderPurge(service, officer, document);
	if (answer.status !== 200) throw new Error(`purge: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as PurgeAnswer;
}

/** Requests a record, or with DELETE its reversal. */
export const askPurge = (
	service: TestService,
	method: string,
	id: string,
	headers: Readonly<Record<string, string>>,
): Promise<Response> => fetch(`${service.url}/v1/authority/purges/${id}`, { method, headers });
