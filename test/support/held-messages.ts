/** Messages that a test carries out by hand, as a lane would. */
import type { Sql } from "../../src/platform/database";
import type { Message } from "../../src/platform/outbox";
import { newId } from "../../src/platform/values";

/**
 * Takes the waiting messages of a subject, due or not, the oldest first. Beside a service it puts them off and holds them as the service's own
 * lane does; otherwise its own lane takes their shard, until a dispatcher starts or until `letGo`.
 */
export async function holdMessages(sql: Sql, subject: string, kind?: string): Promise<Message[]> {
	const which = sql`subject = ${subject} and state = 'ready' ${kind === undefined ? sql`` : sql`and kind = ${kind}`}`;
	const shards = sql`select shard from outbox where ${which}`;
	const known = await sql`
		select 1 from lanes l join shards s on s.lane = l.lane where s.shard in (${shards}) and (l.node = 'test' or l.lease_until > now())`;
	if (known.length === 0) {
		const lane = newId();
		await sql`insert into lanes (lane, node, thread, is_leaving, lease_until) values (${lane}, 'test', ${lane}, true, now() - interval '1 second')`;
		await sql`update shards set lane = ${lane}, term = term + 1 where shard in (${shards})`;
	}
	const rows = await sql<(Omit<Message, "hold" | "leaseLeftMs"> & Message["hold"])[]>`
		update outbox o set busy_until = now() + interval '1 minute',
			available_at = case when l.node = 'test' then available_at else now() + interval '1 hour' end
		from shards s join lanes l on l.lane = s.lane
		where o.id in (select id from outbox where ${which}) and s.shard = o.shard
		returning o.id, kind, tenant_id as "tenantId", subject, payload, failures, true as "isRepeat",
			extract(epoch from now() - created_at)::float8 as "ageSeconds", l.lane, l.epoch, s.term`;
	return rows
		.toSorted((a, b) => (a.id < b.id ? -1 : 1))
		.map(({ lane, epoch, term, ...row }) => ({ ...row, hold: { lane, epoch, term }, leaseLeftMs: () => 60_000 }));
}

/** The one message of a subject. */
export async function holdMessage(sql: Sql, subject: string, kind?: string): Promise<Message> {
	const [message] = await holdMessages(sql, subject, kind);
	if (!message) throw new Error("expected a message");
	return message;
}

/** As after the end of the lane that held it: its message waits, and its hold is lost. */
export async function letGo(sql: Sql, { id, tenantId }: Pick<Message, "id" | "tenantId">): Promise<void> {
	await sql`update shards set lane = null, term = term + 1 where shard = shard_of(${tenantId})`;
	await sql`update outbox set busy_until = null where tenant_id = ${tenantId} and id = ${id}`;
}
