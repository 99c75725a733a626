/** The database gauges: read, cached, missing and back. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createDatabaseCollector } from "../../../src/app/metrics/database-gauges";
import { connect, type Sql } from "../../../src/platform/database";
import { createMetrics, mergeMetrics } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { captureLog } from "../../api/support/log";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy";
import { until } from "../../support/until";

let database: TestDatabase;
let proxy: TcpProxy;
let sql: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	const url = new URL(database.url);
	proxy = await startTcpProxy({ port: Number(url.port) });
	url.hostname = "127.0.0.1";
	url.port = String(proxy.port);
	sql = connect({ url: url.href, name: "figures", connectionsMax: 2 });
});
afterAll(async () => {
	await sql.end({ timeout: 1 });
	await proxy.stop();
	await database.close();
}, 60_000);

function open(readEveryMs?: number) {
	const metrics = createMetrics();
	const { log, lines } = captureLog();
	const notify = createDatabaseCollector({ sql, paperDays: 3, clock: systemClock, metrics, log }, readEveryMs);
	const read = async (name: string) => {
		await notify();
		const text = await mergeMetrics([await metrics.share()]);
		const line = text.split("\n").find((one) => one.startsWith(`${name} `));
		return line === undefined ? undefined : Number(line.split(" ")[1]);
	};
	return { read, lines };
}

const DEAD = 'sello_dead_letters{kind="invoice.submit"}';
const addDead = (kind: string) => database.sql`
	insert into outbox (id, kind, tenant_id, subject, state, settled_at)
	values (${newId()}, ${kind}, ${newId()}, ${newId()}, 'dead', now())`;

test("missing figures are reported as 0, and known kinds stay", async () => {
	const { read } = open(0);
	expect(await read(DEAD)).toBe(0);
	expect(await read('sello_outbox_due_oldest_seconds{kind="invoice.submit"}')).toBe(0);
	for (const within of ["1d", "7d", "30d", "ended"])
		expect(await read(`sello_certificates_ending{within="${within}"}`)).toBe(0);
	await addDead("sequence.void");
	expect(await read('sello_dead_letters{kind="sequence.void"}')).toBe(1);
	await database.owner`truncate outbox`;
	expect(await read('sello_dead_letters{kind="sequence.void"}')).toBe(0);
});

test("the database is read once in a while, however often scrapes come", async () => {
	const { read } = open();
	expect(await read(DEAD)).toBe(0);
	await addDead("invoice.submit");
	expect(await read(DEAD)).toBe(0);
	expect(await open().read(DEAD)).toBe(1);
	await database.owner`truncate outbox`;
});

test.each(["refuses", "is silent"])(
	"a database that %s costs the figures and one line of the log, and they come back with it",
	async (how) => {
		const { read, lines } = open(0);
		expect(await read(DEAD)).toBe(0);
		if (how === "refuses") proxy.setEnabled(false);
		else proxy.add("downstream", { type: "timeout", timeoutMs: 0 });
		for (const name of [DEAD, DEAD, 'sello_certificates_ending{within="7d"}']) expect(await read(name)).toBeUndefined();
		expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
			["warn", "database metrics could not be read; left out"],
		]);
		proxy.heal();
		proxy.setEnabled(true);
		await until(async () => (await read(DEAD)) === 0);
		expect(lines).toHaveLength(1);
	},
	60_000,
);
