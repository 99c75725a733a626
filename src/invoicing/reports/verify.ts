/** The operator's check of the sums against the documents, their rebuild, and the digests. */

import { createHash } from "node:crypto";
import type { Sql, Tx } from "../../platform/database";
import { type Clock, toLocalIsoDate } from "../../platform/values";
import { findFeeds, sumAfresh } from "./folding";
import { type Books, computeDigest, findBooks, findDays, findOpenDays, type ReportDay, saveDigest } from "./store";

export type Drift = { readonly table: string; readonly rows: number };

/**
 * Compares all sums, with what is not folded yet, with the documents, in one snapshot. Reads every decided document. Days whose documents were
 * dropped after their retention are left out.
 */
export async function verifyReports(sql: Sql): Promise<{ documents: number; drift: Drift[] }> {
	return sql.begin("isolation level repeatable read read only", async (tx) => {
		await tx`set local statement_timeout = 0`;
		const rows = await tx<Drift[]>`
			with old as materialized (
				select tenant_id, sums_from(tenant_id) as stop from archive_removals group by tenant_id
			), truth as materialized (
				select d.tenant_id, d.environment, d.issue_date as day, d.type, v.status, coalesce(d.branch, '') as branch,
					coalesce(d.customer_rnc, '') as customer_rnc, s.sign, s.sign * d.subtotal as subtotal, s.sign * d.tax as tax
				from documents d join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id
				cross join lateral (select case d.type when 34 then -1 else 1 end as sign) s
				where d.test_set_id is null and not exists (select from old where old.tenant_id = d.tenant_id and d.issue_date < old.stop)
			), folded as materialized (
				select tenant_id, environment, day, type, status, branch, customer_rnc, 1 as count, subtotal, tax from truth
				union all
				select c.tenant_id, environment, day, type, status, branch, customer_rnc, -1, -subtotal, -tax
				from heads c cross join lateral list_unfolded(c.tenant_id, null) u
				where not exists (select from old where old.tenant_id = c.tenant_id and u.day < old.stop)
			), of_days as (
				select tenant_id, environment, day, type, status, branch, sum(count) as count, sum(subtotal) as subtotal, sum(tax) as tax
				from folded group by 1, 2, 3, 4, 5, 6 having sum(count) <> 0 or sum(subtotal) <> 0 or sum(tax) <> 0
			), of_customers as (
				select tenant_id, environment, date_trunc('month', day::timestamp)::date, customer_rnc, type, status, sum(count) as count,
					sum(subtotal) as subtotal, sum(tax) as tax
				from folded group by 1, 2, 3, 4, 5, 6 having sum(count) <> 0 or sum(subtotal) <> 0 or sum(tax) <> 0
			), kept_of_days as (
				select s.* from day_sums s where not exists (select from old where old.tenant_id = s.tenant_id and s.day < old.stop)
			), kept_of_customers as (
				select tenant_id, environment, month, customer_rnc, type, status, count, subtotal, tax from customer_sums s
				where not exists (select from old where old.tenant_id = s.tenant_id and s.month < old.stop)
			), counted as (
				select tenant_id, environment, day, sum(count) as count from folded group by 1, 2, 3 having sum(count) <> 0
			), kept_counted as (
				select tenant_id, environment, day, documents from day_digests s
				where documents <> 0 and not exists (select from old where old.tenant_id = s.tenant_id and s.day < old.stop)
			)
			select 'truth' as "table", count(*) as rows from truth
			union all select 'day_sums', count(*) from (
				(select * from of_days except all select * from kept_of_days) union all (select * from kept_of_days except all select * from of_days)
			) d
			union all select 'customer_sums', count(*) from (
				(select * from of_customers except all select * from kept_of_customers)
				union all (select * from kept_of_customers except all select * from of_customers)
			) d
			union all select 'day_digests', count(*) from (
				(select * from counted except all select * from kept_counted) union all (select * from kept_counted except all select * from counted)
			) d`;
		const [truth, ...tables] = rows;
		const wrong = { table: "digests", rows: await countWrongDigests(tx) };
		return { documents: truth?.rows ?? 0, drift: [...tables, wrong].filter((one) => one.rows > 0) };
	});
}

/** Compares the digests that reports would show with the documents. */
async function countWrongDigests(tx: Tx): Promise<number> {
	let wrong = 0;
	for (const { from, ...books } of await findBooks(tx)) {
		for (const { day, digest } of await findDays(tx, books, { from, to: "9999-12-31" })) {
			if (digest && !Buffer.from(digest).equals(await computeDigest(tx, books, day))) wrong++;
		}
	}
	return wrong;
}

/** Rebuilds all sums from the documents, tenant by tenant. A tenant's verdicts wait meanwhile; reports read the old sums. */
export async function rebuildReports(sql: Sql): Promise<{ documents: number }> {
	let documents = 0;
	for (const tenantId of await findFeeds(sql)) {
		documents += await sql.begin(async (tx) => {
			await tx`set local statement_timeout = 0`;
			return sumAfresh(tx, tenantId);
		});
	}
	return { documents };
}

/*
 * Digests to check whether a caller's books have the same documents:
 *
 *   day      SHA-256 over a line for each of the day's documents by id: docId, a space, the e-CF's SHA-256 in hexadecimal, LF
 *   period   SHA-256 over a line for each day that has documents, in order: YYYY-MM-DD, a space, the day's digest, LF
 *
 * A digest is stored with what it was computed of, so that it is used only as long as that has not changed. The next reader computes and stores another.
 * Folding removes those of the days that it adds to, and housekeeping computes them for past days. Each environment of the authority has its own digests.
 *
 * Gap: the digested bytes, and that they include failed documents, like the counts.
 */

type DayDigest = { readonly day: string; readonly digest: Uint8Array };

/** Shape: `sha256:` and hexadecimal digits. */
export function digestPeriod(days: readonly DayDigest[]): string {
	const hash = createHash("sha256");
	for (const { day, digest } of days) {
		hash.update(`${day} ${Buffer.from(digest).toString("hex")}\n`);
	}
	return `sha256:${hash.digest("hex")}`;
}

const DAYS_AT_A_TIME = 1_000;

/** Computes the digests of past days, so that no report waits for them. Returns how many. */
export async function digestOpenDays(sql: Sql, clock: Clock): Promise<number> {
	const days = await findOpenDays(sql, toLocalIsoDate(clock.now()), DAYS_AT_A_TIME);
	for (const { day, ...books } of days) {
		const [fresh] = await sql.begin("isolation level repeatable read read only", async (tx) =>
			digestDays(tx, books, await findDays(tx, books, { from: day, to: day })),
		);
		if (fresh) await saveDigest(sql, books, fresh);
	}
	return days.length;
}

export type DigestedDay = ReportDay & { readonly digest: Uint8Array };

/** The days of a period, each with its digest. In one snapshot. */
export async function digestDays(tx: Tx, books: Books, days: readonly ReportDay[]): Promise<DigestedDay[]> {
	const digested: DigestedDay[] = [];
	for (const one of days) digested.push({ ...one, digest: one.digest ?? (await computeDigest(tx, books, one.day)) });
	return digested;
}
