/** The operation that tells a tenant what the authority is like, and how that shows in its own documents. */
import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../platform/database";
import { type Call, json, matchesEtag, NEEDS_BOTH, type Operation, tenantOf } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Environment } from "../../platform/values";
import { AUTHORITY_ENVIRONMENTS } from "../client";
import type { AuthorityStatus } from "./read-status";
import { AuthorityStatusRecord, STATUS_EXAMPLE, type TenantLoad, toStatusRecord } from "./record";
import { findEnvironmentOf } from "./store";

export type AuthorityStatusDeps = {
	readonly sql: Sql;
	readonly environment: Environment;
	readonly authorityStatus: AuthorityStatus;
	/**
	 * Of the caller's own documents.
	 * Gap: the specification shows queue and latency without saying whose. They are the caller's alone: those of all would tell of others.
	 */
	readonly measureTenantLoad: (tenantId: string) => Promise<TenantLoad>;
};

export const TAG = "Operational status";
const CACHE = "private, max-age=1";

export function authorityStatusOperations(deps: AuthorityStatusDeps): Operation[] {
	return [
		{
			id: "getAuthorityStatus",
			method: "GET",
			path: "/v1/authority/status",
			tag: TAG,
			summary: "What the authority is like now",
			description:
				"Of the authority's environment that your company issues in: judged from the calls of this service, what the authority declares and the " +
				"breaker, and known within seconds. `authority.status_changed` tells when `status` changes. `/status` shows the same to anybody, without your numbers.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [
				{
					name: "If-None-Match",
					in: "header",
					required: false,
					description: "The ETag that you have; while it is the newest one the answer is 304.",
					schema: Type.String(),
				},
			],
			answers: {
				200: {
					description: "The status.",
					schema: AuthorityStatusRecord,
					example: STATUS_EXAMPLE,
					headers: { ETag: "Of the content.", "Cache-Control": "`private, max-age=1`." },
				},
				304: { description: "You have it." },
			},
			problems: ["tenant-config-missing"],
			handle: (call) => getStatus(deps, call),
		},
	];
}

async function getStatus(deps: AuthorityStatusDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const name = await retryOnFailure(() => findEnvironmentOf(deps.sql, tenantId));
	const environment = AUTHORITY_ENVIRONMENTS.find((one) => one === name);
	if (!environment) throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
	const [seen, load] = await Promise.all([
		retryOnFailure(() => deps.authorityStatus.read(environment)),
		retryOnFailure(() => deps.measureTenantLoad(tenantId)),
	]);
	const record = toStatusRecord(seen, deps.environment, load);
	const etag = `"${createHash("sha256").update(JSON.stringify(record)).digest("base64url").slice(0, 22)}"`;
	const headers = { etag, "cache-control": CACHE };
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return json(200, record, headers);
}
