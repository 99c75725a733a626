/** The operator's check of the sums against the documents, their rebuild, and the digests. */

import { createHash } from "node:crypto";
import type { Sql } from "../../platform/database";
import { type Clock, toLocalIsoDate } from "../../platform/values";
import { computeDigest, findOpenDays, saveDigest } from "./store";

export type Drift = { readonly table: string; readonly rows: number };

/** Compares all rows and sums with the documents, in one snapshot. Reads every decided document. */
export async function verifyReports(sql: Sql): Promise<{ documents: number; drift: Drift[] }> {
	return sql.begin("isolation level repeatable read read only", async (tx) => {
		await tx`set local statement_timeout = 0`;
		const rows = await tx<Drift[]>`
			with truth as materialized (select * from list_reported(null)),
			sums as (
				select tenant_id, day, type, status, branch, count(*) as count, sum(subtotal) as subtotal, sum(tax) as tax, authority_environment
				from truth group by 1, 2, 3, 4, 5, 9
			), customer_sums as (
				select tenant_id, day, customer_rnc, type, status, branch, count(*) as count, sum(subtotal) as subtotal, sum(tax) as tax,
					authority_environment
				from truth group by 1, 2, 3, 4, 5, 6, 10
			), customer_months as (
				select tenant_id, date_trunc('month', day::timestamp)::date, s.status, customer_rnc, count(*) as count, sum(subtotal) as subtotal,
					sum(tax) as tax, authority_environment
				from truth t, lateral (values (t.status), ('')) s (status) group by 1, 2, 3, 4, 8
			)
			select 'truth' as "table", count(*) as rows from truth
			union all select 'report_documents', count(*) from (
				(select * from truth except all select * from report_documents)
				union all (select * from report_documents except all select * from truth)
			) d
			union all select 'report_sums', count(*) from (
				(select * from sums except all select * from report_sums)
				union all (select * from report_sums where count <> 0 except all select * from sums)
			) d
			union all select 'report_customer_sums', count(*) from (
				(select * from customer_sums except all select * from report_customer_sums)
				union all (select * from report_customer_sums where count <> 0 except all select * from customer_sums)
			) d
			union all select 'report_customer_months', count(*) from (
				(select * from customer_months except all select * from report_customer_months)
				union all (select * from report_customer_months where count <> 0 except all select * from customer_months)
			) d
			union all select 'report_days', count(*) from report_days
				where digest is not null and digest <> digest_report_day(tenant_id, authority_environment, day)`;
		const [truth, ...tables] = rows;
		return { documents: truth?.rows ?? 0, drift: tables.filter((one) => one.rows > 0) };
	});
}

/** Rebuilds everything from the documents. Verdicts wait meanwhile; reports read the old sums. */
export async function rebuildReports(sql: Sql): Promise<{ documents: number }> {
	return sql.begin(async (tx) => {
		await tx`set local statement_timeout = 0`;
		await tx`lock table invoices in share row exclusive mode`;
		// The sums first, because deleting documents subtracts from them.
		await tx`delete from report_sums`;
		await tx`delete from report_customer_sums`;
		await tx`delete from report_customer_months`;
		await tx`delete from report_documents`;
		const made = await tx`insert into report_documents select * from list_reported(null)`;
		return { documents: made.count };
	});
}

/*
 * Digests to check whether a caller's books have the same documents:
 *
 *   day      SHA-256 over a line for each of the day's documents by id: docId, a space, the e-CF's SHA-256 in hexadecimal, LF
 *   period   SHA-256 over a line for each day that has documents, in order: YYYY-MM-DD, a space, the day's digest, LF
 *
 * A change of a day removes its digest in the same transaction. The next reader computes it and stores it, unless the day has changed again. Housekeeping
 * does so for past days. Each environment of the authority has its own digests.
 *
 * Gap: the digested bytes, and that they include failed documents, like the counts.
 */

type DayDigest = { readonly day: string; readonly digest: Uint8Array };

/** The digest of a day without documents, for example because all were retried. */
const OF_NOTHING = createHash("sha256").digest();

/** Shape: `sha256:` and hexadecimal digits. */
export function digestPeriod(days: readonly DayDigest[]): string {
	const hash = createHash("sha256");
	for (const { day, digest } of days) {
		if (OF_NOTHING.equals(digest)) continue;
		hash.update(`${day} ${Buffer.from(digest).toString("hex")}\n`);
	}
	return `sha256:${hash.digest("hex")}`;
}

const DAYS_AT_A_TIME = 1_000;

/** Computes the digests of past days, so that no report waits for them. Returns how many. */
export async function digestOpenDays(sql: Sql, clock: Clock): Promise<number> {
	const days = await findOpenDays(sql, toLocalIsoDate(clock.now()), DAYS_AT_A_TIME);
	for (const { day, changes, ...books } of days) {
		await saveDigest(sql, books, { day, changes, digest: await computeDigest(sql, books, day) });
	}
	return days.length;
}
