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
