/** The operations on companies: register, list, read, change, new credentials; those on certificates come from their own folder. */
import { Type } from "@sinclair/typebox";
import { actorOf } from "../audit";
import { createSingleFlight } from "../idempotency";
import { type Call, json, NEEDS_BOTH, NEEDS_KEY_ONLY, type Operation, readJson, readQuery } from "../operation";
import { certificateOperations } from "./certificates/routes";
import { CreateCompanyRequest } from "./company";
import { findChangeable, findOwnCompany, principalOf } from "./own-company";
import { patchCompany } from "./patch-company";
import { PatchCompanyRequest } from "./patch-request";
import { postCompany } from "./post-company";
import { getCompany, listCompanies } from "./read-companies";
import { CompanyRecord } from "./record";
import type { CompanyDeps } from "./register-company";
import { RenewCredentialsRequest, RenewedCredentials, renewCredentials } from "./renew-credentials";

const MIB = 1024 * 1024;
const TAG = "Companies";
const ETAG = { ETag: "The company's version." };

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
			parameters: [
				idParameter,
				{
					name: "If-None-Match",
					in: "header",
					required: false,
					description: "The version that is known, as `ETag` told it. What the clock alone changes is no new version.",
					schema: Type.String(),
				},
			],
			answers: {
				200: { description: "The company.", schema: CompanyRecord, headers: ETAG },
				304: { description: "It has not changed since that version.", headers: ETAG },
			},
			problems: ["validation-error", "not-found"],
			handle: (call) => getCompany(deps, call),
		},
		{
			id: "patchCompany",
			method: "PATCH",
			path: "/v1/company/{id}",
			tag: TAG,
			summary: "Change a company",
			description:
				"A merge patch (RFC 7396): what is absent stays, `null` clears, `settings`, `address` and `metadata` are merged, arrays are " +
				"replaced. Webhooks are met by their URL: one that is known keeps its id and secret, a new one's secret is shown in this answer " +
				"alone, one that is not named is removed. A URL alone leaves a known webhook as it is. A certificate signs from now on. What a " +
				"registration refuses with 422 is a fault here, with that problem's slug as its `code`.",
			credentials: NEEDS_BOTH,
			scope: "company:write",
			parameters: [
				idParameter,
				{
					name: "If-Match",
					in: "header",
					required: false,
					description: "The version that is meant, as `ETag` told it.",
					schema: Type.String(),
				},
				{
					name: "Idempotency-Key",
					in: "header",
					required: false,
					description: "UUID v4; a repeat within 24 hours gets the first answer again, its secrets null.",
					schema: Type.String(),
				},
			],
			body: {
				schema: PatchCompanyRequest,
				limitBytes: MIB,
				required: true,
				mediaTypes: ["application/merge-patch+json", "application/json"],
				example: {
					webhooks: [{ url: "https://erp.elprogreso.do/hooks/ecf2", events: ["invoice.accepted", "invoice.rejected"] }],
					pdfLogo: null,
					settings: { printFormat: "thermal_80" },
				},
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
			method: "POST",
			path: "/v1/company/{id}/credentials",
			tag: TAG,
			summary: "Give a company new client credentials",
			description:
				"For a client secret that was lost or told. The old credentials and their tokens end after the grace.",
			credentials: NEEDS_KEY_ONLY,
			scope: "company:write",
			parameters: [idParameter],
			body: {
				schema: RenewCredentialsRequest,
				limitBytes: 4_096,
				required: false,
				mediaTypes: ["application/json"],
				example: { graceSeconds: 3_600 },
			},
			answers: { 201: { description: "The new credentials, shown once.", schema: RenewedCredentials } },
			problems: ["malformed-json", "validation-error", "forbidden", "not-found"],
			handle: (call) => postCredentials(deps, call),
		},
		...certificateOperations(deps, async (call, purpose) => {
			const find = purpose === "change" ? findChangeable : findOwnCompany;
			return (await find(deps.sql, principalOf(call), call.params.id ?? "")).tenantId;
		}),
	];
}

async function postCredentials(deps: CompanyDeps, call: Call): Promise<Response> {
	const principal = principalOf(call);
	readQuery(call);
	const request = await readJson<RenewCredentialsRequest>(call);
	const company = await findChangeable(deps.sql, principal, call.params.id ?? "");
	const renewed = await renewCredentials(deps, principal, actorOf(call), company, request);
	return json(201, renewed, { "cache-control": "no-store" });
}
