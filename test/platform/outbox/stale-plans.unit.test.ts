/** Plans of a server that has not counted for long: after crashes in a row, or since a queue was empty. Messages are found by their ids all the same. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../../src/platform/database";
import { retry } from "../../../src/platform/outbox";
import { countDead, expediteMessages, reviveMessages } from "../../../src/platform/outbox/backlog-store";
import {
	lockLeasedMessage,
	markBusy,
	readLately,
	readOfEach,
	readOfTenant,
	settleMessages,
} from "../../../src/platform/outbox/store";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { holdMessage } from "../../support/held-messages";
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

/** The queue was counted when nothing waited; since then one tenant has got many messages, of which the first `HELD` have become due lately. */
async function fill(): Promise<{ tenantId: string; shard: number }> {
	const tenantId = newId();
	await tables`truncate outbox`;
	await tables`alter table outbox set (autovacuum_enabled = off)`;
	await tables`
		insert into outbox (id, kind, tenant_id, subject, state, settled_at)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), 'dead', now() from generate_series(1, ${OVER}::int)`;
	await tables`vacuum analyze outbox`;
	await tables`
		insert into outbox (id, kind, tenant_id, subject, available_at)
		select gen_random_uuid(), 'a', ${tenantId}, gen_random_uuid(),
			case when n <= ${HELD} then now() else now() - interval '1 hour' end
		from generate_series(1, ${OVER}::int) n`;
	const [row] = await tables<{ shard: number }[]>`select shard_of(${tenantId}) as shard`;
	return { tenantId, shard: row?.shard ?? 0 };
}

test("what has become due is read without the rest of the queue", async () => {
	const { tenantId, shard } = await fill();
	const of = { shards: [shard], kinds: ["a"] };
	const lately = async (sql: Sql) => {
		expect(await readLately(sql, { ...of, seconds: 60, limit: 1_000 })).toHaveLength(HELD);
	};
	const ofEach = async (sql: Sql) => {
		expect(await readOfEach(sql, { ...of, ofEach: HELD })).toHaveLength(HELD);
	};
	const ofTenant = async (sql: Sql) => {
		expect(await readOfTenant(sql, { tenantId, kinds: ["a"], limit: HELD })).toHaveLength(HELD);
	};
	for (const work of [lately, ofEach, ofTenant])
		for (const index of ["outbox_due", "outbox_by_tenant"])
			expect(await countRead(index, work)).toBeLessThan(10 * HELD);
});

test("messages are locked, settled and expedited without reading the queue", async () => {
	const { tenantId } = await fill();
	const [subject = { subject: "" }] = await tables<{ subject: string }[]>`
		update outbox set available_at = now() + interval '1 hour'
		where id = (select id from outbox where state = 'ready' limit 1) returning subject`;
	const message = await holdMessage(database.sql, subject.subject);
	const work = async (sql: Sql) => {
		const isHeld = await sql.begin(async (tx) => {
			await expediteMessages(tx, "a", [{ tenantId, ...subject }]);
			return lockLeasedMessage(tx, message);
		});
		expect(isHeld).toBe(true);
		expect(await settleMessages(sql, [{ message, outcome: retry(3_600, "again") }])).toEqual([true]);
		await markBusy(sql, [message], 15);
	};
	for (const index of ["outbox_due", "outbox_by_tenant"]) expect(await countRead(index, work)).toBe(0);
});

test("dead messages are counted and revived without full scans", async () => {
	await tables`truncate outbox`;
	// Counted when nothing was dead.
	await tables`
		insert into outbox (id, kind, tenant_id, subject)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid() from generate_series(1, ${OVER}::int)`;
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
