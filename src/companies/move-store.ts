/**
 * SQL for a company's move between the authority's environments: which numbers count.
 *
 * The authority assigns numbers separately for each environment. So what a company has registered, used and voided in one environment is set
 * aside when it leaves, and restored when it returns:
 *
 *     sequences    moved to `sequences_elsewhere` and back; leases end, and requests that are signing take another number
 *     documents    release their numbers (`encf_elsewhere`); reading and retrying are not affected
 *     voids        `elsewhere`
 *
 * Production documents keep their numbers in every environment: a number with fiscal effect is never reused.
 */
import type { Tx } from "../platform/database";
import type { CompanyRow } from "./company";

type AuthorityEnvironment = CompanyRow["authorityEnvironment"];
/** As they appear in the authority's addresses. */
const SEGMENTS: Readonly<Record<AuthorityEnvironment, string>> = {
	test: "testecf",
	certification: "certecf",
	production: "ecf",
};

const BATCH = 20_000;
const NO_ID = "00000000-0000-0000-0000-000000000000";
type Cursor = { readonly encf: string; readonly docId: string };

export type Move = { readonly from: AuthorityEnvironment; readonly to: AuthorityEnvironment };

/** Call it under the company's lock, while nothing is being stored or sent. */
export async function moveNumbers(tx: Tx, tenantId: string, move: Move): Promise<void> {
	await tx`select from sequence_types where tenant_id = ${tenantId} order by type for update`;
	await setSequencesAside(tx, tenantId, move);
	await tx`update sequence_voids set elsewhere = ${move.from} where tenant_id = ${tenantId} and elsewhere is null`;
	await tx`update sequence_voids set elsewhere = null where tenant_id = ${tenantId} and elsewhere = ${move.to}`;
	await releaseNumbers(tx, tenantId);
	await holdNumbersAgain(tx, tenantId, move);
	await moveSetNumbers(tx, tenantId, move);
	await restoreSequences(tx, tenantId, move);
}

async function setSequencesAside(tx: Tx, tenantId: string, { from }: Move): Promise<void> {
	await tx`
		with ended as (
			delete from sequence_holds where tenant_id = ${tenantId} returning sequence_id, numbers - used_numbers(tenant_id, type, numbers) as unused
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

/** Documents of test sets follow their own rule. Batches along the index keep each statement short, however many documents there are. */
async function releaseNumbers(tx: Tx, tenantId: string): Promise<void> {
	for (let after: string | undefined = ""; after !== undefined; ) {
		const [last]: { encf: string }[] = await tx<{ encf: string }[]>`
			with batch as materialized (
				select doc_id, encf from invoices
				where tenant_id = ${tenantId} and not encf_released and encf > ${after} order by encf limit ${BATCH}
			), released as (
				update invoices i set encf_released = true, encf_elsewhere = true from batch
				where i.tenant_id = ${tenantId} and i.doc_id = batch.doc_id and i.test_set_id is null and not ${isOf(tx, "production")}
			)
			select encf from batch order by encf desc limit 1`;
		after = last?.encf;
	}
}

/** A production document keeps its number. Of two documents with one number the older holds it. */
async function holdNumbersAgain(tx: Tx, tenantId: string, { to }: Move): Promise<void> {
	for (let after: Cursor | undefined = { encf: "", docId: NO_ID }; after; ) {
		const [last]: Cursor[] = await tx<Cursor[]>`
			with batch as materialized (
				select i.doc_id, i.encf, ${isOf(tx, to)} as is_here from invoices i
				where i.tenant_id = ${tenantId} and i.encf_elsewhere and (i.encf, i.doc_id) > (${after.encf}, ${after.docId}::uuid)
				order by i.encf, i.doc_id limit ${BATCH}
			), oldest as (
				select distinct on (encf) doc_id from batch where is_here order by encf, doc_id
			), held as (
				update invoices i set encf_released = false, encf_elsewhere = false from oldest
				where i.tenant_id = ${tenantId} and i.doc_id = oldest.doc_id and not exists (
					select 1 from invoices o where o.tenant_id = i.tenant_id and o.encf = i.encf and not o.encf_released
				)
			)
			select encf, doc_id as "docId" from batch order by encf desc, doc_id desc limit 1`;
		after = last;
	}
}

/**
 * Documents of certification test sets hold their numbers only while the company issues in the certification environment, where the numbers
 * were used. Elsewhere these numbers belong to the company. A number that another document holds stays with it.
 */
async function moveSetNumbers(tx: Tx, tenantId: string, { to }: Move): Promise<void> {
	const ofSets = tx`
		i.test_set_id is not null
		and i.doc_id in (select c.doc_id from test_set_cases c where c.tenant_id = ${tenantId})`;
	if (to !== "certification") {
		await tx`update invoices i set encf_released = true where i.tenant_id = ${tenantId} and ${ofSets} and not i.encf_released`;
		return;
	}
	await tx`
		update invoices i set encf_released = false
		where i.tenant_id = ${tenantId} and ${ofSets} and i.encf_released and i.status <> 'failed' and not exists (
			select 1 from invoices o where o.tenant_id = i.tenant_id and o.encf = i.encf and not o.encf_released
		)`;
}

async function restoreSequences(tx: Tx, tenantId: string, { to }: Move): Promise<void> {
	await tx`
		with back as (delete from sequences_elsewhere where tenant_id = ${tenantId} and authority_environment = ${to} returning *)
		insert into sequences (id, tenant_id, type, numbers, free, expires_on, created_at)
		select id, tenant_id, type, numbers, free - used_numbers(tenant_id, type, free), expires_on, created_at from back`;
	await tx`
		update sequence_types t set low_told = null, capacity = coalesce((
			select sum(upper(r) - lower(r)) from sequences s, unnest(s.free) r where s.tenant_id = t.tenant_id and s.type = t.type
		), 0)
		where t.tenant_id = ${tenantId}`;
	// Usage in another environment predicts nothing.
	await tx`delete from sequence_usage where tenant_id = ${tenantId}`;
}

/** SQL that is true when document `i` belongs to an environment, according to the printed address of its QR code. */
function isOf(tx: Tx, environment: AuthorityEnvironment): ReturnType<Tx> {
	return tx`i.print ->> 'qrUrl' like ${`%/${SEGMENTS[environment]}/ConsultaTimbre%`}`;
}
