import type { Sql, Tx } from "../database";
import { listEndpoints } from "../endpoints";
import type { Principal } from "../operation";
import { Problem } from "../problem";
import { isId } from "../values";
import { findSigningCertificate } from "./certificates/store";
import type { CompanyRow } from "./company";
import { type CompanyRecord, toCompanyRecord } from "./record";
import type { Secrets } from "./register-company";
import { findCompany } from "./store";

/** The Company record as it stands; with `secrets`, the one answer that shows them. */
export async function readRecord(
	sql: Sql | Tx,
	tenantId: string,
	now: Date,
	secrets?: Secrets,
): Promise<CompanyRecord> {
	const row = await findCompany(sql, tenantId);
	if (!row) throw new Error(`company ${tenantId} vanished`);
	const endpoints = await listEndpoints(sql, tenantId);
	const certificate = await findSigningCertificate(sql, tenantId, now);
	return toCompanyRecord(row, endpoints, certificate, now, secrets);
}

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
