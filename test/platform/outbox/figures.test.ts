/** Figures of the queue: dead messages, and how long due ones have waited. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { countDead, measureDue, reviveMessages } from "../../../src/platform/outbox";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	await database.owner`truncate outbox`;
});

type Row = { kind: string; tenantId?: string; state?: string; dueSeconds?: number; isBusy?: boolean };

async function add(
	{ kind, tenantId = newId(), state = "ready", dueSeconds = 0, isBusy = false }: Row,
	count = 1,
): Promise<string> {
	const subject = newId();
	await database.sql`
		insert into outbox (id, kind, tenant_id, subject, state, available_at, settled_at, busy_until)
		select gen_random_uuid(), ${kind}, ${tenantId}, ${subject}, ${state}, now() - make_interval(secs => ${dueSeconds}),
			case when ${state} = 'dead' then now() end, case when ${isBusy} then now() + interval '1 minute' end
		from generate_series(1, ${count}::int)`;
	return subject;
}

const asRecord = (figures: readonly { kind: string; figure: number }[]) =>
	Object.fromEntries(figures.map(({ kind, figure }) => [kind, figure]));

test("dead messages are counted by kind, and one that is sent again is dead no more", async () => {
	expect(await countDead(database.sql)).toEqual([]);
	await add({ kind: "a", state: "dead" }, 3);
	const tenantId = newId();
	const subject = await add({ kind: "b", tenantId, state: "dead" });
	await add({ kind: "d" });
	expect(asRecord(await countDead(database.sql))).toEqual({ a: 3, b: 1 });
	expect(await reviveMessages(database.sql, "b", tenantId, [subject])).toEqual([subject]);
	expect(asRecord(await countDead(database.sql))).toEqual({ a: 3 });
});

test("of a kind with very many dead messages no more than 10,000 are counted", async () => {
	await add({ kind: "a", state: "dead" }, 10_050);
	await add({ kind: "b", state: "dead" });
	expect(asRecord(await countDead(database.sql))).toEqual({ a: 10_000, b: 1 });
});

test("each kind shows its longest due message of any tenant", async () => {
	expect(await measureDue(database.sql)).toEqual([]);
	for (const dueSeconds of [10, 300, 20]) await add({ kind: "a", dueSeconds });
	await add({ kind: "b", dueSeconds: 50 });
	await add({ kind: "b", dueSeconds: -600 });
	await add({ kind: "c", dueSeconds: -600 });
	await add({ kind: "d", dueSeconds: 900, isBusy: true });
	const figures = asRecord(await measureDue(database.sql));
	expect(Object.keys(figures).sort()).toEqual(["a", "b"]);
	expect(figures.a).toBeWithin(300, 400);
	expect(figures.b).toBeWithin(50, 150);
});

test("a document is counted behind its tenant's queue of deliveries", async () => {
	const tenantId = newId();
	await add({ kind: "deliver", tenantId, dueSeconds: 500 }, 5_000);
	await add({ kind: "submit", tenantId, dueSeconds: 100 });
	expect(asRecord(await measureDue(database.sql)).submit).toBeWithin(100, 200);
});
