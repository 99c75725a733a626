/** The operations on companies: register, list, read, new credentials; those on certificates come from their own folder. */
import { Type } from "@sinclair/typebox";
import { actorOf } from "../audit";
import { answerOnce, createSingleFlight } from "../idempotency";
import { type Call, json, NEEDS_BOTH, NEEDS_KEY_ONLY, type Operation, type Principal, readQuery } from "../operation";
import { Problem } from "../problem";
import { isId } from "../values";
import { certificateOperations } from "./certificates/routes";
import { CreateCompanyRequest } from "./company";
import { postCompany } from "./post-company";
import { findOwnCompany, readRecord } from "./read-record";
import { CompanyRecord } from "./record";
import type { CompanyDeps } from "./register-company";
import { RenewCredentialsRequest, RenewedCredentials, renewCredentials } from "./renew-credentials";
import { findCompaniesOf, findCompany } from "./store";

const MIB = 1024 * 1024;
const TAG = "Companies";

const idParameter = {
	name: "id",
	in: "path",
	required: true,
	description: "The company's tenant id.",
	schema: Type.String(),
	example: "0192f0a1-b2c3-7d4e-8f00-112233445566",
} as const;

export function companyOperations(deps: CompanyDeps): Operation[] {
	const post = { ...deps, singleFlight: createSingleFlight() };
	return [
		{
			id: "createCompany",
			method: "POST",
			path: "/v1/company",
			tag: TAG,
			summary: "Register a company",
			description:
				"Registers a tenant company by its RNC, which must be in the taxpayer registry. The answer is the only one that shows " +
				"the client credentials and the webhook secrets. In the sandboxes a signing certificate is made at once.",
			credentials: NEEDS_KEY_ONLY,
			scope: "company:write",
			limit: "company",
			parameters: [
				{
					name: "Idempotency-Key",
					in: "header",
					required: false,
					description: "UUID v4; a repeat within 24 hours gives the same company with its secrets hidden.",
					schema: Type.String(),
				},
			],
			body: {
				schema: CreateCompanyRequest,
				limitBytes: MIB,
				required: true,
				mediaTypes: ["application/json"],
				example: {
					rnc: "990000001",
					tradeName: "EL PROGRESO",
					email: "facturas@elprogreso.do",
					address: { street: "Av. Duarte 100" },
					webhooks: [{ url: "https://erp.elprogreso.do/hooks/ecf", events: ["invoice.*"] }],
				},
			},
			answers: {
				201: { description: "The company, with its secrets.", schema: CompanyRecord },
				200: {
					description: "A repeat of an idempotency key: the same company, its secrets null.",
					schema: CompanyRecord,
				},
			},
			problems: [
				"malformed-json",
				"validation-error",
				"company-already-exists",
				"idempotency-key-reused",
				"rnc-not-registered",
				"rnc-inactive",
				"tenant-config-missing",
				"certificate-invalid",
				"webhook-url-not-allowed",
				"logo-invalid",
				"registry-unavailable",
			],
			handle: (call) => postCompany(post, principalOf(call), call),
		},
		{
			id: "listCompanies",
			method: "GET",
			path: "/v1/company",
			tag: TAG,
			summary: "List the companies of the API key's owner",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: [
				{
					name: "limit",
					in: "query",
					required: false,
					description: "1 to 100, default 25.",
					schema: Type.String({ pattern: "^([1-9][0-9]?|100)$" }),
					example: "25",
				},
				{
					name: "after",
					in: "query",
					required: false,
					description: "`next` of the page before.",
					schema: Type.String({ maxLength: 64 }),
				},
			],
			answers: {
				200: {
					description: "A page of companies.",
					schema: Type.Object({
						items: Type.Array(CompanyRecord),
						count: Type.Integer(),
						partial: Type.Boolean(),
						next: Type.Union([Type.String(), Type.Null()]),
					}),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listCompanies(deps, call),
		},
		{
			id: "getCompany",
			method: "GET",
			path: "/v1/company/{id}",
			tag: TAG,
			summary: "Read a company",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: [idParameter],
			answers: {
				200: { description: "The company.", schema: CompanyRecord, headers: { ETag: "The company's version." } },
			},
			problems: ["not-found"],
			handle: (call) => getCompany(deps, call),
		},
		{
			id: "renewCredentials",
			method: "POST",
			path: "/v1/company/{id}/credentials",
			tag: TAG,
			summary: "Give a company new client credentials",
			description:
				"For a client secret that was lost or told. The old credentials and their tokens end after the grace.",
			credentials: NEEDS_KEY_ONLY,
			scope: "company:write",
			parameters: [
				idParameter,
				{
					name: "Idempotency-Key",
					in: "header",
					required: false,
					description: "UUID v4; a repeat within 24 hours gets the first answer again, without the secret.",
					schema: Type.String(),
				},
			],
			body: {
				schema: RenewCredentialsRequest,
				limitBytes: 4_096,
				required: false,
				mediaTypes: ["application/json"],
				example: { graceSeconds: 3_600 },
			},
			answers: {
				201: { description: "The new credentials, shown once.", schema: RenewedCredentials },
				200: { description: "A repeat of an idempotency key: `clientSecret` is null.", schema: RenewedCredentials },
			},
			problems: [
				"malformed-json",
				"validation-error",
				"not-found",
				"idempotency-key-reused",
				"idempotency-in-progress",
			],
			handle: (call) => postCredentials(deps, call),
		},
		...certificateOperations(
			deps,
			async (call) => (await findOwnCompany(deps.sql, principalOf(call), call.params.id ?? "")).tenantId,
		),
	];
}

async function listCompanies(deps: CompanyDeps, call: Call): Promise<Response> {
	const { limit = "25", after } = readQuery(call);
	if (after !== undefined && !isId(after)) {
		throw new Problem("validation-error", {
			faults: [{ pointer: "#/query/after", code: "invalid-cursor", detail: "Is not a cursor." }],
		});
	}
	const principal = principalOf(call);
	const own = principal.tenantId ? await findCompany(deps.sql, principal.tenantId) : undefined;
	// The demo key's companies have no owner: its bearer sees only its own.
	const rows =
		principal.ownerId === null
			? own && !after
				? [own]
				: []
			: await findCompaniesOf(deps.sql, principal.ownerId, after, Number(limit));
	const page = rows.slice(0, Number(limit));
	const items = await Promise.all(page.map((row) => readRecord(deps.sql, row.tenantId, deps.clock.now())));
	const partial = rows.length > page.length;
	return json(200, {
		items,
		count: items.length,
		partial,
		next: partial ? (page[page.length - 1]?.tenantId ?? null) : null,
	});
}

async function getCompany(deps: CompanyDeps, call: Call): Promise<Response> {
	const row = await findOwnCompany(deps.sql, principalOf(call), call.params.id ?? "");
	const record = await readRecord(deps.sql, row.tenantId, deps.clock.now());
	return json(200, record, { etag: `"${record.version}"`, "cache-control": "private, no-store" });
}

async function postCredentials(deps: CompanyDeps, call: Call): Promise<Response> {
	const principal = principalOf(call);
	const company = await findOwnCompany(deps.sql, principal, call.params.id ?? "");
	const by = { principal, actor: actorOf(call), now: deps.clock.now() };
	return answerOnce<RenewCredentialsRequest>(
		deps.sql,
		call,
		async (tx, request) => {
			const body = await renewCredentials(tx, deps, company, request, by);
			return { status: 201, body, kept: { ...body, clientSecret: null }, headers: { "cache-control": "no-store" } };
		},
		company.tenantId,
	);
}

function principalOf(call: Call): Principal {
	if (!call.principal) throw new Error(`operation ${call.operation.id} has no principal`);
	return call.principal;
}
