import type { Environment } from "../values";

/** Plans that a key can have. `unlimited` has no rate limits: the operator's own, for benches and internal use. */
export const PLANS = ["demo", "free", "starter", "business", "enterprise", "unlimited"] as const;
export type Plan = (typeof PLANS)[number];

/** What a credential may do, `resource:verb`; an operation needs one of them. */
export const SCOPES = [
	"invoices:write",
	"invoices:read",
	"company:read",
	"company:write",
	"keys:read",
	"keys:write",
	"certification:read",
	"certification:write",
	"webhooks:read",
	"webhooks:write",
	"webhooks:test",
	"events:read",
	"sequences:read",
	"sequences:write",
	"documents:receive",
	"approvals:write",
	"reports:read",
	"usage:read",
	"audit:read",
	"registry:read",
	"registry:purge",
	"archive:read",
	"sandbox:write",
	"admin",
] as const;
export type Scope = (typeof SCOPES)[number];

/** The authenticated caller of a request. */
export type Principal = {
	readonly environment: Environment;
	readonly plan: Plan;
	/** The customer who buys the service: the owner of the API key. Null for the demo key, which belongs to nobody. */
	readonly ownerId: string | null;
	/** The company that the bearer token speaks for; absent when only an API key was sent. */
	readonly tenantId?: string;
	/** The API key's id, when one was sent. */
	readonly keyId?: string;
	/** The OAuth client of the bearer token, when one was sent. */
	readonly clientId?: string;
	readonly scopes: ReadonlySet<string>;
};
