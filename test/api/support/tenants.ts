/** Tenants that many tests share; a test that changes a tenant makes its own. */
import { createTenant, sharedService, type Tenant } from "../../support/service";

const made = new Map<string, Promise<Tenant>>();

function once(name: string, options: Parameters<typeof createTenant>[1] = {}): Promise<Tenant> {
	const known = made.get(name) ?? sharedService().then((service) => createTenant(service, options));
	made.set(name, known);
	return known;
}

/** A tenant of its own owner, without webhooks. */
export const tenantA = () => once("a");
/** Another owner and company than the first. */
export const tenantB = () => once("b");
/** Treats warnings as violations. */
export const strictTenant = () => once("strict", { company: { settings: { strictValidation: true } } });
/** On the free plan, which must poll slowly. */
export const freeTenant = () => once("free", { plan: "free" });

export const UNKNOWN_KEY = "ak_test_0000000000000000000000_000000";

/** An unused document id. */
export const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
