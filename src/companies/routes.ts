/** The operations on companies: registering one here, the others from their own files. */
import { createRequestQueue, idempotencyKeyParameter } from "../platform/idempotency";
import { NEEDS_KEY_ONLY, type Operation } from "../platform/operation";
import { certificateOperations } from "./certificates/routes";
import { CreateCompanyRequest } from "./company";
import { findChangeable, findOwnCompany, principalOf } from "./own-company";
import { COMPANY_BYTES_MAX, ETAG, TAG } from "./parameters";
import { postCompany } from "./post-company";
import { CompanyRecord } from "./record";
import type { CompanyDeps } from "./register-company";
import { changeOperations } from "./routes-change";
import { readOperations } from "./routes-read";

export function companyOperations(deps: CompanyDeps): Operation[] {
	const post = { ...deps, requestQueue: createRequestQueue() };
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
			parameters: [idempotencyKeyParameter("gives the same company with its secrets hidden")],
			body: {
				schema: CreateCompanyRequest,
				limitBytes: COMPANY_BYTES_MAX,
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
				"tenant-config-missing",
				"certificate-invalid",
				"webhook-url-not-allowed",
				"logo-invalid",
				"registry-unavailable",
			],
			handle: (call) => postCompany(post, principalOf(call), call),
		},
		...readOperations(deps),
		...changeOperations(deps),
		...certificateOperations(deps, async (call, purpose) => {
			const find = purpose === "change" ? findChangeable : findOwnCompany;
			return (await find(deps.sql, principalOf(call), call.params.id ?? "")).tenantId;
		}),
	];
}
