/** `GET /v1/company` and `GET /v1/company/{id}`. */
import { type Call, json, matchesEtag, readQuery, versionTag } from "../operation";
import { Problem } from "../problem";
import { isId } from "../values";
import { findOwnCompany, principalOf } from "./own-company";
import { readRecords } from "./read-record";
import type { CompanyDeps } from "./register-company";
import { findCompaniesOf, findCompany } from "./store";

export type ReadDeps = Pick<CompanyDeps, "sql" | "clock">;

const PRIVATE = { "cache-control": "private, no-store" };

/** A page of the owner's companies, oldest first. The demo key's companies have no owner: its bearer sees only its own. */
export async function listCompanies({ sql, clock }: ReadDeps, call: Call): Promise<Response> {
	const { limit = "25", after } = readQuery(call);
	if (after !== undefined && !isId(after)) {
		throw new Problem("validation-error", {
			faults: [{ pointer: "#/query/after", code: "invalid-cursor", detail: "Is not a cursor." }],
		});
	}
	const { ownerId, tenantId } = principalOf(call);
	const own = ownerId === null && tenantId && !after ? await findCompany(sql, tenantId) : undefined;
	const rows = ownerId === null ? (own ? [own] : []) : await findCompaniesOf(sql, ownerId, after, Number(limit));
	const page = rows.slice(0, Number(limit));
	const items = await readRecords(sql, page, clock.now());
	const partial = rows.length > page.length;
	const next = partial ? (page[page.length - 1]?.tenantId ?? null) : null;
	return json(200, { items, count: items.length, partial, next }, PRIVATE);
}

/** Gap: what the clock alone changes, such as the days that a certificate has left, is no new version of a company. */
export async function getCompany({ sql, clock }: ReadDeps, call: Call): Promise<Response> {
	readQuery(call);
	const row = await findOwnCompany(sql, principalOf(call), call.params.id ?? "");
	const headers = { etag: versionTag(row.version), ...PRIVATE };
	if (matchesEtag(call.request.headers.get("if-none-match"), headers.etag)) {
		return new Response(null, { status: 304, headers });
	}
	const [record] = await readRecords(sql, [row], clock.now());
	return json(200, record, headers);
}
