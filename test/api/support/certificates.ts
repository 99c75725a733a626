/** Certificates of a company over HTTP. */
import { expect } from "bun:test";
import type { Tenant, TestService } from "../../support/service";
import { makePkcs12 } from "./companies";

export type CertificateAnswer = {
	readonly id: string;
	readonly status: string;
	readonly thumbprint: string;
	readonly activateAt: string;
	readonly [member: string]: unknown;
};

export function putCertificate(
	service: TestService,
	tenant: Tenant,
	body: unknown,
	headers: Readonly<Record<string, string>> = tenant.headers,
): Promise<Response> {
	const isForm = body instanceof FormData;
	return fetch(`${service.url}/v1/company/${tenant.tenantId}/certificate`, {
		method: "PUT",
		headers: { ...headers, ...(isForm ? {} : { "content-type": "application/json" }) },
		body: isForm ? body : JSON.stringify(body),
	});
}

/** Uploads a fresh certificate. */
export async function addCertificate(
	service: TestService,
	tenant: Tenant,
	more: { activateAt?: string; notAfter?: string } = {},
): Promise<CertificateAnswer> {
	const { activateAt, notAfter } = more;
	const { pkcs12, password } = await makePkcs12("secret", notAfter);
	const answer = await putCertificate(service, tenant, { pkcs12, password, ...(activateAt ? { activateAt } : {}) });
	expect(answer.status).toBe(201);
	return (await answer.json()) as CertificateAnswer;
}

/** Statuses by id, from the list. */
export async function listStatuses(service: TestService, tenant: Tenant): Promise<Record<string, string>> {
	const path = `${service.url}/v1/company/${tenant.tenantId}/certificates`;
	const { items } = (await (await fetch(path, { headers: tenant.headers })).json()) as { items: CertificateAnswer[] };
	return Object.fromEntries(items.map(({ id, status }) => [id, status]));
}

export function changeCertificate(
	service: TestService,
	tenant: Tenant,
	id: string,
	change: "activate" | "remove",
	headers: Readonly<Record<string, string>> = tenant.headers,
): Promise<Response> {
	const path = `${service.url}/v1/company/${tenant.tenantId}/certificates/${id}`;
	return change === "activate"
		? fetch(`${path}/activate`, { method: "POST", headers })
		: fetch(path, { method: "DELETE", headers });
}

/** The thumbprint of the certificate in a signed document. */
export function signerOf(xml: string): string {
	const der = Buffer.from(/<X509Certificate>([^<]+)</.exec(xml)?.[1] ?? "", "base64");
	return `sha256:${new Bun.CryptoHasher("sha256").update(der).digest("hex")}`;
}
