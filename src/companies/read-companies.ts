/** `GET /v1/company` and `GET /v1/company/{id}`. */
import {
	type Call,
	cutPage,
	json,
	matchesEtag,
	NOT_KEPT,
	readPageQuery,
	readQuery,
	versionTag,
} from "../platform/operation";
import { findOwnCompany, principalOf } from "./own-company";
import { readRecords } from "./read-record";
import type { CompanyDeps } from "./register-company";
import { findCompaniesOf, findCompany } from "./store";

export type ReadDeps = Pick<CompanyDeps, "sql" | "clock">;

/** A page of the owner's companies, oldest first. The demo key's companies have no owner: its bearer sees only its own. */
export async function listCompanies({ sql, clock }: ReadDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after } = query;
	const { ownerId, tenantId } = principalOf(call);
	const own = ownerId === null && tenantId && !after ? await findCompany(sql, tenantId) : undefined;
	const rows = ownerId === null ? (own ? [own] : []) : await findCompaniesOf(sql, ownerId, after, limit);
	const { page, place } = cutPage(rows, limit, (company) => company.tenantId);
	return json(200, { items: await readRecords(sql, page, clock.now()), ...place }, NOT_KEPT);
}

/**
 * Gap: what the clock alone changes, such as the days that a certificate has left, is no new version of a company. That a scheduled certificate's day has
 * come, or the end of the one that signs, is one as soon as it is written down.
 */
export async function getCompany({ sql, clock }: ReadDeps, call: Call): Promise<Response> {
	readQuery(call);
	const row = await findOwnCompany(sql, principalOf(call), call.params.id ?? "");
	const headers = { etag: versionTag(row.version), ...NOT_KEPT };
	if (matchesEtag(call.request.headers.get("if-none-match"), headers.etag)) {
		return new Response(null, { status: 304, headers });
	}
	const [record] = await readRecords(sql, [row], clock.now());
	return json(200, record, headers);
}
