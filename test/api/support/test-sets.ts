/** Test sets over HTTP. */
import { expect } from "bun:test";
import { post, sharedService, type Tenant } from "../../support/service";

export type ShownSet = {
	readonly id: string;
	readonly idCompany: string;
	readonly status: string;
	readonly run: number;
	readonly _links: { readonly self: string; readonly evidence: string };
	readonly [member: string]: unknown;
};

export async function postSet(
	tenant: Tenant,
	body: unknown = {},
	headers: Record<string, string> = {},
): Promise<Response> {
	return post(await sharedService(), "/v1/check-set-tests", { ...tenant.headers, ...headers }, body);
}

export async function beginSet(tenant: Tenant, body: unknown = {}): Promise<ShownSet> {
	const answer = await postSet(tenant, body);
	expect(answer.status).toBe(202);
	return (await answer.json()) as ShownSet;
}

/** `action`: `cancel` or `retry`. */
export async function act(
	tenant: Tenant,
	path: string,
	action: string,
	headers: Record<string, string> = {},
): Promise<Response> {
	return post(await sharedService(), `${path}/${action}`, { ...tenant.headers, ...headers }, "");
}

/** A set that does not advance: its message is deleted. */
export async function stallSet(
	tenant: Tenant,
	status: string,
	over: { readonly run?: number } = {},
): Promise<ShownSet> {
	const { sql } = await sharedService();
	const set = await beginSet(tenant, { types: ["31"] });
	await sql`delete from outbox where subject = ${set.id}`;
	await sql`update test_sets set status = ${status}, run = ${over.run ?? 1}, version = version + 1 where id = ${set.id}`;
	return set;
}
