/** A start without a synchronous standby is refused with what to set, and its loss is noticed while the service runs. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkReplicated, connect, UnreplicatedError, watchReplication } from "../../../src/platform/database";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { type Pair, startPair } from "../../support/standby";
import { until } from "../../support/until";

const TIMEOUT_MS = 60_000;

let pair: Pair;
beforeAll(async () => {
	pair = await startPair();
}, TIMEOUT_MS);
afterAll(() => pair.stop(), TIMEOUT_MS);

const faultOf = async (sql = pair.primary.sql): Promise<string> => {
	const error = await checkReplicated(sql).catch((thrown: unknown) => thrown);
	if (error === undefined) return "none";
	expect(error).toBeInstanceOf(UnreplicatedError);
	return (error as Error).message;
};

test("an asynchronous standby, a weak commit and a missing right are named", async () => {
	const { sql, url } = pair.primary;
	expect(await faultOf()).toBe(
		"DURABILITY=replicated needs a synchronous standby, and none is connected: set synchronous_standby_names in PostgreSQL, or synchronous_mode: true in Patroni, and start the standby. Or accept that acknowledged invoices are lost with the server: DURABILITY=single",
	);
	await pair.setSynchronous(true);
	expect(await faultOf()).toBe("none");
	await sql.unsafe("create role plain login; alter role plain set synchronous_commit = 'remote_write'");
	const plainUrl = url.replace("postgres@", "plain@");
	const weak = connect({ url: plainUrl, name: "test weak", connectionsMax: 1 });
	expect(await faultOf(weak)).toContain(
		"synchronous_commit = on or remote_apply in PostgreSQL, and it is remote_write",
	);
	await weak.end();
	await sql`alter role plain reset synchronous_commit`;
	const plain = connect({ url: plainUrl, name: "test plain", connectionsMax: 1 });
	expect(await faultOf(plain)).toContain("grant pg_read_all_stats to plain");
	await sql`grant pg_read_all_stats to plain`;
	expect(await faultOf(plain)).toBe("none");
	await plain.end();
});

test("a loss is noticed and so is the return, in figures and by the watch", async () => {
	await pair.setSynchronous(true);
	const metrics = createMetrics();
	const { sql } = pair.primary;
	const watch = watchReplication({ sql, log: createLog("silent", "test"), metrics, everyMs: 20 });
	const standbys = async () => (await metrics.synchronousStandbys.get()).values[0]?.value;
	expect(watch.isReplicated()).toBe(true);
	await pair.setSynchronous(false);
	await until(() => !watch.isReplicated());
	expect(await standbys()).toBe(0);
	await pair.setSynchronous(true);
	await until(() => watch.isReplicated());
	expect(await standbys()).toBe(1);
	watch.close();
});
