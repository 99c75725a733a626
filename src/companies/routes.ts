/** The operations on companies: register, list, read, change, and renew credentials. */

import { actorOf } from "../identity/audit-log";
import { DEMO_TENANT_ID } from "../identity/auth";
import { answerOnce, createRequestQueue, idempotencyKeyParameter, WRITE_PROBLEMS } from "../platform/idempotency";
import {
	type Call,
	companyParameter,
	cutPage,
	headerParameter,
	json,
	jsonBody,
	matchesEtag,
	NEEDS_BOTH,
	NEEDS_KEY_ONLY,
	type Operation,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	patchBody,
	readPageQuery,
	readQuery,
	versionTag,
} from "../platform/operation";
import { msg, Problem } from "../platform/problem";
import { certificateOperations } from "./certificates/routes";
import { patchCompany } from "./change-company";
import { CreateCompanyRequest } from "./company";
import { PatchCompanyRequest } from "./company-request";
import { RenewCredentialsRequest, RenewedCredentials, renewCredentials } from "./credentials";
import {
	findChangeable,
	findOwnCompany,
	lockChangeable,
	ownsDemoCompanies,
	principalOf,
	refuseSuspended,
} from "./own-company";
import { CompanyRecord, readRecords } from "./record";
import { type CompanyDeps, postCompany } from "./register-company";
import { findCompaniesOf, findCompany } from "./store";

export function companyOperations(deps: CompanyDeps): Operation[] {
	const requestQueue = createRequestQueue();
	return [
		{
			id: "createCompany",
			sdk: "companies.create",
			method: "POST",
			path: "/v1/company",
			tag: TAG,
			summary: "Register a company",
			description:
				"Registers a tenant company by its RNC, which must be in the taxpayer registry. Only this answer shows the client credentials " +
				"and the webhook secrets. In the sandboxes a signing certificate is generated at once.",
			credentials: NEEDS_KEY_ONLY,
			scope: "company:write",
			limit: "company",
			parameters: [idempotencyKeyParameter("gives the same company with its secrets hidden")],
			body: {
				...jsonBody(CreateCompanyRequest, {
					rnc: "990000001",
					tradeName: "EL PROGRESO",
					email: "facturas@elprogreso.do",
					address: { street: "Av. Duarte 100" },
					webhooks: [{ url: "https://erp.elprogreso.do/hooks/ecf", events: ["invoice.*"] }],
				}),
				limitBytes: COMPANY_BYTES_MAX,
			},
			answers: {
				201: {
					description: "The company, with its secrets.",
					schema: CompanyRecord,
					headers: { Location: "The company.", ...ETAG },
				},
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
				"forbidden",
				"tenant-config-missing",
				"certificate-invalid",
				"certificate-untrusted",
				"webhook-url-not-allowed",
				"logo-invalid",
				"registry-unavailable",
			],
			handle: (call) => postCompany(deps, requestQueue, principalOf(call), call),
		},
		...readOperations(deps),
		...changeOperations(deps),
		...certificateOperations(deps, async (call, purpose) => {
			const find = purpose === "change" ? findChangeable : findOwnCompany;
			return (await find(deps.sql, principalOf(call), call.params.id ?? "")).tenantId;
		}),
	];
}

export function changeOperations(deps: CompanyDeps): Operation[] {
	return [
		{
			id: "patchCompany",
			sdk: "companies.update",
			method: "PATCH",
			path: "/v1/company/{id}",
			tag: TAG,
			summary: "Change a company",
			description:
				"A merge patch (RFC 7396): absent members stay, `null` clears, `settings`, `address` and `metadata` are merged, arrays are " +
				"replaced. Webhooks are matched by URL. A known one keeps its id and secret, a new one's secret is shown only in this answer, " +
				"and a missing one is removed. A URL alone leaves a known webhook unchanged. A certificate signs from now on. What a " +
				"registration refuses with 422 is a violation here, with that problem's slug as its `code`.",
			credentials: NEEDS_BOTH,
			scope: "company:write",
			parameters: [
				idParameter,
				headerParameter("If-Match", "The version that you mean to change, from `ETag`."),
				idempotencyKeyParameter("gets the first answer again, its secrets null"),
			],
			body: {
				...patchBody(PatchCompanyRequest, {
					webhooks: [{ url: "https://erp.elprogreso.do/hooks/ecf2", events: ["invoice.accepted", "invoice.rejected"] }],
					pdfLogo: null,
					settings: { printFormat: "thermal_80" },
				}),
				limitBytes: COMPANY_BYTES_MAX,
			},
			answers: {
				200: {
					description: "The company as it is now, with the secrets of new webhooks.",
					schema: CompanyRecord,
					headers: ETAG,
				},
			},
			problems: [
				"malformed-json",
				"validation-error",
				"forbidden",
				"confirmation-required",
				"not-found",
				"idempotency-in-progress",
				"precondition-failed",
				"idempotency-key-reused",
				"tenant-config-missing",
				"registry-unavailable",
			],
			handle: (call) => patchCompany(deps, call),
		},
		{
			id: "renewCredentials",
			sdk: "companies.renewCredentials",
			method: "POST",
			path: "/v1/company/{id}/credentials",
			tag: TAG,
			summary: "Give a company new client credentials",
			description:
				"For a client secret that was lost or disclosed. The old credentials and their tokens end after the grace period. A suspended " +
				"company gets none. In `sandbox` the demo key renews those of the companies that it has registered, from the same machine.",
			credentials: NEEDS_KEY_ONLY,
			confirms: true,
			scope: "company:write",
			parameters: [idParameter, idempotencyKeyParameter("gets the first answer again, without the secret")],
			body: jsonBody(RenewCredentialsRequest, { graceSeconds: 3_600 }, false),
			answers: {
				201: { description: "The new credentials, shown once.", schema: RenewedCredentials },
				200: { description: "A repeat of an idempotency key: `clientSecret` is null.", schema: RenewedCredentials },
			},
			problems: [...WRITE_PROBLEMS, "forbidden", "not-found"],
			handle: (call) => postCredentials(deps, call),
		},
	];
}

async function postCredentials(deps: CompanyDeps, call: Call): Promise<Response> {
	const principal = principalOf(call);
	const ownsUnowned = ownsDemoCompanies(deps.environment, call.remoteAddress);
	const { tenantId } = await findChangeable(deps.sql, principal, call.params.id ?? "", ownsUnowned);
	if (tenantId === DEMO_TENANT_ID) {
		throw new Problem("forbidden", { detail: msg`The demo company's credentials are always \`demo\` and \`demo\`.` });
	}
	const by = { principal, actor: actorOf(call), now: deps.clock.now() };
	return answerOnce<RenewCredentialsRequest>(
		deps.sql,
		call,
		async (tx, request) => {
			const company = await lockChangeable(tx, tenantId);
			refuseSuspended(company);
			const body = await renewCredentials(tx, deps.access, company, request, by);
			return { status: 201, body, kept: { ...body, clientSecret: null }, headers: { "cache-control": "no-store" } };
		},
		{ scopeId: tenantId },
	);
}

export function readOperations(deps: CompanyDeps): Operation[] {
	return [
		{
			id: "listCompanies",
			sdk: "companies.list",
			method: "GET",
			path: "/v1/company",
			tag: TAG,
			summary: "List the companies of the API key's owner",
			description: "Those that the key opens. A token exchange at `POST /v1/auth/token` gives a token for each.",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: pageParameters(),
			answers: {
				200: {
					description: "A page of companies.",
					schema: pageSchema(CompanyRecord),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listCompanies(deps, call),
		},
		{
			id: "getCompany",
			sdk: "companies.get",
			method: "GET",
			path: "/v1/company/{id}",
			tag: TAG,
			summary: "Read a company",
			description:
				"The company with its settings and what the registry said when it was registered. `ETag` is the version that changes name in `If-Match`.",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: [
				idParameter,
				headerParameter(
					"If-None-Match",
					"The version that you have, from `ETag`. Changes that only the clock causes create no new version.",
				),
			],
			answers: {
				200: { description: "The company.", schema: CompanyRecord, headers: ETAG },
				304: { description: "It has not changed since that version.", headers: ETAG },
			},
			problems: ["validation-error", "not-found"],
			handle: (call) => getCompany(deps, call),
		},
	];
}

export const TAG = "Companies";
/** Largest body with a logo and a certificate. */
export const COMPANY_BYTES_MAX = 1024 * 1024;
export const ETAG = { ETag: "The company's version." };

const idParameter = companyParameter("id");

/** A page of the owner's companies, oldest first. The demo key has no owner, so its bearer sees only its own company. */
export async function listCompanies({ sql, clock }: CompanyDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after } = query;
	const { ownerId, tenantId, companyIds } = principalOf(call);
	const own = ownerId === null && tenantId && !after ? await findCompany(sql, tenantId) : undefined;
	const rows =
		ownerId === null ? (own ? [own] : []) : await findCompaniesOf(sql, { ownerId, companyIds }, after, limit);
	const { page, place } = cutPage(rows, limit, (company) => company.tenantId);
	return json(200, { items: await readRecords(sql, page, clock.now()), ...place }, PRIVATE_NO_STORE);
}

/**
 * Gap: changes that only the clock causes, such as a certificate's remaining days, create no new version. A certificate's activation or expiry
 * creates one when it is recorded.
 */
export async function getCompany({ sql, clock }: CompanyDeps, call: Call): Promise<Response> {
	readQuery(call);
	const row = await findOwnCompany(sql, principalOf(call), call.params.id ?? "");
	const headers = { etag: versionTag(row.version), ...PRIVATE_NO_STORE };
	if (matchesEtag(call.request.headers.get("if-none-match"), headers.etag)) {
		return new Response(null, { status: 304, headers });
	}
	const [record] = await readRecords(sql, [row], clock.now());
	return json(200, record, headers);
}
