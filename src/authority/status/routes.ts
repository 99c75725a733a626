/** The operation that shows a tenant the state of the authority and the load of its own documents. */
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
	 * The load of the caller's own documents.
	 * Gap: the specification shows queue and latency without an owner. They are the caller's, since the totals would reveal other tenants' load.
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
			summary: "Get the current state of the authority",
			description:
				"The state of the authority's environment in which your company issues. It is judged from this service's calls, the " +
				"authority's declarations and the breaker, and is up to date within seconds. The event `authority.status_changed` reports " +
				"changes of `status`. `/status` shows the same publicly, without your numbers.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [
				{
					name: "If-None-Match",
					in: "header",
					required: false,
					description: "The ETag of the answer that you have. The answer is 304 while it is current.",
					schema: Type.String(),
				},
			],
			answers: {
				200: {
					description: "The state.",
					schema: AuthorityStatusRecord,
					example: STATUS_EXAMPLE,
					headers: { ETag: "Hash of the content.", "Cache-Control": "`private, max-age=1`." },
				},
				304: { description: "Your copy is current." },
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
