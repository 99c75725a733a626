/** A client that goes quiet in the middle of a statement, with the locks of its transaction. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { connect, watchHungSessions } from "../../../src/platform/database";
import { listFencedSessions, releaseNode } from "../../../src/platform/lanes";
import { createLog } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { hangClient, isWaiting, placeWitness, valueAt } from "../../support/hung-client";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy";
import { until } from "../../support/until";

let database: TestDatabase;
let proxy: TcpProxy;
beforeAll(async () => {
	database = await openTestDatabase();
	proxy = await startTcpProxy({ port: Number(new URL(database.url).port) });
});
beforeEach(() => placeWitness(database));
afterAll(async () => {
	await proxy.stop();
	await database.close();
});

const noFenced = async () => [];
const hang = (name: string, id: number, url = database.ownerUrl) => hangClient(database, proxy, { url, name, id });

const watch = (url = database.ownerUrl) =>
	watchHungSessions({ url, log: createLog("silent", "test"), everyMs: 20, hungAfterMs: 300, findFenced: noFenced });

/** An address whose login takes another role from its start, which may not see what its own login does. */
function underRole(): string {
	const role = new URL(database.url).username;
	const address = new URL(database.ownerUrl);
	address.search = `options=${encodeURIComponent(`-c role=${role}`)}`;
	return address.href;
}

for (const [kind, find] of [
	["of the login's own role", () => database.url],
	["under a role that the login takes", underRole],
	["of an address that names the program itself", () => `${database.url}?application_name=erp`],
] as const) {
	test(`a session ${kind} that hangs in a statement is ended and rolled back`, async () => {
		const hung = await hang("sello hung", 1, find());
		const stop = watch(find());
		await database.owner`update witness set value = value + 10 where id = 1`;
		hung.heal();
		expect(await hung.ended).toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) });
		expect(await valueAt(database, 1)).toBe(10);
		await Promise.all([stop(), hung.close()]);
	});
}

test("a session whose client stopped while reading rows is ended", async () => {
	const client = Bun.spawn([process.execPath, join(import.meta.dir, "support/take-rows.ts"), database.ownerUrl], {
		stdout: "ignore",
	});
	await until(() => isWaiting(database, "sello taker", "ClientWrite"));
	client.kill("SIGSTOP");
	const stop = watch();
	await database.owner`update witness set value = value + 10 where id = 1`;
	expect(await valueAt(database, 1)).toBe(10);
	client.kill("SIGKILL");
	await Promise.all([stop(), client.exited]);
});

test("sessions of other programs and those that wait for locks are left alone", async () => {
	const foreign = await hang("another program", 1);
	const waiter = connect({ url: database.ownerUrl, name: "sello waiter", connectionsMax: 1 });
	const waits = waiter`update witness set value = value + 10 where id = 1`.execute();
	await until(() => isWaiting(database, "sello waiter", "Lock"));
	const stop = watch();
	// It begins to hang after those two did, and is ended.
	const hung = await hang("sello hung", 2);
	await database.owner`update witness set value = value + 10 where id = 2`;
	expect(
		await Promise.all([
			isWaiting(database, "another program", "ClientRead"),
			isWaiting(database, "sello waiter", "Lock"),
		]),
	).toEqual([true, true]);
	for (const { heal } of [foreign, hung]) heal();
	expect(await foreign.ended).toBeUndefined();
	await waits;
	expect([await valueAt(database, 1), await valueAt(database, 2)]).toEqual([12, 10]);
	await Promise.all([stop(), foreign.close(), hung.close(), waiter.end({ timeout: 0 })]);
});

test("a session whose client paused together with the watch is not ended", async () => {
	const hung = await hang("sello hung", 1);
	let looks = 0;
	const stop = watchHungSessions({
		...{
			url: database.ownerUrl,
			log: createLog("silent", "test"),
			everyMs: 50,
			hungAfterMs: 1_000,
			findFenced: noFenced,
		},
		onLook: () => void looks++,
	});
	await until(() => looks > 1);
	Bun.sleepSync(1_500);
	const before = looks;
	await until(() => looks > before + 2);
	hung.heal();
	expect(await hung.ended).toBeUndefined();
	expect(await valueAt(database, 1)).toBe(2);
	await Promise.all([stop(), hung.close()]);
});

test("a session that may not be ended is logged once and blocks no other", async () => {
	const reported: unknown[] = [];
	const foreign = await hang("sello of another login", 1, database.ownerUrl);
	const hung = await hang("sello hung", 2, database.url);
	// It sees everything and may end its own: so a look meets one that it may not end.
	await database.owner.unsafe(`grant pg_read_all_stats to ${new URL(database.url).username}`);
	const stop = watchHungSessions({
		...{ url: database.url, everyMs: 20, hungAfterMs: 300, findFenced: noFenced },
		log: { warn: (...line: unknown[]) => void reported.push(line.at(-1)) },
	});
	await database.owner`update witness set value = value + 10 where id = 2`;
	await until(() => reported.length === 2);
	expect(reported.sort()).toEqual(["cannot find or end hung database sessions", "ended a hung database session"]);
	for (const { heal } of [foreign, hung]) heal();
	expect(await foreign.ended).toBeUndefined();
	expect(reported).toHaveLength(2);
	await database.owner.unsafe(`revoke pg_read_all_stats from ${new URL(database.url).username}`);
	await Promise.all([stop(), foreign.close(), hung.close()]);
});

test("who looks by a connection that no longer answers looks by another one", async () => {
	const road = await startTcpProxy({ port: Number(new URL(database.url).port) });
	const address = new URL(database.ownerUrl);
	address.port = String(road.port);
	let looks = 0;
	const stop = watchHungSessions({
		...{ url: address.href, log: createLog("silent", "test"), everyMs: 20, hungAfterMs: 300, findFenced: noFenced },
		onLook: () => void looks++,
	});
	await until(() => looks > 1);
	for (const link of road.links()) link.add("upstream", { type: "timeout", timeoutMs: 0 });
	const hung = await hang("sello hung", 1);
	await database.owner`update witness set value = value + 10 where id = 1`;
	hung.heal();
	expect(await hung.ended).toBeDefined();
	await Promise.all([stop(), hung.close(), road.stop()]);
});

test("sessions that write for a lane that was taken over are ended all at once", async () => {
	const [dead, living] = [newId(), newId()];
	for (const lane of [dead, living])
		await database.owner`insert into lanes (lane, node, thread, epoch, lease_until) values (${lane}, ${lane}, 'test', 1, now() + interval '1 hour')`;
	const write = (name: string, lane: string, id: number) => {
		const sql = connect({ url: database.ownerUrl, name, connectionsMax: 1 });
		const [wrote, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const ended = sql
			.begin(async (tx) => {
				await tx`select hold_lane(${lane}, 1)`;
				await tx`update witness set value = 1 where id = ${id}`;
				wrote.resolve();
				await goOn.promise;
			})
			.catch((error: unknown) => error);
		return { wrote: wrote.promise, ended, goOn: goOn.resolve, close: () => sql.end({ timeout: 0 }) };
	};
	const [paused, other] = [write("sello paused", dead, 1), write("sello living", living, 2)];
	await Promise.all([paused.wrote, other.wrote]);
	const waiter = write("sello waiter", dead, 1);
	await until(() => isWaiting(database, "sello waiter", "Lock"));
	const stop = watchHungSessions({
		...{ url: database.ownerUrl, log: createLog("silent", "test"), everyMs: 20, findFenced: listFencedSessions },
	});
	await releaseNode(database.sql, dead);
	const ended = { code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) };
	expect([await paused.ended, await waiter.ended]).toMatchObject([ended, ended]);
	await until(async () => (await releaseNode(database.sql, dead)) === 0);
	other.goOn();
	expect(await other.ended).toBeUndefined();
	expect([await valueAt(database, 1), await valueAt(database, 2)]).toEqual([0, 1]);
	await database.owner`delete from lanes`;
	await Promise.all([stop(), paused.close(), waiter.close(), other.close()]);
});
