/** The operations that change a company: its members, and its client's credentials. */
import { Type } from "@sinclair/typebox";
import { actorOf } from "../identity/audit-log";
import { answerOnce, idempotencyKeyParameter } from "../platform/idempotency";
import { type Call, JSON_BYTES_MAX, NEEDS_BOTH, NEEDS_KEY_ONLY, type Operation } from "../platform/operation";
import { findChangeable, lockChangeable, principalOf } from "./own-company";
import { COMPANY_BYTES_MAX, ETAG, idParameter, TAG } from "./parameters";
import { patchCompany } from "./patch-company";
import { PatchCompanyRequest } from "./patch-request";
import { CompanyRecord } from "./record";
import type { CompanyDeps } from "./register-company";
import { RenewCredentialsRequest, RenewedCredentials, renewCredentials } from "./renew-credentials";

export function changeOperations(deps: CompanyDeps): Operation[] {
	return [
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
				idempotencyKeyParameter("gets the first answer again, its secrets null"),
			],
			body: {
				schema: PatchCompanyRequest,
				limitBytes: COMPANY_BYTES_MAX,
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
			parameters: [idParameter, idempotencyKeyParameter("gets the first answer again, without the secret")],
			body: {
				schema: RenewCredentialsRequest,
				limitBytes: JSON_BYTES_MAX,
				required: false,
				mediaTypes: ["application/json"],
				example: { graceSeconds: 3_600 },
			},
			answers: {
				201: { description: "The new credentials, shown once.", schema: RenewedCredentials },
				200: { description: "A repeat of an idempotency key: `clientSecret` is null.", schema: RenewedCredentials },
			},
			problems: [
				...(["malformed-json", "validation-error", "forbidden", "not-found"] as const),
				...(["idempotency-key-reused", "idempotency-in-progress"] as const),
			],
			handle: (call) => postCredentials(deps, call),
		},
	];
}

async function postCredentials(deps: CompanyDeps, call: Call): Promise<Response> {
	const principal = principalOf(call);
	const { tenantId } = await findChangeable(deps.sql, principal, call.params.id ?? "");
	const by = { principal, actor: actorOf(call), now: deps.clock.now() };
	return answerOnce<RenewCredentialsRequest>(
		deps.sql,
		call,
		async (tx, request) => {
			const body = await renewCredentials(tx, deps, await lockChangeable(tx, tenantId), request, by);
			return { status: 201, body, kept: { ...body, clientSecret: null }, headers: { "cache-control": "no-store" } };
		},
		{ scopeId: tenantId },
	);
}
