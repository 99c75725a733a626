/**
 * SQL for a company's move between the authority's environments: which numbers count.
 *
 * The authority assigns numbers separately for each environment. So what a company has registered, used and voided in one environment is set
 * aside when it leaves, and restored when it returns:
 *
 *     sequences    moved to `sequences_elsewhere` and back; leases end, and requests that are signing take another number
 *     documents    nothing is written: their numbers are names of the environment's own kind, see `number_kinds`
 *     voids        `elsewhere`
 *
 * Production documents keep their numbers in every environment: a number with fiscal effect is never reused.
 */
import type { Tx } from "../platform/database";
import type { CompanyRow } from "./company";

type AuthorityEnvironment = CompanyRow["authorityEnvironment"];

export type Move = { readonly from: AuthorityEnvironment; readonly to: AuthorityEnvironment };

/** Call it under the company's lock, while nothing is being stored or sent. */
export async function moveNumbers(tx: Tx, tenantId: string, move: Move): Promise<void> {
	await tx`select from sequence_types where tenant_id = ${tenantId} order by type for update`;
	await setSequencesAside(tx, tenantId, move);
	await tx`update sequence_voids set elsewhere = ${move.from} where tenant_id = ${tenantId} and elsewhere is null`;
	await tx`update sequence_voids set elsewhere = null where tenant_id = ${tenantId} and elsewhere = ${move.to}`;
	await restoreSequences(tx, tenantId, move);
}

async function setSequencesAside(tx: Tx, tenantId: string, { from }: Move): Promise<void> {
	await tx`
		with ended as (
			delete from sequence_holds where tenant_id = ${tenantId} returning sequence_id, numbers - used_numbers(tenant_id, type, numbers, ${from}) as unused
		), back as (
			select sequence_id, range_agg(unused) as unused from ended where not isempty(unused) group by sequence_id
		)
		update sequences s set free = s.free + back.unused from back
		where s.tenant_id = ${tenantId} and s.id = back.sequence_id`;
	await tx`
		update sequence_leases set returned_at = now()
		where tenant_id = ${tenantId} and returned_at is null and expires_at > now()`;
	await tx`
		with gone as (delete from sequences where tenant_id = ${tenantId} returning *)
		insert into sequences_elsewhere (tenant_id, id, type, numbers, free, expires_on, created_at, authority_environment)
		select tenant_id, id, type, numbers, free, expires_on, created_at, ${from} from gone`;
}

async function restoreSequences(tx: Tx, tenantId: string, { to }: Move): Promise<void> {
	await tx`
		with back as (delete from sequences_elsewhere where tenant_id = ${tenantId} and authority_environment = ${to} returning *)
		insert into sequences (id, tenant_id, type, numbers, free, expires_on, created_at)
		select id, tenant_id, type, numbers, free - used_numbers(tenant_id, type, free, ${to}), expires_on, created_at from back`;
	await tx`
		update sequence_types t set low_told = null, capacity = coalesce((
			select sum(upper(r) - lower(r)) from sequences s, unnest(s.free) r where s.tenant_id = t.tenant_id and s.type = t.type
		), 0)
		where t.tenant_id = ${tenantId}`;
	// Usage in another environment predicts nothing.
	await tx`delete from sequence_usage where tenant_id = ${tenantId}`;
}
