import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { type Chores, listChores, runChores } from "../../../src/app/maintenance/housekeeping";
import type { Access } from "../../../src/identity/auth";
import { createLog } from "../../../src/platform/telemetry";
import { type Clock, firstIdAt, newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const ACCESS = {
	sweep: async () => 0,
	rotateSigningKeyWhenDue: async () => undefined,
} satisfies Pick<Access, "sweep" | "rotateSigningKeyWhenDue">;

function watchLog() {
	const log = createLog("silent", "test");
	return { log, info: spyOn(log, "info"), warn: spyOn(log, "warn") };
}

test("a failing chore is logged by name and does not stop the others", async () => {
	const { log, info, warn } = watchLog();
	const err = new Error("the table is gone");
	const chores: Chores = { first: async () => 1, broken: () => Promise.reject(err), last: async () => 3 };
	await runChores({ sql: database.sql, clock: systemClock, log }, chores);
	expect(info.mock.calls).toEqual([[{ event: "housekeeping.done", first: 1, last: 3 }, "housekeeping done"]]);
	expect(warn.mock.calls.map(([found]) => found as unknown)).toEqual([
		{ event: "housekeeping.chore_failed", err, chore: "broken" },
	]);
});

test("every chore runs on an empty database", async () => {
	const { log, info, warn } = watchLog();
	const chores = listChores({ sql: database.sql, access: ACCESS, clock: systemClock });
	await runChores({ sql: database.sql, clock: systemClock, log }, chores);
	expect(warn).not.toHaveBeenCalled();
	expect(Object.keys(info.mock.calls[0]?.[0] ?? {})).toEqual(["event", ...Object.keys(chores)]);
});

test("old dead messages are deleted, and waiting ones stay", async () => {
	const { sql } = database;
	const daysOld = (days: number) => newId(new Date(Date.now() - days * 86_400_000));
	const add = (id: string, state: string) => sql`
		insert into outbox (id, kind, tenant_id, subject, state, settled_at)
		values (${id}, 'test', gen_random_uuid(), gen_random_uuid(), ${state}, case when ${state} = 'dead' then now() end)`;
	const [gone, young, waiting] = [daysOld(121), daysOld(119), daysOld(121)];
	await add(gone, "dead");
	await add(young, "dead");
	await add(waiting, "ready");
	const { messages } = listChores({ sql, access: ACCESS, clock: systemClock });
	await messages?.();
	const left = await sql<{ id: string }[]>`select id from outbox where id in ${sql([gone, young, waiting])}`;
	expect(left.map(({ id }) => id).sort()).toEqual([young, waiting].sort());
});

test("all expired rows are deleted in several batches, and others stay", async () => {
	const { sql } = database;
	const { log, warn } = watchLog();
	await sql`
		insert into outbox (id, kind, tenant_id, subject, state, settled_at)
		select ${firstIdAt(new Date(Date.now() - 130 * 86_400_000))}::uuid, 'swept', gen_random_uuid(), gen_random_uuid(), 'dead', now() - interval '130 days'
		from generate_series(1, 5_001)`;
	const { messages } = listChores({ sql, access: ACCESS, clock: systemClock });
	if (!messages) throw new Error("expected chores");
	await runChores({ sql, clock: systemClock, log }, { messages });
	expect(warn).not.toHaveBeenCalled();
	expect([...(await sql`select 1 from outbox where kind = 'swept'`)]).toEqual([]);
});

test("one process at a time runs the chores", async () => {
	const { log, info, warn } = watchLog();
	let [begun, done] = [0, 0];
	const bothAsked = Promise.withResolvers<void>();
	const chores: Chores = {
		only: async () => {
			begun++;
			await bothAsked.promise;
			done++;
		},
	};
	const first = runChores({ sql: database.sql, clock: systemClock, log }, chores);
	while (begun === 0) await database.sql`select 1`;
	await runChores({ sql: database.sql, clock: systemClock, log }, chores);
	expect([begun, done]).toEqual([1, 0]);
	bothAsked.resolve();
	await first;
	expect([begun, done]).toEqual([1, 1]);
	expect(info).toHaveBeenCalledTimes(1);
	expect(warn).not.toHaveBeenCalled();
});

test("a missing database is logged once and rejects nothing", async () => {
	const { log, warn } = watchLog();
	const gone = await openTestDatabase();
	await gone.close();
	let begun = 0;
	await runChores({ sql: gone.sql, clock: systemClock, log }, { only: async () => begun++ });
	expect(begun).toBe(0);
	expect(warn).toHaveBeenCalledTimes(1);
});

test("a clock that has jumped deletes nothing", async () => {
	const { log, info, warn } = watchLog();
	for (const leapSeconds of [31 * 86_400, 60, -60]) {
		const clock: Clock = { now: () => new Date(Date.now() + leapSeconds * 1000) };
		let begun = 0;
		await runChores({ sql: database.sql, clock, log }, { only: async () => begun++ });
		expect(begun).toBe(0);
	}
	expect(info).not.toHaveBeenCalled();
	expect(warn).toHaveBeenCalledTimes(3);
});
