/** A worker that has lost a lease writes nothing, and that is logged as a warning. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import pino from "pino";
import { append, type Handler, LeaseLostError, type Message, writeUnderLease } from "../../../src/platform/outbox";
import { execute } from "../../../src/platform/outbox/execute";
import { claimMessages } from "../../../src/platform/outbox/store";
import { createMetrics } from "../../../src/platform/telemetry";
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

const tenantId = newId();

async function claim(): Promise<Message> {
	const { sql } = database;
	await sql.begin((tx) => append(tx, { kind: "a", tenantId, subject: newId() }));
	const wanted = { owner: newId(), kinds: ["a"], limit: 1, leaseSeconds: 60, busy: [], roomOfOthers: 1 };
	const { messages } = await claimMessages(sql, { ...wanted, afterTenant: null });
	return { ...(messages[0] as (typeof messages)[number]), leaseLeftMs: () => 60_000 };
}

/** What a handler writes: one more message. */
const writeOn = (message: Message) =>
	writeUnderLease(database.sql, message, async (tx) => {
		await append(tx, { kind: "written", tenantId, subject: newId() });
		return "written";
	});

const countWritten = async () => (await database.sql`select 1 from outbox where kind = 'written'`).length;

test("the holder of a message writes, and gets what its statements answer", async () => {
	expect(await writeOn(await claim())).toBe("written");
	expect(await countWritten()).toBe(1);
});

test("nothing is written without the lease, whichever way it was lost", async () => {
	const { sql } = database;
	const losses: readonly ((message: Message) => Promise<unknown>)[] = [
		({ id }) => sql`update outbox set owner = ${newId()} where id = ${id}`,
		({ id }) => sql`update outbox set attempt = 2 where id = ${id}`,
		({ id }) => sql`update outbox set state = 'ready', owner = null, lease_until = null where id = ${id}`,
		({ id }) => sql`update outbox set state = 'done', owner = null, lease_until = null where id = ${id}`,
		({ id }) => database.owner`delete from outbox where id = ${id}`,
	];
	for (const lose of losses) {
		const message = await claim();
		await lose(message);
		const error = await writeOn(message).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(LeaseLostError);
		expect(error).toMatchObject({ held: { id: message.id, attempt: message.attempt } });
	}
	expect(await countWritten()).toBe(0);
});

test("nothing is written by a holder whose message is taken while it waits for the row", async () => {
	const message = await claim();
	const taken = runBeside(
		database.owner,
		(tx) => tx`update outbox set owner = ${newId()}, attempt = 2 where id = ${message.id}`,
		() => writeOn(message).catch((thrown: unknown) => thrown),
		"select state from outbox",
	);
	expect(await taken).toBeInstanceOf(LeaseLostError);
	expect(await countWritten()).toBe(0);
});

test("statements that fail take the whole transaction with them, under their own error", async () => {
	const message = await claim();
	const failing = writeUnderLease(database.sql, message, async (tx) => {
		await append(tx, { kind: "written", tenantId, subject: newId() });
		throw new Error("changed my mind");
	});
	await expect(failing).rejects.toThrow("changed my mind");
	expect(await countWritten()).toBe(0);
});

type Line = { readonly level: number; readonly msg: string; readonly message: string; readonly err?: unknown };

async function linesOf(handler: Handler, message: Message): Promise<Line[]> {
	const lines: Line[] = [];
	const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
	const on = { sql: database.sql, log, metrics: createMetrics(), handlers: { a: handler } };
	expect((await execute(on, async () => true, message)).kind).toBe("retry");
	return lines;
}

const { warn, error } = pino.levels.values;

test("a lost lease is logged as a warning without an error", async () => {
	const message = await claim();
	await database.sql`update outbox set owner = ${newId()} where id = ${message.id}`;
	const lines = await linesOf(async () => {
		await writeOn(message);
		throw new Error("it was written");
	}, message);
	expect(lines).toMatchObject([
		{ level: warn, msg: "handler stopped: it lost its lease", message: message.id, attempt: 1 },
	]);
	expect(lines[0]).not.toHaveProperty("err");
});

test("any other failure of a handler is logged as an error", async () => {
	const lines = await linesOf(
		async () => {
			throw new Error("broken");
		},
		await claim(),
	);
	expect(lines).toMatchObject([{ level: error, msg: "handler failed", err: { message: "broken" } }]);
});
