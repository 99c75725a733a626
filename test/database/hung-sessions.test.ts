/** A client that goes quiet in the middle of a statement, with the locks of its transaction. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startTcpProxy, type TcpProxy } from "../../scripts/harness/tcp-proxy";
import { connect, watchHungSessions } from "../../src/database";
import { createLog } from "../../src/telemetry";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { until } from "../support/until";

let database: TestDatabase;
let proxy: TcpProxy;
beforeAll(async () => {
	database = await openTestDatabase();
	proxy = await startTcpProxy({ port: Number(new URL(database.url).port) });
	await database.owner`create table witness (id int primary key, value int not null)`;
});
beforeEach(async () => {
	await database.owner`truncate witness`;
	await database.owner`insert into witness values (1, 0), (2, 0)`;
});
afterAll(async () => {
	await proxy.stop();
	await database.close();
});

/** One connection through the proxy, whose client has changed a row and hears nothing any more in its next statement. */
async function hang(name: string, id: number) {
	const url = new URL(database.ownerUrl);
	url.port = String(proxy.port);
	const sql = connect({ url: url.href, name, connectionsMax: 1 });
	const [locked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const ended = sql
		.begin(async (tx) => {
			await tx`update witness set value = 1 where id = ${id}`;
			locked.resolve();
			await goOn.promise;
			await tx`update witness set value = 2 where id = ${id}`;
		})
		.then(
			() => undefined,
			(error: unknown) => error,
		);
	await locked.promise;
	const heal = proxy.links().at(-1)?.add("downstream", { type: "latency", latencyMs: 3_600_000 });
	if (!heal) throw new Error("the pool has a connection");
	goOn.resolve();
	await until(async () => (await isWaiting(name, "ClientRead")) && (await valueAt(id)) === 0);
	return { ended, heal, close: () => sql.end({ timeout: 0 }) };
}

async function isWaiting(name: string, event: string): Promise<boolean> {
	const rows = await database.owner`
		select 1 from pg_stat_activity
		where datname = current_database() and application_name = ${name} and state = 'active'
			and (wait_event = ${event} or wait_event_type = ${event})`;
	return rows.length === 1;
}

async function valueAt(id: number): Promise<number | undefined> {
	const [row] = await database.owner<{ value: number }[]>`select value from witness where id = ${id}`;
	return row?.value;
}

const watch = () =>
	watchHungSessions({ url: database.ownerUrl, log: createLog("silent", "test"), everyMs: 20, hungAfterMs: 300 });

test("a session that hangs in a statement is ended: its locks are free, and its transaction is undone", async () => {
	const hung = await hang("sello hung", 1);
	const stop = watch();
	await database.owner`update witness set value = value + 10 where id = 1`;
	hung.heal();
	expect(await hung.ended).toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) });
	expect(await valueAt(1)).toBe(10);
	await Promise.all([stop(), hung.close()]);
});

test("sessions of other programs, and those that wait for a lock, are left alone for as long as they take", async () => {
	const foreign = await hang("somebody else", 1);
	const waiter = connect({ url: database.ownerUrl, name: "sello waiter", connectionsMax: 1 });
	const waits = waiter`update witness set value = value + 10 where id = 1`.execute();
	await until(() => isWaiting("sello waiter", "Lock"));
	const stop = watch();
	// It begins to hang after those two did, and is ended.
	const hung = await hang("sello hung", 2);
	await database.owner`update witness set value = value + 10 where id = 2`;
	expect([await isWaiting("somebody else", "ClientRead"), await isWaiting("sello waiter", "Lock")]).toEqual([
		true,
		true,
	]);
	for (const { heal } of [foreign, hung]) heal();
	expect(await foreign.ended).toBeUndefined();
	await waits;
	expect([await valueAt(1), await valueAt(2)]).toEqual([12, 10]);
	await Promise.all([stop(), foreign.close(), hung.close(), waiter.end({ timeout: 0 })]);
});
