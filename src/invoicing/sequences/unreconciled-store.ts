/** SQL of companies that get no numbers until theirs have been compared with the archive and the authority, and of what the comparison changes. */
import type { Sql, Tx } from "../../platform/database";
import { awaitsRestoration } from "../../platform/fleet";
import { PACE_DAYS } from "./forecast";
import { toEncf } from "./number-ranges";
import type { TypeKey } from "./store";

/** SQL that is true while the numbers of a company may be those of documents that a lost server had. */
export function isReconciling(sql: Sql | Tx, tenantId: string): ReturnType<Sql> {
	return sql`(
		${awaitsRestoration(sql)} or exists (select from sequences_unreconciled u where u.tenant_id = ${tenantId})
	)`;
}

/** Keeps companies from numbers. `since`: nothing of them was lost before. */
export async function noteUnreconciled(sql: Sql | Tx, tenantIds: readonly string[], since: Date): Promise<void> {
	await sql`
		insert into sequences_unreconciled as u (tenant_id, since)
		select distinct tenant_id, ${since}::timestamptz from unnest(${[...tenantIds]}::uuid[]) as t (tenant_id)
		on conflict (tenant_id) do update set since = least(u.since, excluded.since)`;
}

/** The same for all companies. */
export async function noteAllUnreconciled(tx: Tx, since: Date): Promise<void> {
	await tx`
		insert into sequences_unreconciled as u (tenant_id, since) select c.tenant_id, ${since}::timestamptz from companies c
		on conflict (tenant_id) do update set since = least(u.since, excluded.since)`;
}

export async function listUnreconciled(sql: Sql): Promise<{ readonly tenantId: string; readonly since: Date }[]> {
	return sql<{ tenantId: string; since: Date }[]>`
		select tenant_id as "tenantId", since from sequences_unreconciled order by tenant_id`;
}

export async function removeUnreconciled(sql: Sql | Tx, tenantId: string): Promise<void> {
	await sql`delete from sequences_unreconciled where tenant_id = ${tenantId}`;
}

/** Types of a company. `isInUse`: numbers of it were given in the last two weeks. */
export async function findTypes(
	sql: Sql,
	tenantId: string,
	today: string,
): Promise<{ readonly type: string; readonly isInUse: boolean }[]> {
	return sql<{ type: string; isInUse: boolean }[]>`
		select t.type, exists (
			select from sequence_usage u
			where u.tenant_id = t.tenant_id and u.type = t.type and u.given > 0 and u.day > ${today}::date - ${PACE_DAYS}::int
		) as "isInUse"
		from sequence_types t where t.tenant_id = ${tenantId} order by t.type`;
}

/** Takes the names of documents that the authority has and the database lacks, so that no other document gets them. */
export async function insertNames(
	tx: Tx,
	{ tenantId, type }: TypeKey,
	named: readonly { readonly number: number; readonly docId: string }[],
): Promise<void> {
	await tx`
		insert into names (tenant_id, kind, name, doc_id)
		select c.tenant_id, left(c.authority_environment, 1)::"char", g.name, g.doc_id
		from companies c cross join unnest(${named.map(({ number }) => toEncf(type, number))}::text[],
			${named.map(({ docId }) => docId)}::uuid[]) as g (name, doc_id)
		where c.tenant_id = ${tenantId}
		on conflict do nothing`;
}
