import { listEndpointsOf } from "../events/endpoints";
import type { Sql, Tx } from "../platform/database";
import { findSigningCertificates } from "./certificates/store";
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
	const [record] = row ? await readRecords(sql, [row], now, secrets) : [];
	if (!record) throw new Error(`company ${tenantId} vanished`);
	return record;
}

/** The records of companies that have been read, in their order. */
export async function readRecords(
	sql: Sql | Tx,
	rows: readonly CompanyRow[],
	now: Date,
	secrets?: Secrets,
): Promise<CompanyRecord[]> {
	const tenantIds = rows.map(({ tenantId }) => tenantId);
	const endpoints = Map.groupBy(await listEndpointsOf(sql, tenantIds), ({ tenantId }) => tenantId);
	const certificates = new Map(
		(await findSigningCertificates(sql, tenantIds, now)).map((certificate) => [certificate.tenantId, certificate]),
	);
	return rows.map((row) => {
		const { tenantId } = row;
		return toCompanyRecord(row, endpoints.get(tenantId) ?? [], certificates.get(tenantId), now, secrets);
	});
}
