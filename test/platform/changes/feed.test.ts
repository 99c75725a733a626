/** Every process learns of each change once, whatever order transactions commit in, with LISTEN and without. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { announce, type ChangeFeed, openChangeFeed, sweepChanges } from "../../../src/platform/changes";
import { connect, type Sql, type Tx } from "../../../src/platform/database";
import { createLog } from "../../../src/platform/telemetry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy";
import { until } from "../../support/until";

const log = createLog("silent", "test");
let database: TestDatabase;
let proxy: TcpProxy;
let proxied: Sql;
const feeds: ChangeFeed[] = [];
beforeAll(async () => {
	database = await openTestDatabase();
	const url = new URL(database.url);
	proxy = await startTcpProxy({ port: Number(url.port) });
	url.port = String(proxy.port);
	proxied = connect({ url: url.href, name: "sello proxied", connectionsMax: 2 });
});
afterEach(async () => {
	proxy.setEnabled(true);
	proxy.heal();
	for (const feed of feeds.splice(0)) await feed.close();
});
afterAll(async () => {
	await proxied.end({ timeout: 0 });
	await proxy.stop();
	await database.close();
});

/** What a process receives. */
async function follow(sql: Sql, further: { listenSql?: Sql; everyMs?: number } = {}) {
	const feed = await openChangeFeed({ sql, log, everyMs: 20, ...further });
	feeds.push(feed);
	const received: string[] = [];
	const seen = { received, gaps: 0, silences: 0, answers: 0, failures: 0 };
	feed.follow({
		kinds: ["key"],
		onChange: ({ subject }) => received.push(subject),
		onGap: () => seen.gaps++,
		onSilence: () => seen.silences++,
		onAnswer: () => seen.answers++,
		onFailure: () => seen.failures++,
	});
	return { feed, seen };
}

const change = (subject: string) => database.sql.begin((tx) => announce(tx, "key", subject));

test("a change whose transaction stays open while later ones commit arrives once", async () => {
	const { seen } = await follow(database.sql);
	const begun = Promise.withResolvers<void>();
	const end = Promise.withResolvers<void>();
	const late = database.sql.begin(async (tx: Tx) => {
		await announce(tx, "key", "late");
		// In a subtransaction, whose own id no snapshot lists.
		await tx.savepoint((inner) => announce(inner, "key", "inner"));
		begun.resolve();
		await end.promise;
	});
	await begun.promise;
	for (const subject of ["a", "b"]) await change(subject);
	await until(() => seen.received.length === 2);
	const answers = seen.answers;
	await until(() => seen.answers > answers + 1);
	end.resolve();
	await late;
	await change("c");
	await until(() => seen.received.includes("c"));
	expect(seen.received.toSorted()).toEqual(["a", "b", "c", "inner", "late"]);
	expect(seen).toMatchObject({ gaps: 0, failures: 0 });
});

test("with LISTEN a change does not wait for the next poll", async () => {
	const { seen } = await follow(database.sql, { listenSql: database.owner, everyMs: 600_000 });
	await until(() => seen.answers > 0);
	for (const subject of ["1", "2", "3"]) {
		await change(subject);
		await until(() => seen.received.includes(subject));
	}
	expect(seen.received).toEqual(["1", "2", "3"]);
});

test("rolled-back changes and other kinds do not arrive", async () => {
	const { seen } = await follow(database.sql);
	await database.sql
		.begin(async (tx) => {
			await announce(tx, "key", "undone");
			throw new Error("rolled back");
		})
		.catch(() => undefined);
	await database.sql.begin((tx) => announce(tx, "token", "other"));
	await database.sql`insert into changes (kind, subject) values ('of a newer version', '')`;
	await change("mine");
	await until(() => seen.received.length > 0);
	expect(seen.received).toEqual(["mine"]);
});

test("nothing is proven current while the network is silent; all arrives afterwards", async () => {
	const { feed, seen } = await follow(proxied);
	await until(() => seen.answers > 0);
	proxy.add("downstream", { type: "timeout", timeoutMs: 0 });
	await until(() => seen.silences > 0);
	const current = feed.currentUntil();
	await change("missed");
	expect(feed.currentUntil()).toBe(current);
	proxy.heal();
	await until(() => seen.received.includes("missed"));
	expect(feed.currentUntil()).toBeGreaterThan(current);
	expect(seen.received).toEqual(["missed"]);
});

test("a broken connection is a gap, after which changes arrive again", async () => {
	const { seen } = await follow(proxied);
	await until(() => seen.answers > 0);
	proxy.setEnabled(false);
	await until(() => seen.failures > 0);
	await change("meanwhile");
	proxy.setEnabled(true);
	await until(() => seen.received.includes("meanwhile"));
	expect(seen.gaps).toBeGreaterThan(0);
});

test("changes are kept for an hour", async () => {
	await change("young");
	await database.owner`update changes set at = now() - interval '61 minutes' where subject <> 'young'`;
	await sweepChanges(database.sql);
	expect([...(await database.sql`select subject from changes`)]).toEqual([{ subject: "young" }] as never);
});
