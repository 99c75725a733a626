/** SQL of what a step of the submission starts from, read in one statement for all documents whose messages are claimed together. */
import { SEGMENT_IN_QR_URL } from "../../../authority/client";
import type { AuthorityEnvironment } from "../../../companies";
import type { Sql, Tx } from "../../../platform/database";
import type { Scenario } from "../check/scenario";
import type { InvoiceRow } from "../model/invoice-row";
import { refersToOwn } from "../model/refers-to-own";
import { columns } from "../model/store";
import type { Road } from "./authority-availability";

/** A sending, begun by an intent; without a result nobody knows what became of it. */
export type Submission = {
	readonly n: number;
	readonly result: string | null;
	readonly intentAt: Date;
	/** By the database's clock, which dated it. Units: seconds, when the dossier was read. */
	readonly ageSeconds: number;
};

/** What a step starts from. */
export type Dossier = {
	readonly invoice: InvoiceRow;
	/** Since it got where it is, by the database's clock. Units: seconds. */
	readonly inPhaseSeconds: number;
	readonly submissions: readonly Submission[];
	/** The bytes that go to the authority; present while the document waits to be sent. */
	readonly signed: SignedBytes | null;
	readonly road: Road;
	/** For a note that waits to be sent: how the tenant's own document stands that it modifies. */
	readonly reference: Reference | null;
	/** What its caller has asked for, in a sandbox. */
	readonly scenario: Scenario | null;
	/** Where the company's documents go, read with the document. */
	readonly authorityEnvironment: AuthorityEnvironment;
};

/** `isReleased`: its number was given back, so another document may come under it. `isFinal`: it failed, and can never be brought back. */
export type Reference = {
	readonly status: InvoiceRow["status"];
	readonly isReleased: boolean;
	readonly isFinal: boolean;
};

export type SignedBytes = { readonly kind: "ecf" | "summary"; readonly bytes: Uint8Array };

type DossierRow = InvoiceRow & {
	readonly inPhaseSeconds: number;
	readonly submissions: { n: number; result: string | null; intentAt: string; ageSeconds: number }[];
	readonly signedKind: SignedBytes["kind"] | null;
	readonly signedBytes: Uint8Array | null;
	readonly isSummary: boolean;
	readonly reference: Reference | null;
	readonly scenario: Scenario | null;
	readonly authorityEnvironment: AuthorityEnvironment;
};

/** The dossiers of these documents, in their order. */
export async function findDossiers(sql: Sql | Tx, docIds: readonly string[]): Promise<(Dossier | undefined)[]> {
	const rows = await sql<DossierRow[]>`
		select ${columns(sql)},
			extract(epoch from now() - i.updated_at)::float8 as "inPhaseSeconds",
			coalesce((
				select json_agg(json_build_object(
					'n', s.n, 'result', s.result, 'intentAt', s.intent_at, 'ageSeconds', extract(epoch from now() - s.intent_at)::float8
				) order by s.n)
				from submissions s where s.doc_id = i.doc_id
			), '[]'::json) as submissions,
			d.kind as "signedKind", d.bytes as "signedBytes",
			exists (select 1 from signed_documents z where z.doc_id = i.doc_id and z.kind = 'summary') as "isSummary",
			case when r.status is not null then
				json_build_object('status', r.status, 'isReleased', r.released, 'isFinal', r.final) end as reference,
			(select x.scenario from sandbox_scenarios x where x.doc_id = i.doc_id) as scenario,
			(select c.authority_environment from companies c where c.tenant_id = i.tenant_id) as "authorityEnvironment"
		from invoices i
		left join lateral (
			select kind, bytes from signed_documents
			where doc_id = i.doc_id and i.phase in ('queued', 'held', 'sending') order by kind desc limit 1
		) d on true
		left join lateral (
			select r.status, r.released, r.final
			from (select i.request::json #>> '{reference,encf}' as encf) modified
			cross join lateral (
				${holderOf(sql, sql`not r.encf_released`)} union all ${holderOf(sql, sql`r.encf_released`)}
			) r
			where i.type in ('33', '34') and i.phase in ('queued', 'held') and ${refersToOwn(sql, sql`i.request::json`)}
			order by r.released limit 1
		) r on true
		where i.doc_id = any(${[...docIds]}::uuid[])`;
	const byId = new Map(rows.map((row) => [row.docId, toDossier(row)]));
	return docIds.map((docId) => byId.get(docId));
}

/**
 * The newest document under a note's `modified` number, in the authority's environment that the note's QR names. Held numbers and released ones have an
 * index each, so each is asked for itself; one that its company's move released was not given back.
 */
function holderOf(sql: Sql | Tx, isMeant: ReturnType<Sql>): ReturnType<Sql> {
	const segment = (row: ReturnType<Sql>) => sql`substring(${row}.print ->> 'qrUrl' from ${SEGMENT_IN_QR_URL}::text)`;
	return sql`(
		select r.status, r.encf_released and not r.encf_elsewhere as released,
			coalesce(r.failure ->> 'retryable' = 'false', false) as final
		from invoices r
		where ${isMeant} and r.tenant_id = i.tenant_id and r.encf = modified.encf and r.doc_id <> i.doc_id
			and ${segment(sql`r`)} is not distinct from ${segment(sql`i`)}
			and r.test_set_id is not distinct from i.test_set_id
		order by r.doc_id desc limit 1)`;
}

function toDossier({
	inPhaseSeconds,
	submissions,
	signedKind,
	signedBytes,
	isSummary,
	reference,
	scenario,
	authorityEnvironment,
	...invoice
}: DossierRow): Dossier {
	return {
		invoice,
		inPhaseSeconds,
		submissions: submissions.map(({ intentAt, ...submission }) => ({ ...submission, intentAt: new Date(intentAt) })),
		signed: signedKind && signedBytes && { kind: signedKind, bytes: signedBytes },
		// A summary goes to a host of its own. Source: the authority's rule for type 32 below RD$250,000.
		road: isSummary ? "fc" : "main",
		reference,
		scenario,
		authorityEnvironment,
	};
}
