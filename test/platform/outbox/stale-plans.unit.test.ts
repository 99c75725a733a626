/** Plans of a server that has not counted for long: after crashes in a row, or since a queue was empty. Messages are found by their ids all the same. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../../src/platform/database";
import type { Message } from "../../../src/platform/outbox";
import { countDead, expediteMessages, reviveMessages } from "../../../src/platform/outbox/backlog-store";
import { claimMessages, extendLeases, lockLeasedMessage } from "../../../src/platform/outbox/store";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { readingFewerThan } from "../../support/rows-read";

let database: TestDatabase;
/** The owner's one connection: its statistics are flushed before anything is measured. */
let tables: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	tables = connect({ url: database.ownerUrl, name: "owner", connectionsMax: 1 });
});
afterAll(async () => {
	await tables.end();
	await database.close();
});

const OVER = 20_000;
const HELD = 50;

/** A connection of its own, and how many entries of an index it reads meanwhile. */
async function countRead(index: string, work: (sql: Sql) => Promise<void>): Promise<number> {
	const read = async () => {
		const [row] = await tables<{ entries: number }[]>`
			select idx_tup_read::int as entries, pg_stat_clear_snapshot() from pg_stat_user_indexes where indexrelname = ${index}`;
		return row?.entries ?? 0;
	};
	await tables`select pg_stat_force_next_flush()`;
	const before = await read();
	const sql = connect({ url: database.url, name: "holder", connectionsMax: 1 });
	await work(sql);
	// Otherwise the server reports reads at any later time.
	await sql`select pg_stat_force_next_flush()`;
	await sql.end();
	return (await read()) - before;
}

test("leases are kept without reading all that anybody has held", async () => {
	await tables`alter table outbox set (autovacuum_enabled = off)`;
	await tables`
		insert into outbox (id, kind, tenant_id, subject, available_at, state, attempt, owner, lease_until)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), now(), 'working', 1, gen_random_uuid(), now() from generate_series(1, ${OVER}::int)`;
	await tables`update outbox set state = 'done', owner = null, lease_until = null, settled_at = now()`;
	const holder = newId();
	const held = await tables<{ id: string; tenantId: string; number: number }[]>`
		update outbox set state = 'working', owner = ${holder}, lease_until = now(), settled_at = null
		where id in (select id from outbox limit ${HELD}) returning id, tenant_id as "tenantId", attempt as number`;
	const read = await countRead("outbox_leases", async (sql) => {
		expect(await extendLeases(sql, holder, held, 60)).toHaveLength(HELD);
	});
	expect(read).toBe(0);
});

test("a claim reads no more of a tenant's queue than it may take", async () => {
	await tables`truncate outbox`;
	await tables`alter table outbox set (autovacuum_enabled = off)`;
	// Counted when nothing was waiting.
	await tables`
		insert into outbox (id, kind, tenant_id, subject, available_at, state, settled_at)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), now(), 'done', now() from generate_series(1, ${OVER}::int)`;
	await tables`vacuum analyze outbox`;
	await tables`
		insert into outbox (id, kind, tenant_id, subject, available_at, created_at)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), now() - interval '1 hour', now() - interval '1 hour' from generate_series(1, ${OVER}::int)`;
	const wanted = { owner: newId(), kinds: ["a"], limit: HELD, leaseSeconds: 60, busy: [], roomOfOthers: HELD };
	const read = await countRead("outbox_by_tenant", async (sql) => {
		const { messages } = await claimMessages(sql, { ...wanted, afterTenant: null });
		expect(messages).toHaveLength(HELD);
	});
	expect(read).toBeLessThan(10 * HELD);
});

test("messages are locked and expedited without reading the queue", async () => {
	await tables`truncate outbox`;
	await tables`
		insert into outbox (id, kind, tenant_id, subject, available_at, state, settled_at)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), now(), 'done', now() from generate_series(1, ${OVER}::int)`;
	await tables`vacuum analyze outbox`;
	const holder = newId();
	await tables`
		insert into outbox (id, kind, tenant_id, subject, available_at, state, attempt, owner, lease_until)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), now() + interval '1 hour', state, 1, case state when 'working' then ${holder}::uuid end, now() + interval '1 hour'
		from generate_series(1, ${OVER}::int), (values ('ready'), ('working')) s(state)`;
	const [held] = await tables<
		Message[]
	>`select id, kind, tenant_id as "tenantId", subject, attempt, owner from outbox where state = 'working' limit 1`;
	const subjects = await tables<{ tenantId: string; subject: string }[]>`
		select tenant_id as "tenantId", subject from outbox where state = 'ready' limit 2`;
	const work = async (sql: Sql) => {
		const isHeld = await sql.begin(async (tx) => {
			await expediteMessages(tx, "a", subjects);
			return lockLeasedMessage(tx, held as Message);
		});
		expect(isHeld).toBe(true);
	};
	const leases = await countRead("outbox_leases", work);
	expect(await countRead("outbox_by_tenant", work)).toBe(0);
	expect(leases).toBe(0);
	expect((await tables`select 1 from outbox where state = 'ready' and available_at <= now()`).length).toBe(2);
});

test("dead messages are counted and revived without full scans", async () => {
	await tables`truncate outbox`;
	// Counted when nothing was dead.
	await tables`
		insert into outbox (id, kind, tenant_id, subject, available_at, state, settled_at)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), now(), 'done', now() from generate_series(1, ${OVER}::int)`;
	await tables`vacuum analyze outbox`;
	await tables`
		insert into outbox (id, kind, tenant_id, subject, available_at, state, settled_at)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), now(), 'dead', now() from generate_series(1, ${HELD}::int)`;
	const dead = await readingFewerThan(2 * HELD, "outbox", database.sql, countDead);
	expect(dead).toEqual([{ kind: "a", figure: HELD }]);
	const [letter] = await tables<{ tenantId: string; subject: string }[]>`
		select tenant_id as "tenantId", subject from outbox where state = 'dead' limit 1`;
	const { tenantId = "", subject = "" } = letter ?? {};
	const read = await countRead("outbox_dead", async (sql) => {
		expect(await reviveMessages(sql, "a", tenantId, [subject])).toEqual([subject]);
	});
	expect(read).toBe(0);
});
