/** Callers of the sequence operations. Tests create their own tenants, because sequences are permanent. */
import { createTenant, post, type Tenant, type TestService } from "../../support/service";

/** Far from the numbers of other tests, some of which search across tenants. */
const BASE = 5_000_000_000;

export const encfOf = (number: number, type = "31") => `E${type}${String(BASE + number).padStart(10, "0")}`;

/** A tenant whose numbers the service assigns. */
export function createNumbered(
	service: TestService,
	options: Parameters<typeof createTenant>[1] = {},
): Promise<Tenant> {
	return createTenant(service, { ...options, company: { settings: { sequenceMode: "service" }, ...options.company } });
}

export function postSequence(
	service: TestService,
	tenant: Tenant,
	[first, last]: readonly [number, number],
	over: Record<string, unknown> = {},
): Promise<Response> {
	const type = typeof over.type === "string" ? over.type : "31";
	const body = { type, from: encfOf(first, type), to: encfOf(last, type), expiresAt: "2030-12-31", ...over };
	return post(service, "/v1/sequences", tenant.headers, body);
}

export function postVoid(
	service: TestService,
	tenant: Tenant,
	[first, last]: readonly [number, number],
	headers: Record<string, string> = {},
): Promise<Response> {
	const body = { type: "31", from: encfOf(first), to: encfOf(last), reason: "Caja cerrada" };
	return post(service, "/v1/sequences/void", { ...tenant.headers, ...headers }, body);
}

export function postLease(service: TestService, tenant: Tenant, over: Record<string, unknown> = {}): Promise<Response> {
	return post(service, "/v1/sequences/leases", tenant.headers, { type: "31", count: 3, ttl: 3_600, ...over });
}

export function withdrawSequence(service: TestService, tenant: Tenant, id: string): Promise<Response> {
	return fetch(`${service.url}/v1/sequences/${id}`, { method: "DELETE", headers: tenant.headers });
}
