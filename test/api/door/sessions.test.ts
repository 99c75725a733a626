/**
 * Every operation × every role × the own, a foreign and no company, from what the operations declare and what the roles may. An operation
 * that is added is tested without a line here.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { isOperatorRole, scopesOf } from "../../../src/identity/users";
import type { Operation, Role, Scope } from "../../../src/platform/operation";
import { ENVIRONMENTS } from "../../../src/platform/values";
import {
	type Browser,
	makeLink,
	makePerson,
	openBrowser,
	ownerOf,
	type TestPerson,
} from "../../identity/sessions/support/browser";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { declaredOperations } from "../support/declared-operations";

const ROLES: readonly Role[] = ["viewer", "accountant", "developer", "owner", "operator", "operator-readonly"];
const operations = declaredOperations().filter(({ path, tag }) => path.startsWith("/v1/") && tag !== "Console");
const takesSession = ({ credentials: { key, bearer, needsKey } }: Operation) =>
	!needsKey && (key === "required" || bearer === "required");

let service: TestService;
let own: string;
let foreign: string;
const people = new Map<Role, TestPerson>();
beforeAll(async () => {
	service = await sharedService();
	const [tenant, other] = [await createTenant(service), await createTenant(service)];
	[own, foreign] = [tenant.tenantId, other.tenantId];
	const ownerId = await ownerOf(service, tenant);
	for (const role of ROLES)
		people.set(role, await makePerson(service, { ownerId: isOperatorRole(role) ? null : ownerId, role }));
}, 120_000);

/** A session may send 80 requests at once, so each browser is used for a few operations. */
const SENT_MAX = 60;
const open = new Map<Role, { readonly browser: Browser; sent: number }>();
async function browserOf(role: Role): Promise<Browser> {
	const held = open.get(role);
	if (held && held.sent < SENT_MAX) {
		held.sent += 4;
		return held.browser;
	}
	const [person, browser] = [people.get(role), openBrowser(service)];
	if (!person) throw new Error(`no person has the role ${role}`);
	const token = await makeLink(service, person, "sign-in");
	const answer = await browser.send("POST", "/v1/session", { body: { method: "link", token } });
	expect(answer.status).toBe(201);
	open.set(role, { browser, sent: 4 });
	return browser;
}

describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
	"%s",
	(_, operation) => {
		const { method, path, scope } = operation;
		const concrete = path.replace(/\{[^}]+\}/g, "x");
		// A body that no operation accepts: a request that passes the guard changes nothing.
		const headers: Record<string, string> = operation.body ? { "content-type": "text/plain" } : {};
		const body = operation.body ? { body: "x" } : {};

		test("gives each role what it may in its own company, and nothing elsewhere", async () => {
			for (const role of ROLES) {
				const browser = await browserOf(role);
				const answer = (company?: string) =>
					browser.refusal(method, concrete, { ...body, headers, ...(company ? { company } : {}) });
				if (!takesSession(operation)) {
					const withKey = operation.credentials.key === "required" || operation.credentials.bearer === "required";
					if (withKey) expect([role, await answer(own)]).toEqual([role, "401 unauthorised"]);
					continue;
				}
				if (operation.credentials.operates) {
					const may = role === "operator" || (role === "operator-readonly" && method === "GET");
					const passes = expect.not.stringMatching(/^(401|5..|403 insufficient-scope)/);
					expect([role, await answer()]).toEqual([role, may ? passes : "403 insufficient-scope"]);
					continue;
				}
				const inOwn = await answer(own);
				if (isOperatorRole(role)) expect([role, inOwn]).toEqual([role, "404 not-found"]);
				else if (scope && !scopesOf(role, "sandbox").has(scope))
					expect([role, inOwn]).toEqual([role, "403 insufficient-scope"]);
				else expect([role, inOwn]).toEqual([role, expect.not.stringMatching(/^(401|5..|403 insufficient-scope)/)]);
				expect([role, await answer(foreign)]).toEqual([role, "404 not-found"]);
				expect([role, await answer()]).toEqual([role, "400 company-required"]);
			}
		});
	},
);

test("who may issue may also prepare, approve and discard", () => {
	const rights = operations
		.filter(({ id }) => /^(postInvoice|(prepare|approvePrepared|rejectPrepared)Invoice)$/.test(id))
		.map(({ scope }) => scope as Scope);
	expect(rights).toHaveLength(4);
	const issuers = ENVIRONMENTS.flatMap((environment) =>
		ROLES.flatMap((role) => {
			const allowed = rights.filter((scope) => scopesOf(role, environment).has(scope)).length;
			expect([0, rights.length]).toContain(allowed);
			return allowed > 0 ? [`${role} ${environment}`] : [];
		}),
	);
	expect(issuers.filter((one) => one.startsWith("developer"))).not.toContain("developer production");
	expect(issuers).toContain("developer sandbox");
});

test("what acts on a person needs a session, whatever else is sent", async () => {
	const tenant = await createTenant(service);
	const ofPeople = declaredOperations().filter(({ credentials }) => credentials.session === "required");
	expect(ofPeople.length).toBeGreaterThan(20);
	for (const { method, path, body } of ofPeople) {
		const answer = await fetch(`${service.url}${path.replace(/\{[^}]+\}/g, "x")}`, {
			...{ method, headers: { ...tenant.headers, ...(body ? { "content-type": "text/plain" } : {}) } },
			...(body ? { body: "x" } : {}),
		});
		expect([method, path, answer.status]).toEqual([method, path, 401]);
	}
});

test("nothing but sign-in, the person and the team exists for the console alone", () => {
	const areas = declaredOperations()
		.filter(({ credentials, tag }) => credentials.session === "required" || tag === "Console")
		.map(({ path }) => /^\/v1\/\w+|^\/console/.exec(path)?.[0]);
	expect([...new Set(areas)].toSorted()).toEqual(["/console", "/v1/me", "/v1/session", "/v1/team"]);
});
