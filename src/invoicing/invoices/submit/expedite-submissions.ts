/** What is done to documents that wait when the authority is back. */
import type { AuthorityEnvironment } from "../../../authority/client";
import type { Tx } from "../../../platform/database";
import { SUBMIT_KIND } from "../model/message-kinds";

/** Of each tenant, and in all: what is left comes when it would have come. */
const OF_TENANT_MAX = 100;
const IN_ALL_MAX = 1_000;
/** They come one after another. */
const SPREAD_SECONDS = 3;

/** Brings forward documents of companies that issue in this environment: their pauses were made for an authority that does not answer. */
export async function hastenSubmissions(tx: Tx, environment: AuthorityEnvironment): Promise<void> {
	await tx`
		with waiting as materialized (
			select first.id, 'ready'::text as ready_state from companies c cross join lateral (
				select o.id from outbox o
				where o.tenant_id = c.tenant_id and o.state = 'ready' and o.kind = ${SUBMIT_KIND} and o.available_at > now()
				order by o.available_at limit ${OF_TENANT_MAX}
			) first
			where c.authority_environment = ${environment} limit ${IN_ALL_MAX}
		), free as materialized (
			select o.id from waiting w cross join lateral (
				select q.id from outbox q where q.id = w.id and q.state = w.ready_state for update skip locked
			) o
		)
		update outbox o set available_at = least(o.available_at, now() + random() * make_interval(secs => ${SPREAD_SECONDS}))
		from free where o.id = free.id`;
}
