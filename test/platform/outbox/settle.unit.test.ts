/** Outcomes are written only by the lane that owns the shard, whatever happens to the row meanwhile. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Tx } from "../../../src/platform/database";
import { dead, done, type Message, type Outcome, retry, snooze } from "../../../src/platform/outbox";
import { settleMessages } from "../../../src/platform/outbox/store";
import { newId } from "../../../src/platform/values";
import { runBeside } from "../../support/beside";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { holdMessages, letGo } from "../../support/held-messages";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	await database.owner`truncate outbox`;
});

/** Of one tenant. */
async function claim(count: number): Promise<Message[]> {
	const subject = newId();
	await database.sql`
		insert into outbox (id, kind, tenant_id, subject, available_at)
		select gen_random_uuid(), 'a', ${newId()}, ${subject}, now() - interval '1 minute' from generate_series(1, ${count}::int)`;
	return holdMessages(database.sql, subject);
}

const settle = (messages: readonly Message[], outcomeOf: (index: number) => Outcome | undefined = () => done) =>
	settleMessages(
		database.sql,
		messages.map((message, i) => {
			const outcome = outcomeOf(i);
			return outcome ? { message, outcome } : { message };
		}),
	);

/** Seconds are those to come, up to half a minute more: the row may be read later. */
const read = ({ id }: Message) => database.sql`
	select state, failures, last_error as error, busy_until is not null as "isBusy", settled_at is not null as "isSettled",
		30 * ceil(extract(epoch from available_at - now()) / 30)::int as seconds
	from outbox where id = ${id}`;

test("each message gets its own outcome, many of them in one statement", async () => {
	const outcomes = [done, retry(30, "no answer"), snooze(90), dead("gone"), undefined];
	const messages = await claim(100);
	expect(await settle(messages, (i) => outcomes[i % outcomes.length])).toEqual(Array(100).fill(true));
	const waits = { state: "ready", isBusy: false, isSettled: false };
	for (const [i, message] of messages.entries()) {
		const expected = [
			undefined,
			{ ...waits, failures: 1, error: "no answer", seconds: 30 },
			{ ...waits, failures: 0, error: null, seconds: 90 },
			{ state: "dead", failures: 0, error: "gone", isBusy: false, isSettled: true },
			{ ...waits, isBusy: true, error: null },
		][i % outcomes.length];
		const [row] = await read(message);
		if (expected) expect(row).toMatchObject(expected);
		else expect(row).toBeUndefined();
	}
});

test("without the lease nothing is changed", async () => {
	const [[lost], [gone], [own]] = (await Promise.all([claim(1), claim(1), claim(1)])) as [
		Message[],
		Message[],
		Message[],
	];
	if (!lost || !gone || !own) throw new Error("expected messages");
	await letGo(database.sql, lost);
	await database.sql`delete from outbox where id = ${gone.id}`;
	const [again] = await holdMessages(database.sql, own.subject);
	expect(await settle([lost, gone, again as Message])).toEqual([false, false, true]);
	expect((await read(lost))[0]).toMatchObject({ state: "ready", failures: 0, isSettled: false });
	expect(await read(own)).toHaveLength(0);
});

test("a message that is named twice gets its one outcome", async () => {
	const [message] = (await claim(1)) as [Message];
	expect(await settle([message, message], (i) => (i === 0 ? undefined : done))).toEqual([true, true]);
	expect(await read(message)).toHaveLength(0);
});

describe("while another transaction has the row", () => {
	const settleBeside = (messages: readonly Message[], change: (tx: Tx) => Promise<unknown>) =>
		runBeside(
			database.owner,
			change,
			() => settle(messages, (i) => (i % 2 === 0 ? retry(30, `reason ${i}`) : done)),
			"locked as",
		);

	test("one that is marked as busy loses no outcome", async () => {
		const messages = await claim(6);
		const ids = messages.slice(0, 4).map(({ id }) => id);
		const reported = await settleBeside(
			messages,
			(tx) => tx`update outbox set busy_until = now() + interval '1 hour', failures = 7 where id = any(${ids}::uuid[])`,
		);
		expect(reported).toEqual(Array(6).fill(true));
		for (const [i, message] of messages.entries()) {
			const [row] = await read(message);
			if (i % 2 === 1) expect(row).toBeUndefined();
			else expect(row).toMatchObject({ state: "ready", failures: i < 4 ? 8 : 1, error: `reason ${i}`, seconds: 30 });
		}
	});

	test("one that is deleted is not settled, and the others are", async () => {
		const messages = await claim(3);
		const [gone, second, third] = messages as [Message, Message, Message];
		const reported = await settleBeside(messages, (tx) => tx`delete from outbox where id = ${gone.id}`);
		expect(reported).toEqual([false, true, true]);
		expect(await read(gone)).toHaveLength(0);
		expect(await read(second)).toHaveLength(0);
		expect((await read(third))[0]).toMatchObject({ state: "ready", error: "reason 2" });
	});
});
