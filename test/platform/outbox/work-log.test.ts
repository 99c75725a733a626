/** Documents of the work log are carried without rows; what a lane leaves behind is found by the next one. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	appendFor,
	type Dispatcher,
	done,
	type Handlers,
	LeaseLostError,
	type LoggedWork,
	type Message,
	retry,
	snooze,
	startDispatcher,
	writeUnderLease,
} from "../../../src/platform/outbox";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";

let database: TestDatabase;
const dispatchers: Dispatcher[] = [];
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	await database.owner`truncate outbox`;
	await database.owner`truncate work_log`;
	await database.owner`delete from lanes`;
});
afterEach(async () => {
	for (const dispatcher of dispatchers.splice(0)) await dispatcher.stop(1_000);
});

const tenantId = newId();

const findAll: LoggedWork["findLeft"] = async (_, documents) =>
	documents.map(({ docId }) => ({ kind: "a", tenantId, subject: docId }));

function dispatch(handlers: Handlers, findLeft = findAll): Dispatcher {
	const dispatcher = startDispatcher({
		...{ sql: database.sql, log: createLog("silent", "test"), metrics: createMetrics(), slots: 8, leaseSeconds: 5 },
		...{
			handlers,
			work: { first: "a", last: "b", besides: ["c"], findLeft },
			lane: { lookEveryMs: 20, restSeconds: 0 },
		},
	});
	dispatchers.push(dispatcher);
	return dispatcher;
}

/** An entry of these documents, written so long ago. */
async function log(docIds: readonly string[], secondsAgo = 0, ofTenant = tenantId): Promise<void> {
	const at = new Date(Date.now() - secondsAgo * 1_000);
	await database.sql`
		insert into work_log (id, shard, tenant_id, doc_ids)
		values (${newId(at)}, shard_of(${ofTenant}), ${ofTenant}, ${[...docIds]}::uuid[])`;
}

const rows = () => database.sql<Record<string, unknown>[]>`select kind, subject, state, failures from outbox`;

test("a document and what follows from it leave no rows, and run once", async () => {
	const seen: string[] = [];
	const dispatcher = dispatch({
		a: async ({ subject }) => {
			const local = dispatcher.openLocalDispatch();
			await database.sql.begin((tx) => appendFor(tx, [{ kind: "b", tenantId, subject }], local));
			seen.push(`a ${subject}`, `rows ${(await rows()).length}`);
			local.start();
			return done;
		},
		b: async ({ subject }) => {
			seen.push(`b ${subject}`);
			return done;
		},
	});
	await dispatcher.ready;
	const docId = newId();
	await log([docId]);
	dispatcher.wake();
	await until(() => seen.length >= 3);
	dispatcher.wake();
	// Its id is older than that of an entry which was read before: it was committed later.
	const late = newId();
	await log([late], 0.3);
	await until(() => seen.length >= 6);
	expect(seen).toEqual([`a ${docId}`, "rows 0", `b ${docId}`, `a ${late}`, "rows 0", `b ${late}`]);
	expect(await rows()).toHaveLength(0);
});

test("a soon retry stays in memory, a late one becomes a row", async () => {
	const attempts: Message[] = [];
	const dispatcher = dispatch({
		a: async (message) => {
			attempts.push(message);
			if (attempts.length === 1) return retry(0.05, "soon");
			return attempts.length === 2 ? snooze(3_600) : done;
		},
	});
	await dispatcher.ready;
	const docId = newId();
	await log([docId]);
	dispatcher.wake();
	await until(async () => (await rows()).length === 1);
	expect(attempts.map(({ failures }) => failures)).toEqual([0, 1]);
	expect(attempts[1]?.isRepeat).toBe(true);
	expect(await rows()).toMatchObject([{ kind: "a", subject: docId, state: "ready", failures: 1 }]);
});

test("all that follows from a commit without an answer is found again", async () => {
	const seen: string[] = [];
	let hasCommitted = false;
	const [docId, delivery] = [newId(), newId()];
	const following = [
		{ kind: "b", tenantId, subject: docId },
		{ kind: "c", tenantId, subject: delivery, docId },
	];
	const note = (kind: string) => async (message: Message) => {
		seen.push(`${kind} ${message.subject} ${message.isRepeat}`);
		return done;
	};
	const dispatcher = dispatch(
		{
			a: async () => {
				const local = dispatcher.openLocalDispatch();
				await database.sql.begin((tx) => appendFor(tx, following, local));
				hasCommitted = true;
				local.drop();
				return done;
			},
			...{ b: note("b"), c: note("c") },
		},
		async (_, documents) => {
			if (!hasCommitted) return findAll(database.sql, documents);
			return seen.length === 0 ? following : [];
		},
	);
	await dispatcher.ready;
	await log([docId]);
	dispatcher.wake();
	await until(() => seen.length === 2);
	expect(seen).toEqual([`b ${docId} true`, `c ${delivery} true`]);
	expect(await rows()).toHaveLength(0);
});

test("a new owner runs what is left after the mark, as a repeat", async () => {
	const [finished, begun, decided] = [newId(), newId(), newId()];
	const older = newId();
	await database.sql`update shards set done_before = now() - interval '5 minutes'`;
	await log([older], 600);
	await log([finished, begun], 200);
	await log([decided], 100);
	const seen: string[] = [];
	const note = (kind: string) => async (message: Message) => {
		seen.push(`${kind} ${message.subject} ${message.isRepeat}`);
		return done;
	};
	const asked: string[] = [];
	dispatch({ a: note("a"), b: note("b") }, async (_, documents) => {
		asked.push(...documents.map(({ docId }) => docId));
		if (seen.length >= 2) return [];
		return [
			{ kind: "a", tenantId, subject: begun },
			{ kind: "b", tenantId, subject: decided },
		];
	});
	await until(() => seen.length === 2);
	expect(seen.toSorted()).toEqual([`a ${begun} true`, `b ${decided} true`].toSorted());
	expect(asked.slice(0, 3)).toEqual([finished, begun, decided]);
	// Once what was begun is found to be finished, the mark passes all of it.
	await until(async () => {
		const [row] = await database.sql`
			select from shards where shard = shard_of(${tenantId}) and done_before > now() - interval '70 seconds'`;
		return row !== undefined;
	});
});

test("many documents of a tenant leave room for another's, which starts at once", async () => {
	const other = newId();
	const isOver = Promise.withResolvers<void>();
	const started: string[] = [];
	const dispatcher = dispatch({
		a: async (message) => {
			started.push(message.tenantId);
			if (message.tenantId !== other) await isOver.promise;
			return done;
		},
	});
	await dispatcher.ready;
	for (let n = 0; n < 50; n++) await log(Array.from({ length: 100 }, () => newId()));
	dispatcher.wake();
	await until(() => started.length > 0);
	await log([newId()], 0, other);
	dispatcher.wake();
	await until(() => started.includes(other));
	expect(started.length).toBeLessThan(10);
	isOver.resolve();
});

test("a write for a document fails once another lane has its shard", async () => {
	const errors: unknown[] = [];
	const dispatcher = dispatch({
		a: async (message) => {
			const { lane } = message.hold;
			await database.owner`update lanes set epoch = epoch + 1 where lane = ${lane}`;
			errors.push(await writeUnderLease(database.sql, message, async () => "written").catch((error) => error));
			const held = database.sql`select hold_lane(${lane}, ${message.hold.epoch})`;
			errors.push(await held.then(() => undefined).catch((error) => error));
			return done;
		},
	});
	await dispatcher.ready;
	await log([newId()]);
	dispatcher.wake();
	await until(() => errors.length >= 2);
	expect(errors[0]).toBeInstanceOf(LeaseLostError);
	expect(errors[1]).toMatchObject({ code: "SL064" });
});
