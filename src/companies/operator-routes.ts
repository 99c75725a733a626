/** What operators do with companies, and what a company sees of it. */
import { type Static, Type } from "@sinclair/typebox";
import { type Doer, operatorOf, recordAudit } from "../identity/audit-log";
import { insertAccess, isOperatorRole, listAccessesTo, listMemberships, type OperatorAccess } from "../identity/users";
import {
	type Call,
	companyParameter,
	cutPage,
	idFrom,
	json,
	jsonBody,
	lineOf,
	NEEDS_BOTH,
	NEEDS_OPERATOR,
	type Operation,
	oneOf,
	PLANS,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	pathParameter,
	queryParameter,
	readJson,
	readPageQuery,
	tenantOf,
} from "../platform/operation";
import { msg, Problem } from "../platform/problem";
import { isId, newId } from "../platform/values";
import { changeStatus, type StatusChange } from "./change-status";
import type { CompanyRow } from "./company";
import type { CompanyDeps } from "./register-company";
import { findCompany, listTenants, type TenantRow, updatePlan } from "./store";

type Operating = Pick<CompanyDeps, "sql" | "clock" | "access" | "forgetPerson">;

const TAG = "Operator";
const STATUSES = ["active", "suspended", "closed"] as const;
const CHANGES: Readonly<Record<(typeof STATUSES)[number], StatusChange>> = {
	...{ active: "resume", suspended: "suspend", closed: "close" },
};
const MINUTES_MAX = 60;
const SHOWN_MAX = 50;

const Status = Type.Union(STATUSES.map((one) => Type.Literal(one)));
const Plan = Type.Union(PLANS.map((one) => Type.Literal(one)));
const Tenant = Type.Object(
	{
		tenantId: Type.String(),
		ownerId: Type.Union([Type.String(), Type.Null()]),
		rnc: Type.String(),
		name: Type.String(),
		status: Status,
		plan: Plan,
		authorityEnvironment: Type.String(),
		createdAt: Type.String(),
	},
	{ $id: "Tenant" },
);
const TenantPatch = Type.Object(
	{
		status: Type.Optional(Type.Union(Status.anyOf, { description: "The new state." })),
		plan: Type.Optional(Type.Union(Plan.anyOf, { description: "The new plan." })),
	},
	{ additionalProperties: false, minProperties: 1 },
);
const AccessRequest = Type.Object(
	{
		reason: lineOf(200, "Shown to the company."),
		minutes: Type.Integer({ minimum: 1, maximum: MINUTES_MAX, description: "How long." }),
		userId: Type.Optional(Type.String({ description: "The operator who reads. Default: the session's person." })),
	},
	{ additionalProperties: false },
);
const AccessRecord = Type.Object(
	{
		id: Type.String(),
		userId: Type.String({ description: "The operator." }),
		reason: Type.String(),
		createdAt: Type.String(),
		expiresAt: Type.String(),
	},
	{ $id: "OperatorAccess" },
);
type AccessRecord = Static<typeof AccessRecord>;

const EXAMPLE: Static<typeof Tenant> = {
	...{ tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566", ownerId: "0192f0c0-7a00-7b11-9c22-334455667788" },
	...{ rnc: "990000001", name: "EL PROGRESO SRL", status: "active", plan: "free" },
	...{ authorityEnvironment: "test", createdAt: "2026-11-20T14:00:00.000Z" },
};
const ACCESS_EXAMPLE: AccessRecord = {
	...{ id: "0192f1e2-7a00-7b11-9c22-334455667788", userId: "0192f1e2-7a00-7b11-9c22-334455667799" },
	...{ reason: "Ticket 4711", createdAt: "2026-11-20T14:00:00.000Z", expiresAt: "2026-11-20T14:30:00.000Z" },
};
const ID = pathParameter("id", "The company's tenant id.", EXAMPLE.tenantId);
const WRITING = ["malformed-json", "validation-error", "not-found"] as const;

export function tenantOperations(deps: Operating): Operation[] {
	return [
		{
			id: "listTenants",
			sdk: null,
			...{ method: "GET", path: "/v1/operator/tenants", tag: TAG, summary: "List all companies" },
			description: "Newest first.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin" },
			parameters: [
				queryParameter("q", "Start of the RNC, or part of the name."),
				queryParameter("status", "Only companies in this state.", oneOf(...STATUSES)),
				...pageParameters(),
			],
			answers: { 200: { description: "A page of companies.", schema: pageSchema(Tenant) } },
			problems: ["validation-error"],
			handle: async (call) => {
				const { limit, query } = readPageQuery(call);
				const { page, place } = cutPage(await listTenants(deps.sql, query, limit), limit, ({ tenantId }) => tenantId);
				return json(200, { items: page.map(toTenant), ...place }, PRIVATE_NO_STORE);
			},
		},
		{
			id: "patchTenant",
			sdk: null,
			...{ method: "PATCH", path: "/v1/operator/tenants/{id}", tag: TAG, summary: "Change a company's state or plan" },
			description:
				"A suspended company issues nothing; a closed one also loses its credentials. A plan counts for new tokens and for people; keys keep theirs.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin", confirms: true },
			parameters: [ID],
			body: jsonBody(TenantPatch, { status: "suspended" }),
			answers: { 200: { description: "The company.", schema: Tenant, example: EXAMPLE } },
			problems: [...WRITING],
			handle: (call) => patchTenant(deps, call),
		},
		{
			id: "openTenant",
			sdk: null,
			...{ method: "POST", path: "/v1/operator/tenants/{id}/access", tag: TAG, summary: "Read a company for a while" },
			description:
				"Lets an operator's sessions read the company with `X-Company`, as a viewer. The company sees it, with the reason.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin", confirms: true },
			parameters: [ID],
			body: jsonBody(AccessRequest, { reason: ACCESS_EXAMPLE.reason, minutes: 30 }),
			answers: { 201: { description: "The access.", schema: AccessRecord, example: ACCESS_EXAMPLE } },
			problems: [...WRITING],
			handle: (call) => openTenant(deps, call),
		},
		{
			id: "listCompanyAccesses",
			sdk: null,
			...{ method: "GET", path: "/v1/company/{id}/accesses", tag: "Companies", summary: "List accesses of operators" },
			description: `Who of the service's operators may read the company, or could; newest first, the last ${SHOWN_MAX}.`,
			...{ credentials: NEEDS_BOTH, scope: "company:read" },
			parameters: [companyParameter("id")],
			answers: {
				200: {
					description: "The accesses.",
					schema: Type.Object({ items: Type.Array(AccessRecord) }),
					example: { items: [ACCESS_EXAMPLE] },
				},
			},
			problems: ["not-found"],
			handle: async (call) => {
				const rows = await listAccessesTo(deps.sql, tenantOf(call), SHOWN_MAX);
				return json(200, { items: rows.map(toAccessRecord) }, PRIVATE_NO_STORE);
			},
		},
	];
}

async function patchTenant(deps: Operating, call: Call): Promise<Response> {
	const { sql, access, clock } = deps;
	const tenantId = idFrom(call);
	const { status, plan } = await readJson<Static<typeof TenantPatch>>(call);
	const doer: Doer = { actor: operatorOf(call), at: clock.now() };
	if (!(await findCompany(sql, tenantId))) throw new Problem("not-found");
	if (status !== undefined) await changeStatus({ sql, access }, tenantId, CHANGES[status], doer);
	if (plan !== undefined) await changePlan(deps, tenantId, plan, doer);
	const company = await findCompany(sql, tenantId);
	if (!company) throw new Problem("not-found");
	return json(200, toTenant(company), PRIVATE_NO_STORE);
}

/** Of the company and of its clients, whose tokens carry it. Gap: issued keys keep their plan, since their holders were given it. */
async function changePlan(
	{ sql, access }: Pick<Operating, "sql" | "access">,
	tenantId: string,
	plan: CompanyRow["plan"],
	doer: Doer,
): Promise<void> {
	await sql.begin(async (tx) => {
		const before = await updatePlan(tx, tenantId, plan);
		if (before === undefined || before === plan) return;
		await access.changePlan(tx, tenantId, plan);
		const entry = { action: "company.plan", subject: tenantId, tenantId, changed: ["plan"], details: { before, plan } };
		await recordAudit(tx, { ...doer, ...entry });
	});
}

/** Gap: a key names the operator who reads, because a key has no session that could. */
async function openTenant({ sql, clock, forgetPerson }: Operating, call: Call): Promise<Response> {
	const tenantId = idFrom(call);
	const { reason, minutes, userId: named } = await readJson<Static<typeof AccessRequest>>(call);
	const userId = named ?? call.principal?.person?.userId;
	if (!(await findCompany(sql, tenantId))) throw new Problem("not-found");
	const isOperator =
		userId !== undefined &&
		isId(userId) &&
		(await listMemberships(sql, userId)).some(({ role }) => isOperatorRole(role));
	if (!isOperator) {
		const detail = msg`Send the id of a person who is an operator.`;
		throw new Problem("validation-error", { faults: [{ pointer: "#/userId", code: "not-an-operator", detail }] });
	}
	const createdAt = clock.now();
	const expiresAt = new Date(createdAt.getTime() + minutes * 60_000);
	const one: OperatorAccess = { id: newId(), tenantId, userId, reason, createdAt, expiresAt };
	await sql.begin(async (tx) => {
		await insertAccess(tx, one);
		const details = { reason, minutes, userId };
		const actor = operatorOf(call);
		await recordAudit(tx, { at: createdAt, actor, action: "operator.access", subject: tenantId, tenantId, details });
	});
	forgetPerson?.(userId);
	return json(201, toAccessRecord(one), PRIVATE_NO_STORE);
}

function toTenant(row: TenantRow): Static<typeof Tenant> {
	const { tenantId, ownerId, rnc, name, status, plan, authorityEnvironment, createdAt } = row;
	return { tenantId, ownerId, rnc, name, status, plan, authorityEnvironment, createdAt: createdAt.toISOString() };
}

function toAccessRecord({ id, userId, reason, createdAt, expiresAt }: OperatorAccess): AccessRecord {
	return { id, userId, reason, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
