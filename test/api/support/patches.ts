/** Changes companies over HTTP. */
import { get, type Tenant, type TestService } from "../../support/service";

export type CompanyAnswer = {
	readonly tenantId: string;
	readonly name: string;
	readonly version: number;
	readonly settings: Readonly<Record<string, unknown>>;
	readonly metadata: Readonly<Record<string, string>>;
	readonly warnings: readonly { readonly code: string }[];
	readonly webhooks: readonly {
		readonly id: string;
		readonly url: string;
		readonly events: readonly string[];
		readonly secret?: string | null;
		readonly secretHint: string;
		readonly [more: string]: unknown;
	}[];
	readonly [more: string]: unknown;
};

export function sendPatch(
	service: TestService,
	tenant: Tenant,
	body: unknown,
	headers: Readonly<Record<string, string>> = {},
	id = tenant.tenantId,
): Promise<Response> {
	return fetch(`${service.url}/v1/company/${id}`, {
		method: "PATCH",
		headers: { "content-type": "application/merge-patch+json", ...tenant.headers, ...headers },
		body: typeof body === "string" ? body : JSON.stringify(body),
	});
}

/** Changes a company, which must succeed, and returns it. */
export async function patchCompany(
	service: TestService,
	tenant: Tenant,
	body: unknown,
	headers: Readonly<Record<string, string>> = {},
): Promise<CompanyAnswer> {
	const answer = await sendPatch(service, tenant, body, headers);
	if (answer.status !== 200) throw new Error(`patch: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as CompanyAnswer;
}

export async function readCompany(service: TestService, tenant: Tenant): Promise<CompanyAnswer> {
	return (await (await get(service, `/v1/company/${tenant.tenantId}`, tenant.headers)).json()) as CompanyAnswer;
}
