/** Which company a caller may see, and which it may change. */
import { lockCompany } from "../events/endpoints";
import { DEMO_TENANT_ID } from "../identity/auth";
import type { Sql, Tx } from "../platform/database";
import type { Call, Principal } from "../platform/operation";
import { Problem } from "../platform/problem";
import { isId } from "../platform/values";
import type { CompanyRow } from "./company";
import { findCompany } from "./store";

/**
 * A company that the caller may see: its own token's, or one of the same owner. Throws: not-found, the same for a foreign id,
 * an absent one and one that is no id at all.
 */
export async function findOwnCompany(sql: Sql, principal: Principal, id: string): Promise<CompanyRow> {
	const row = isId(id) ? await findCompany(sql, id) : undefined;
	const isOwn =
		row !== undefined &&
		(row.tenantId === principal.tenantId || (row.ownerId !== null && row.ownerId === principal.ownerId));
	if (!row || !isOwn) throw new Problem("not-found");
	return row;
}

/** The same, to be changed. Throws: not-found; forbidden for a closed company, and for the one that everybody shares. */
export async function findChangeable(sql: Sql, principal: Principal, id: string): Promise<CompanyRow> {
	const row = await findOwnCompany(sql, principal, id);
	refuseClosed(row);
	if (row.tenantId === DEMO_TENANT_ID && row.environment === "public-sandbox") {
		throw new Problem("forbidden", { detail: "The demo company belongs to everybody; register one of your own." });
	}
	return row;
}

/**
 * Takes a company that was found to be changeable, for this transaction: while a body was on its way it may have been closed, or be gone.
 * Throws: not-found, forbidden.
 */
export async function lockChangeable(tx: Tx, tenantId: string): Promise<CompanyRow> {
	await lockCompany(tx, tenantId);
	const row = await findCompany(tx, tenantId);
	if (!row) throw new Problem("not-found");
	refuseClosed(row);
	return row;
}

/** Throws: forbidden. */
function refuseClosed({ status }: Pick<CompanyRow, "status">): void {
	if (status === "closed") throw new Problem("forbidden", { detail: "The company is closed; it can only be read." });
}

/** The caller of an operation that needs a credential. */
export function principalOf(call: Call): Principal {
	if (!call.principal) throw new Error(`operation ${call.operation.id} has no principal`);
	return call.principal;
}

/* HEAD certification.ts: Whether a company may go to the authority's production environment. */

/** Whether a company has passed the authority's test set; asked of whoever keeps test sets. */
export type HasPassedTestSet = (tenantId: string) => Promise<boolean>;

export function certificationMissing(): Problem {
	const detail = "The authority's production environment needs a passed certification test set of all types.";
	return new Problem("tenant-config-missing", {
		detail,
		extensions: { missing: ["certification"], fix: "/v1/check-set-tests" },
	});
}

/** The problem of a company that cannot issue yet, or not now. `missing` names what it lacks; `active` that it is suspended. */
export function configMissing(tenantId: string, missing: readonly string[]): Problem {
	const lacks = missing.filter((name) => name !== "active");
	const sentences = [
		...(lacks.length > 0 ? [`The company lacks: ${lacks.join(", ")}.`] : []),
		...(missing.includes("active") ? ["The company is not active: it issues nothing until it is resumed."] : []),
	];
	const extensions = { missing, fix: `/v1/company/${tenantId}` };
	return new Problem("tenant-config-missing", { detail: sentences.join(" "), extensions });
}

/** What was made for one of the authority's environments is not stored for another; the same request is made for that one when it comes again. */
export function companyMoved(): Problem {
	return new Problem("service-unavailable", {
		detail:
			"The company has moved to another environment of the authority meanwhile, or is being moved; nothing was stored.",
		headers: { "retry-after": "1" },
	});
}
