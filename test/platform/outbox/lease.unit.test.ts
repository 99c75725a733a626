/** A lane that has lost a shard or a message writes nothing, and that is logged as a warning. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import pino from "pino";
import { removeLane } from "../../../src/platform/lanes/store";
import { append, type Handler, LeaseLostError, type Message, writeUnderLease } from "../../../src/platform/outbox";
import { execute } from "../../../src/platform/outbox/execute";
import { createMetrics } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { runBeside } from "../../support/beside";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { holdMessage, letGo } from "../../support/held-messages";

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
	const subject = newId();
	await sql.begin((tx) => append(tx, { kind: "a", tenantId, subject }));
	return holdMessage(sql, subject);
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
		async (message) => {
			await letGo(sql, message);
			await holdMessage(sql, message.subject);
		},
		(message) => letGo(sql, message),
		({ hold }) => sql`update lanes set epoch = epoch + 1 where lane = ${hold.lane}`,
		({ hold }) => sql`delete from lanes where lane = ${hold.lane}`,
		// The shard went and came back.
		({ tenantId: owner }) => sql`update shards set term = term + 1 where shard = shard_of(${owner})`,
		({ id }) => sql`update outbox set state = 'dead' where id = ${id}`,
		({ id }) => sql`delete from outbox where id = ${id}`,
	];
	for (const lose of losses) {
		const message = await claim();
		await lose(message);
		const error = await writeOn(message).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(LeaseLostError);
		expect(error).toMatchObject({ held: { id: message.id } });
	}
	expect(await countWritten()).toBe(0);
});

test("nothing is written by a holder whose message goes while it waits for the row", async () => {
	const message = await claim();
	const taken = runBeside(
		database.owner,
		(tx) => tx`delete from outbox where id = ${message.id}`,
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

test("a shard is taken over only when the write under way has ended", async () => {
	const message = await claim();
	const taken = runBeside(
		database.owner,
		(tx) => tx`select hold_lane(${message.hold.lane}, ${message.hold.epoch})`,
		() => removeLane(database.sql, message.hold.lane),
		"pg_advisory_xact_lock(",
	);
	expect(await taken).toBe(true);
	await expect(writeOn(message)).rejects.toBeInstanceOf(LeaseLostError);
});

type Line = { readonly level: number; readonly msg: string; readonly message: string; readonly err?: unknown };

async function linesOf(handler: Handler, message: Message): Promise<Line[]> {
	const lines: Line[] = [];
	const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
	const on = { log, metrics: createMetrics(), handlers: { a: handler } };
	expect((await execute(on, async () => true, message)).outcome.kind).toBe("retry");
	return lines;
}

const { warn, error } = pino.levels.values;

test("a lost lease is logged as a warning without an error", async () => {
	const message = await claim();
	await letGo(database.sql, message);
	const lines = await linesOf(async () => {
		await writeOn(message);
		throw new Error("it was written");
	}, message);
	expect(lines).toMatchObject([{ level: warn, msg: "handler stopped: it lost its lease", message: message.id }]);
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
