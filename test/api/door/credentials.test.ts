/**
 * Every operation × every state of credentials, from what the operations themselves declare: which credentials an operation
 * needs, may have and ignores, and which scope. An operation that is added is tested without a line here.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import type { CredentialNeed, Operation, Scope } from "../../../src/platform/operation";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { makeKey } from "../support/api-keys";
import { declaredOperations } from "../support/declared-operations";
import { readProblem } from "../support/problem";
import { UNKNOWN_KEY } from "../support/tenants";

// What only the console calls takes neither key nor token; its sessions have tests of their own.
const operations = declaredOperations().filter(({ path, tag }) => path.startsWith("/v1/") && tag !== "Console");

let service: TestService;
let states: readonly State[];

/** What is true of a credential of one kind in a state. */
type Sent = "absent" | "good" | "bad" | "foreign";
type State = {
	readonly name: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly key: Sent;
	readonly bearer: Sent;
	/** What the credentials may do; everything by default. */
	readonly scopes?: readonly Scope[];
};

beforeAll(async () => {
	service = await sharedService();
	const scopes = [...new Set(operations.flatMap(({ scope }) => scope ?? [])), "company:write" as const];
	const tenant = await createTenant(service, { scopes });
	const other = await createTenant(service, { scopes });
	const key = { "x-api-key": tenant.apiKey };
	const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

	// A key that was good, whose tokens were good, and that was revoked; a client that was good and has expired.
	const revoked = await createTenant(service, { scopes });
	const prefix = revoked.apiKey.slice(0, 12);
	await service.sql`update api_keys set revoked_at = now() where prefix = ${prefix}`;
	const expired = await createTenant(service, { apiKey: tenant.apiKey });
	await service.sql`update oauth_clients set expires_at = now() - interval '1 minute' where client_id = ${expired.clientId}`;
	await until(async () => (await tryRegistry(revoked)) === 401);
	await until(async () => (await tryBearer(expired)) === 401);

	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	const till = await makeKey(service, sister, { tenantIds: [sister.tenantId], scopes });

	const few: readonly Scope[] = ["usage:read"];
	const maker: readonly Scope[] = ["usage:read", "company:write"];
	const bare = await createTenant(service, { scopes: maker });
	const poorKey = { "x-api-key": await service.createKey({ scopes: few }) };
	const own = bearer(tenant.token);
	states = [
		{ name: "no credentials", headers: {}, key: "absent", bearer: "absent" },
		{ name: "the key alone", headers: key, key: "good", bearer: "absent" },
		{ name: "the token alone", headers: own, key: "absent", bearer: "good" },
		{ name: "both", headers: { ...key, ...own }, key: "good", bearer: "good" },
		{
			name: "both, the token behind several spaces",
			...{ headers: { ...key, authorization: `bearer   ${tenant.token}` }, key: "good", bearer: "good" },
		},
		{ name: "an ended client's token", headers: { ...key, ...bearer(expired.token) }, key: "good", bearer: "bad" },
		{ name: "a broken token", headers: { ...key, ...bearer(`${tenant.token}x`) }, key: "good", bearer: "bad" },
		{ name: "another owner's key", headers: { ...own, "x-api-key": other.apiKey }, key: "foreign", bearer: "foreign" },
		{
			name: "a key that opens another company of the owner",
			...{ headers: { ...own, "x-api-key": till.key }, key: "foreign", bearer: "foreign" },
		},
		{ name: "a revoked key", headers: revoked.headers, key: "bad", bearer: "good" },
		{ name: "an unknown key", headers: { ...own, "x-api-key": UNKNOWN_KEY }, key: "bad", bearer: "good" },
		{ name: "a key that lacks the scope", headers: poorKey, key: "good", bearer: "absent", scopes: few },
		{ name: "both without the scope", headers: bare.headers, key: "good", bearer: "good", scopes: maker },
	];
}, 120_000);

const tryRegistry = async (tenant: Tenant) =>
	(await fetch(`${service.url}/v1/authority/registry/status`, { headers: { "x-api-key": tenant.apiKey } })).status;
const tryBearer = async (tenant: Tenant) =>
	(await fetch(`${service.url}/v1/invoices/x/status`, { headers: { authorization: `Bearer ${tenant.token}` } })).status;

/** The status that the guard gives, or undefined where it lets the caller through. */
function guardOf({ credentials, scope }: Operation, { key, bearer, scopes }: State): 401 | 403 | undefined {
	const looksAt = (need: CredentialNeed, sent: Sent) =>
		need === "required" || (need === "optional" && sent !== "absent");
	const [keyCounts, bearerCounts] = [looksAt(credentials.key, key), looksAt(credentials.bearer, bearer)];
	if (keyCounts && (key === "absent" || key === "bad")) return 401;
	if (bearerCounts && (bearer === "absent" || bearer === "bad")) return 401;
	if (keyCounts && bearerCounts && key === "foreign") return 401;
	return scope && scopes && !scopes.includes(scope) ? 403 : undefined;
}

const concrete = (path: string) => path.replace(/\{[^}]+\}/g, "x");

describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
	"%s",
	(_, operation) => {
		test("answers each state of credentials as it declares", async () => {
			for (const state of states) {
				const { name, headers } = state;
				// A body that no operation accepts: a request that passes the guard changes nothing.
				const answer = await fetch(`${service.url}${concrete(operation.path)}`, {
					method: operation.method,
					headers: { ...headers, ...(operation.body ? { "content-type": "text/plain" } : {}) },
					...(operation.body ? { body: "x" } : {}),
				});
				const expected = guardOf(operation, state);
				const label = `${name}: ${answer.status}`;
				if (expected === undefined) {
					expect({ label, guarded: answer.status === 401 || answer.status === 403 }).toEqual({ label, guarded: false });
					expect(answer.status).toBeLessThan(500);
				} else {
					expect(`${name}: ${answer.status}`).toBe(`${name}: ${expected}`);
					const problem = await readProblem(answer);
					expect(problem.type).toEndWith(expected === 401 ? "/unauthorised" : "/insufficient-scope");
					if (expected === 403) expect(problem.requiredScopes).toEqual([operation.scope]);
					expect(answer.headers.get("www-authenticate")).toBeTruthy();
				}
			}
		});
	},
);

test("the table covers at least fifteen operations with credentials", () => {
	const guarded = operations.filter(({ credentials: { key, bearer } }) => key !== "ignored" || bearer !== "ignored");
	expect(guarded.length).toBeGreaterThanOrEqual(15);
	for (const { id, credentials, scope } of guarded) {
		const needs = credentials.key === "required" || credentials.bearer === "required";
		expect({ id, hasScope: scope !== undefined }).toEqual({ id, hasScope: needs });
	}
});
