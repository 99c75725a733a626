/** SQL of what is shown of a document `i` besides its own columns. Each part is asked for of the few documents alone that have it. */
import type { Sql, Tx } from "../../../platform/database";
import { AWAITING_CERTIFICATE } from "./history";
import { SUBMIT_KIND } from "./message-kinds";

/** The document's way to a buyer that receives electronically, for what is shown; most receive nothing so, and nothing is to be told of them. */
const delivery = (sql: Sql | Tx) => sql`(
	select json_build_object('state', d.state, 'at', d.updated_at, 'motive', d.motive, 'version', d.version)
	from buyer_deliveries d where d.doc_id = i.doc_id and d.state <> 'not-listed'
) as delivery`;

/** Whether the document waits for its company's certificate, for what is shown. Its history is read of one alone that has a next attempt before it, as few have. */
const awaitsCertificate = (sql: Sql | Tx) => sql`coalesce(
	case when i.status = 'pending' and i.next_attempt_at is not null and i.internal_failure_since is null then (
		select h.detail = ${AWAITING_CERTIFICATE} from invoice_history h where h.doc_id = i.doc_id order by h.version desc limit 1
	) end, false
) as "awaitsCertificate"`;

/**
 * When the document is really tried next, for what is shown of one whose stored time has passed: during an outage its message alone is put off. So is that
 * of one which found on its way that the authority has nothing of it, and has no time of its own.
 */
const putOffTo = (sql: Sql | Tx) => {
	const isOutOfDate = sql`(i.next_attempt_at < now()
		or i.next_attempt_at is null and i.contingency_since is not null and i.phase <> 'held')`;
	return sql`
	coalesce(i.status = 'pending' and ${isOutOfDate}, false) as "isPutOff",
	case when i.status = 'pending' and ${isOutOfDate} then (
		select max(o.available_at) from outbox o
		where o.subject = i.doc_id and o.kind = ${SUBMIT_KIND} and o.state = 'ready' and o.available_at > now()
	) end as "putOffTo"`;
};

/** Whether the number that was given back with a rejection is another document's now, or voided. Documents are stored by the same rule. */
const isNumberTaken = (sql: Sql | Tx) => sql`
	case when i.status = 'rejected' and i.encf_released then exists (
		select from invoices o where o.tenant_id = i.tenant_id and o.encf = i.encf and not o.encf_released
	) or exists (
		select from sequence_voids v
		where v.tenant_id = i.tenant_id and v.type = i.type and v.numbers @> substr(i.encf, 4)::bigint
			and v.elsewhere is null and v.status not in ('rejected', 'failed')
	) else false end as "isNumberTaken"`;

/** SQL of all of it. */
export const shownBesides = (sql: Sql | Tx) =>
	sql`${delivery(sql)}, ${awaitsCertificate(sql)}, ${putOffTo(sql)}, ${isNumberTaken(sql)}`;
