/** Knowing that a database says nothing, which is other than being down. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createWriteWatch, type DatabaseWatch, watchDatabase } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy";
import { until } from "../../support/until";

let database: TestDatabase;
let proxy: TcpProxy;
let watch: DatabaseWatch;
beforeAll(async () => {
	database = await openTestDatabase();
	const url = new URL(database.url);
	proxy = await startTcpProxy({ port: Number(url.port) });
	url.port = String(proxy.port);
	watch = watchDatabase({ url: url.href, everyMs: 20, limitMs: 500 });
});
afterEach(() => {
	proxy.setEnabled(true);
	proxy.heal();
});
afterAll(async () => {
	await watch.stop();
	await proxy.stop();
	await database.close();
});

test("a silent network is reported once, and over when it heals", async () => {
	let reported = 0;
	const forget = watch.onSilent(() => reported++);
	watch.onSilent(() => reported++);
	forget();
	expect(watch.isSilent()).toBe(false);
	proxy.add("downstream", { type: "timeout", timeoutMs: 0 });
	await until(watch.isSilent);
	expect(reported).toBe(1);
	proxy.heal();
	await until(() => !watch.isSilent());
	proxy.add("upstream", { type: "timeout", timeoutMs: 0 });
	await until(watch.isSilent);
	expect(reported).toBe(1);
	proxy.heal();
	await until(() => !watch.isSilent());
});

test("a server that refuses connections is not silent: its errors are answers", async () => {
	const before = proxy.count();
	proxy.setEnabled(false);
	await until(() => proxy.count() > before + 3);
	expect(watch.isSilent()).toBe(false);
});

test("a busy process does not take its own pause for the database's silence", async () => {
	let reported = 0;
	const forget = watch.onSilent(() => reported++);
	// So that a question is under way when the process gets busy.
	proxy.add("downstream", { type: "latency", latencyMs: 100, jitterMs: 0 });
	// Time itself is what is tested: how long the process is busy, and that it then has a moment to hear what has come.
	for (let round = 0; round < 4; round++) {
		const end = performance.now() + 700;
		while (performance.now() < end);
		await Bun.sleep(60);
		expect(watch.isSilent()).toBe(false);
	}
	forget();
	expect(reported).toBe(0);
});

test("a write counts for five seconds, unless a statement fails meanwhile", async () => {
	let now = 0;
	let writes = 0;
	const counted = ((...query: Parameters<typeof database.sql>) => {
		writes++;
		return database.sql(...query);
	}) as typeof database.sql;
	const { canWrite, noteFailed } = createWriteWatch(counted, () => now);
	expect([await canWrite(), await canWrite(), writes]).toEqual([true, true, 1]);
	now = 5_000;
	expect([await canWrite(), writes]).toEqual([true, 2]);
	noteFailed();
	now = 9_999;
	expect([await canWrite(), writes]).toEqual([false, 2]);
	now = 10_000;
	expect([await canWrite(), writes]).toEqual([true, 3]);
});
