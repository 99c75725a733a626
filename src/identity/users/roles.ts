/** What each role of a team may do. */
import type { Role, Scope } from "../../platform/operation";
import type { Environment } from "../../platform/values";
import { DEFAULT_SCOPES } from "../auth";

/** What only people do: no key has these. */
const TEAM_SCOPES = ["team:read", "team:write"] as const;
/** Reads what needs "admin", and changes nothing. */
export const OPERATOR_READS = "admin:read";
type RoleScope = Scope | (typeof TEAM_SCOPES)[number] | typeof OPERATOR_READS;

// Gap: every page follows the event stream, so every role that sees invoices reads events, not developers alone.
const VIEWER: readonly RoleScope[] = [
	...(["invoices:read", "company:read", "sequences:read", "reports:read", "archive:read", "registry:read"] as const),
	...(["watchlists:read", "events:read"] as const),
];
const ACCOUNTANT: readonly RoleScope[] = [
	...VIEWER,
	...(["invoices:write", "invoices:prepare", "documents:receive", "approvals:write", "sequences:write"] as const),
	...(["certification:read", "watchlists:write"] as const),
];
const DEVELOPER: readonly RoleScope[] = [
	...VIEWER,
	...(["keys:read", "keys:write", "webhooks:read", "webhooks:write", "webhooks:test"] as const),
	...(["certification:read", "certification:write", "usage:read", "audit:read", "sandbox:write"] as const),
];

/** The roles that people of a customer have. */
export const TEAM_ROLES = ["viewer", "accountant", "developer", "owner"] as const satisfies readonly Role[];

/** A developer issues everywhere but in production. */
export function scopesOf(role: Role, environment: Environment): ReadonlySet<RoleScope> {
	const byRole: Readonly<Record<Role, readonly RoleScope[]>> = {
		viewer: VIEWER,
		accountant: ACCOUNTANT,
		developer: environment === "production" ? DEVELOPER : [...DEVELOPER, "invoices:write", "invoices:prepare"],
		owner: [...DEFAULT_SCOPES, ...TEAM_SCOPES],
		operator: ["admin", OPERATOR_READS, "registry:purge"],
		"operator-readonly": [OPERATOR_READS],
	};
	return new Set(byRole[role]);
}

export function isOperatorRole(role: Role): boolean {
	return role === "operator" || role === "operator-readonly";
}
