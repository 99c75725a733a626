import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../../src/registry/history";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import { directoryOf, entries, openOn, PEPPER, settableClock, temporaryFolder, toText, toZip } from "../build";

const folder = temporaryFolder();
let database: TestDatabase;

beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(() => database.close());
afterAll(() => folder.remove());

const snapshots = () => readdirSync(directoryOf(database.sql)).filter((name) => name.endsWith(".snapshot"));

/** Starts an ingest in a separate process, which ends itself at the given step. */
function startIngest(source: string, step: string) {
	return Bun.spawn(
		[
			process.execPath,
			join(import.meta.dir, "killed-ingest.process.ts"),
			database.url,
			directoryOf(database.sql),
			source,
			Buffer.from(PEPPER).toString("hex"),
			step,
			"2026-11-21T12:00:00Z",
		],
		{ stdout: "inherit", stderr: "inherit" },
	);
}

/** The last good run is served at once from its file, and the next ingest succeeds. */
async function expectRecovery(source: string, runId: string): Promise<void> {
	const clock = settableClock(new Date("2026-11-22T12:00:00Z"));
	const registry = await openOn(database.sql, `${source}.missing`, { retryMs: 1_000_000, clock });
	expect(registry.runId()).toBe(runId);
	expect(registry.lookup({ digits: "990000001", kind: "rnc" })).toBeDefined();
	expect(registry.lookup({ digits: "990000205", kind: "rnc" })).toBeUndefined();
	expect(await registry.ingest({ source })).toMatchObject({ result: "ok", recordCount: 210 });
	expect(registry.lookup({ digits: "990000205", kind: "rnc" })).toBeDefined();
	const left = readdirSync(directoryOf(database.sql));
	expect(left.filter((name) => !/\.(snapshot|history)$/.test(name))).toEqual([]);
	expect(left.length).toBe(4);
	// The killed ingest has left no period.
	const asked = { limit: 10, historyDays: null };
	const { begins, periods } = registry.historyOf({ digits: "990000205", kind: "rnc" }, asked);
	expect([begins, periods.length, periods[0]?.from]).toEqual(["2026-11-20", 1, dayOf(clock.now())]);
	const rows = await database.sql`select distinct until::text, count(*)::int from registry_history group by until`;
	expect([...rows]).toEqual([{ until: "2026-11-22", count: 10 }]);
	await registry.close();
}

async function firstRun(): Promise<string> {
	const clock = settableClock(new Date("2026-11-20T12:00:00Z"));
	const registry = await openOn(database.sql, folder.write("first.zip", toZip(toText(entries(200)))), { clock });
	await registry.close();
	return registry.runId() ?? "";
}

test.each(["fetch", "unpack", "parse", "build", "verify", "compare", "publish"])(
	"after a kill at the step %s the last good run is served at once",
	async (step) => {
		const runId = await firstRun();
		const source = folder.write("second.zip", toZip(toText(entries(210))));
		const child = startIngest(source, step);
		await child.exited;
		expect(child.signalCode).toBe("SIGKILL");
		await expectRecovery(source, runId);
	},
	120_000,
);

test("after a kill between publishing and recording the last good run is served", async () => {
	const runId = await firstRun();
	const source = folder.write("second.zip", toZip(toText(entries(210))));
	await database.sql.begin(async (tx) => {
		// Blocks writes, so that the ingest hangs when it records its run.
		await tx`lock table registry_runs in share mode`;
		const child = startIngest(source, "never");
		await until(() => snapshots().length === 2);
		child.kill("SIGKILL");
		await child.exited;
	});
	await expectRecovery(source, runId);
}, 120_000);
