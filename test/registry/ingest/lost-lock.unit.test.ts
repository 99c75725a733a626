/**
 * The ingest lock belongs to a database connection and is lost with it, while the previous holder's work continues
 * next to the next holder's.
 */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect, type Sql } from "../../../src/platform/database";
import type { Registry } from "../../../src/registry";
import { withIngestLock } from "../../../src/registry/runs/ingest-lock";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { startTcpProxy } from "../../support/tcp-proxy";
import { until } from "../../support/until";
import { connectAgain, directoryOf, entries, openOn, temporaryFolder, toText } from "../build";

const folder = temporaryFolder();
let database: TestDatabase;
let pools: Sql[] = [];
let open: Registry[] = [];

beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(async () => {
	await Promise.all(open.map((registry) => registry.close()));
	await Promise.all(pools.map((sql) => sql.end()));
	open = [];
	pools = [];
	await database.close();
});
afterAll(() => folder.remove());

/** Another process of the same host. */
async function openProcess(name: string, source: string, deps: Parameters<typeof openOn>[2] = {}): Promise<Registry> {
	const sql = connectAgain(database.url, name);
	pools.push(sql);
	const registry = await openOn(sql, source, deps);
	open.push(registry);
	return registry;
}

/** A source that starts to answer and ends on command, so that an ingest hangs in the middle of it. */
function slowSource(count: number) {
	const bytes = toText(entries(count));
	const begun = Promise.withResolvers<void>();
	const release = Promise.withResolvers<void>();
	const ended = Promise.withResolvers<void>();
	const server = Bun.serve({
		port: 0,
		fetch: (request) => {
			request.signal.addEventListener("abort", () => ended.resolve());
			const body = async function* () {
				yield bytes.subarray(0, 50);
				begun.resolve();
				await release.promise;
				yield bytes.subarray(50);
				ended.resolve();
			};
			return new Response(body());
		},
	});
	return {
		url: new URL("/rnc.txt", server.url).href,
		begun: begun.promise,
		release: () => release.resolve(),
		/** Read to its end, or cancelled by the client. */
		ended: ended.promise,
		stop: () => server.stop(true),
	};
}

const TURN = 7_301_004;

/** Acts like a failing-over server or a firewall. */
async function endHolder(): Promise<void> {
	const rows = await database.sql`
		select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${TURN} and granted`;
	expect(rows.length).toBe(1);
	await until(async () => {
		const left = await database.sql`
			select 1 from pg_locks where locktype = 'advisory' and objid = ${TURN} and granted`;
		return left.length === 0;
	});
}

const names = () => readdirSync(directoryOf(database.sql));
const snapshots = () => names().filter((name) => name.endsWith(".snapshot"));

test("a process that lost the lock publishes nothing and removes no other's files", async () => {
	const path = folder.write("lost.txt", toText(entries(50)));
	const [first, second] = [await openProcess("first", path), await openProcess("second", path)];
	const [left, taken] = [slowSource(52), slowSource(55)];
	try {
		const lost = first.ingest({ source: left.url }).then(
			({ result }) => result,
			() => "broke off",
		);
		await left.begun;
		await endHolder();
		const run = second.ingest({ source: taken.url });
		await taken.begun;
		left.release();
		await left.ended;
		expect(await lost).toBe("broke off");
		// The lock is held by the other process too, whose earlier ingest has stopped.
		const next = first.ingest({ source: path });
		taken.release();
		expect(await run).toMatchObject({ result: "ok", recordCount: 55 });
		expect(await next).toMatchObject({ result: "ok", recordCount: 50 });
		const runs = await database.sql<{ id: string }[]>`select id from registry_runs`;
		expect(runs.length).toBe(3);
		expect(
			snapshots()
				.map((name) => name.slice(0, 36))
				.sort(),
		).toEqual(runs.map(({ id }) => id).sort());
		expect(names().filter((name) => name.endsWith(".tmp"))).toEqual([]);
	} finally {
		await Promise.all([left.stop(), taken.stop()]);
	}
});

test("a process that lost the lock releases its source, so that waiting work starts", async () => {
	const path = folder.write("let-go.txt", toText(entries(50)));
	const registry = await openProcess("only", path);
	const source = slowSource(52);
	try {
		const lost = registry.ingest({ source: source.url }).catch(() => undefined);
		await source.begun;
		await endHolder();
		await Promise.all([lost, source.ended]);
		expect(names().filter((name) => name.endsWith(".tmp"))).toEqual([]);
		expect(await registry.ingest()).toMatchObject({ result: "unchanged" });
	} finally {
		await source.stop();
	}
});

test("a scheduled ingest that lost the lock is repeated before the next time", async () => {
	const begun = Promise.withResolvers<void>();
	const release = Promise.withResolvers<void>();
	let asked = 0;
	const server = Bun.serve({
		port: 0,
		fetch: () => {
			asked++;
			if (asked !== 2) return new Response(toText(entries(50 + asked)));
			const bytes = toText(entries(52));
			return new Response(
				(async function* () {
					yield bytes.subarray(0, 50);
					begun.resolve();
					await release.promise;
					yield bytes.subarray(50);
				})(),
			);
		},
	});
	try {
		const soon = new Date(Date.now() + 6_000);
		const schedule = `${soon.getUTCSeconds()} ${soon.getUTCMinutes()} ${soon.getUTCHours()} * * *`;
		const registry = await openProcess("planned", new URL("/rnc.txt", server.url).href, { schedule, retryMs: 1_500 });
		await until(() => registry.isLoaded() && registry.status().record_count === 51);
		await begun.promise;
		await endHolder();
		release.resolve();
		await until(() => registry.status().record_count === 53);
	} finally {
		await server.stop(true);
	}
}, 60_000);

/** A process whose network can be cut. */
async function openCut(stack: AsyncDisposableStack) {
	const proxy = await startTcpProxy({ port: Number(new URL(database.url).port) });
	stack.defer(proxy.stop);
	const address = new URL(database.url);
	address.port = String(proxy.port);
	const sql = connectAgain(address.href, "cut off");
	stack.defer(() => sql.end({ timeout: 1 }));
	const cut = () => {
		for (const link of proxy.links())
			for (const direction of ["upstream", "downstream"] as const)
				link.add(direction, { type: "timeout", timeoutMs: 0 });
	};
	return { sql, cut };
}

const QUIET_MAX_MS = 3_000;
const { signal } = new AbortController();
const takeTurn = (sql: Sql, wait: boolean, work: () => Promise<string> = async () => "taken") =>
	withIngestLock({ sql, signal }, wait, work, QUIET_MAX_MS);

/** Holds the lock until it is released. */
async function holdTurn(sql: Sql) {
	const held = Promise.withResolvers<void>();
	const working = Promise.withResolvers<string>();
	const ended = takeTurn(sql, true, () => {
		held.resolve();
		return working.promise;
	}).catch(() => "lost");
	await held.promise;
	return { ended, letGo: () => working.resolve("done") };
}

test("a holder with a dead connection keeps the lock only for the allowed silence", async () => {
	await using stack = new AsyncDisposableStack();
	const { sql, cut } = await openCut(stack);
	const holder = await holdTurn(sql);
	// Longer than that: its signs of life have kept the lock.
	await Bun.sleep(QUIET_MAX_MS + 1_000);
	expect(await takeTurn(database.sql, false)).toBeUndefined();
	cut();
	expect(await takeTurn(database.sql, true)).toBe("taken");
	holder.letGo();
}, 60_000);

test.each([true, false])("a holder may be silent for a minute, with or without waiting (%p)", async (wait) => {
	const { sql } = database;
	const timeout = await withIngestLock({ sql, signal }, wait, async (tx) => {
		const [row] = await tx<{ idle: string }[]>`select current_setting('idle_in_transaction_session_timeout') as idle`;
		return row?.idle;
	});
	expect(timeout).toBe("1min");
});

test("a waiter needs no connection until it gets the lock", async () => {
	await using stack = new AsyncDisposableStack();
	const sql = connect({ url: database.url, name: "single", connectionsMax: 1 });
	stack.defer(() => sql.end({ timeout: 1 }));
	const holder = await holdTurn(database.sql);
	const waits = Promise.withResolvers<void>();
	const taken = withIngestLock({ sql, signal, onWait: waits.resolve }, true, async () => "taken");
	await waits.promise;
	expect(await sql`select 1`).toHaveLength(1);
	holder.letGo();
	expect(await taken).toBe("taken");
});
