/** Who may call an operation, in the words of OpenAPI. */
import type { CredentialNeed, Operation, Scope } from "../../platform/operation";
import type { SecurityRequirement } from "./document";

const scopeDescriptions: Readonly<Record<Scope, string>> = {
	"invoices:write": "Issue invoices.",
	"invoices:read": "Read invoices and their status.",
	"company:read": "Read companies.",
	"company:write": "Register and change companies.",
	"keys:read": "List API keys.",
	"keys:write": "Make, rotate and revoke API keys.",
	"certification:read": "Read certification test sets.",
	"certification:write": "Run certification test sets.",
	"webhooks:read": "Read webhook endpoints and deliveries.",
	"webhooks:write": "Change webhook endpoints and send deliveries again.",
	"webhooks:test": "Send a test webhook.",
	"events:read": "Read the events feed.",
	"sequences:read": "Read number sequences.",
	"sequences:write": "Register, lease and void number sequences.",
	"documents:receive": "Receive documents of other issuers.",
	"approvals:write": "Approve or reject received documents.",
	"reports:read": "Read reports.",
	"usage:read": "Read usage.",
	"audit:read": "Read the audit log.",
	"registry:read": "Look taxpayers up and search them.",
	"registry:purge": "Erase a taxpayer's entry.",
	"archive:read": "Read and export the archive.",
	"sandbox:write": "Control the sandbox.",
	admin: "Operate the service.",
};

export function securitySchemes(baseUrl: string) {
	return {
		apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "Names the customer who calls." },
		bearer: {
			type: "http",
			scheme: "bearer",
			bearerFormat: "JWT",
			description: "Names the company that the call is for: an access token of `POST /v1/auth/token`.",
		},
		oauth2: {
			type: "oauth2",
			description: "The same access token, asked for by an OAuth client.",
			flows: { clientCredentials: { tokenUrl: `${baseUrl}/v1/auth/token`, scopes: scopeDescriptions } },
		},
	};
}

type Choice = Readonly<Record<string, readonly string[]>>;
const NONE: Choice = {};

/** Every set of credentials that opens the operation; the first is the least. An empty list: anybody. */
export function toSecurity({ credentials, scope }: Operation): SecurityRequirement[] {
	const scopes = scope ? [scope] : [];
	const keys = choices(credentials.key, [{ apiKey: scopes }]);
	const bearers = choices(credentials.bearer, [{ bearer: scopes }, { oauth2: scopes }]);
	const sets = keys.flatMap((key) => bearers.map((bearer) => ({ ...key, ...bearer })));
	return sets.length === 1 && Object.keys(sets[0] ?? {}).length === 0 ? [] : sets;
}

function choices(need: CredentialNeed, schemes: readonly Choice[]): readonly Choice[] {
	if (need === "ignored") return [NONE];
	return need === "required" ? schemes : [NONE, ...schemes];
}
