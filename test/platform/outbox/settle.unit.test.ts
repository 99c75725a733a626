/** Outcomes are written only by the worker that holds the lease, whatever happens to the row meanwhile. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Tx } from "../../../src/platform/database";
import { dead, done, type Message, type Outcome, retry, snooze } from "../../../src/platform/outbox";
import { claimMessages, settleMessages } from "../../../src/platform/outbox/store";
import { newId } from "../../../src/platform/values";
import { runBeside } from "../../support/beside";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	await database.owner`truncate outbox`;
});

const owner = newId();

async function claim(count: number): Promise<Message[]> {
	await database.sql`
		insert into outbox (id, kind, tenant_id, subject, available_at)
		select gen_random_uuid(), 'a', ${newId()}, gen_random_uuid(), now() - interval '1 minute' from generate_series(1, ${count}::int)`;
	const wanted = {
		owner,
		kinds: ["a"],
		limit: count,
		leaseSeconds: 60,
		busy: [],
		roomOfOthers: count,
		afterTenant: null,
	};
	const { messages } = await claimMessages(database.sql, wanted);
	return messages.map((message) => ({ ...message, leaseLeftMs: () => 60_000 }));
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
	select state, owner, attempt, failures, last_error as error, lease_until is not null as "isLeased", settled_at is not null as "isSettled",
		30 * ceil(extract(epoch from available_at - now()) / 30)::int as seconds
	from outbox where id = ${id}`;

const free = { owner: null, attempt: 1, isLeased: false };

test("each message gets its own outcome, many of them in one statement", async () => {
	const outcomes = [done, retry(30, "no answer"), snooze(90), dead("gone"), undefined];
	const messages = await claim(100);
	expect(await settle(messages, (i) => outcomes[i % outcomes.length])).toEqual(Array(100).fill(true));
	const waits = { ...free, state: "ready", isSettled: false };
	for (const [i, message] of messages.entries()) {
		const [row] = await read(message);
		expect(row).toMatchObject(
			[
				{ ...free, state: "done", failures: 0, error: null, isSettled: true },
				{ ...waits, failures: 1, error: "no answer", seconds: 30 },
				{ ...waits, failures: 0, error: null, seconds: 90 },
				{ ...free, state: "dead", failures: 0, error: "gone", isSettled: true },
				{ state: "working", owner, attempt: 1, isLeased: true, isSettled: false },
			][i % outcomes.length] ?? {},
		);
	}
});

test("without the lease nothing is changed", async () => {
	const messages = await claim(4);
	const [lost, given, old, own] = messages as [Message, Message, Message, Message];
	const other = newId();
	await database.sql`update outbox set owner = ${other} where id = ${lost.id}`;
	await database.sql`update outbox set state = 'ready', owner = null, lease_until = null where id = ${given.id}`;
	await database.sql`update outbox set attempt = 2 where id = ${old.id}`;
	expect(await settle(messages)).toEqual([false, false, false, true]);
	expect((await read(lost))[0]).toMatchObject({ state: "working", owner: other, isLeased: true });
	expect((await read(given))[0]).toMatchObject({ state: "ready", owner: null });
	expect((await read(old))[0]).toMatchObject({ state: "working", owner, attempt: 2 });
	expect((await read(own))[0]).toMatchObject({ ...free, state: "done", isSettled: true });
});

test("a message that is named twice gets its one outcome", async () => {
	const [message] = (await claim(1)) as [Message];
	expect(await settle([message, message], (i) => (i === 0 ? undefined : done))).toEqual([true, true]);
	expect((await read(message))[0]).toMatchObject({ ...free, state: "done", isSettled: true });
});

describe("while another transaction has the row", () => {
	const settleBeside = (messages: readonly Message[], change: (tx: Tx) => Promise<unknown>) =>
		runBeside(
			database.owner,
			change,
			() => settle(messages, (i) => (i % 2 === 0 ? retry(30, `reason ${i}`) : done)),
			"settled as",
		);

	test("a lease that is extended loses no outcome", async () => {
		const messages = await claim(6);
		const ids = messages.slice(0, 4).map(({ id }) => id);
		const reported = await settleBeside(
			messages,
			(tx) =>
				tx`update outbox set lease_until = lease_until + interval '1 minute', failures = 7 where id = any(${ids}::uuid[])`,
		);
		expect(reported).toEqual(Array(6).fill(true));
		for (const [i, message] of messages.entries()) {
			const failures = i < 4 ? 7 : 0;
			expect((await read(message))[0]).toMatchObject(
				i % 2 === 0
					? { ...free, state: "ready", failures: failures + 1, error: `reason ${i}`, seconds: 30 }
					: { ...free, state: "done", failures, isSettled: true },
			);
		}
	});

	test("one that is taken away is left to its new holder, and the others are settled", async () => {
		const messages = await claim(3);
		const [taken, second, third] = messages as [Message, Message, Message];
		const other = newId();
		const reported = await settleBeside(
			messages,
			(tx) => tx`update outbox set owner = ${other}, attempt = attempt + 1 where id = ${taken.id}`,
		);
		expect(reported).toEqual([false, true, true]);
		expect((await read(taken))[0]).toMatchObject({ state: "working", owner: other, attempt: 2, isLeased: true });
		expect((await read(second))[0]).toMatchObject({ ...free, state: "done", isSettled: true });
		expect((await read(third))[0]).toMatchObject({ ...free, state: "ready", error: "reason 2" });
	});
});
