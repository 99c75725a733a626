import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { newId } from "../../../src/platform/values";
import {
	eraseChanges,
	readFeed,
	recordBreak,
	recordChanges,
	SETS_KEPT,
} from "../../../src/registry/changes/changes-store";
import { blockErasures } from "../../../src/registry/erasure/tombstones-store";
import type { RegistryChange } from "../../../src/registry/index/compare";
import { insertRun, listRunsBefore } from "../../../src/registry/runs/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import { runRow } from "../in-memory";

let database: TestDatabase;
beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(() => database.close());

const digestOf = (digits: string) => createHash("sha256").update(digits).digest();
const added = (...numbers: number[]): RegistryChange[] =>
	numbers.map((n) => ({ kind: "added", document: String(990_000_000 + n) }));

async function addRun(changes: Iterable<RegistryChange> | "break"): Promise<string> {
	const run = runRow({ runId: newId() });
	await database.sql.begin(async (tx) => {
		await insertRun(tx, run);
		if (changes === "break") await recordBreak(tx, run);
		else await recordChanges(tx, run, changes, { digestOf, blockErasures });
	});
	return run.runId;
}

const read = (runId: string, after?: number, limit = 100) => readFeed(database.sql, { runId, after, limit });

async function putTombstone(digits: string): Promise<void> {
	await database.sql.begin(async (tx) => {
		await tx`
			insert into registry_tombstones (digest, purge_id, purged_at, legal_basis, request_reference, requested_by, reason)
			values (${digestOf(digits)}, ${newId()}, now(), 'court-order', 'r', 'b', 'w')`;
		await eraseChanges(tx, digestOf(digits));
	});
}

describe("the feed of changes", () => {
	test("is empty before the first run and for a run that was not recorded", async () => {
		expect(await read(newId())).toMatchObject({ floor: 0, head: 0, last: 0, rows: [] });
		await addRun(added(1));
		expect(await read(newId())).toMatchObject({ floor: 0, head: 0, last: 1, rows: [] });
	});

	test("numbers the changes of all runs consecutively", async () => {
		const first = await addRun(added(1, 2));
		const second = await addRun([{ kind: "removed", document: "990000001" }]);
		const feed = await read(second);
		expect(feed).toMatchObject({ floor: 0, head: 3, last: 3 });
		expect(feed.rows.map(({ number, kind, document, runId }) => ({ number, kind, document, runId }))).toEqual([
			{ number: 1, kind: "added", document: "990000001", runId: first },
			{ number: 2, kind: "added", document: "990000002", runId: first },
			{ number: 3, kind: "removed", document: "990000001", runId: second },
		]);
		expect(feed.rows[0]?.at).toEqual(runRow().finishedAt);
		expect((await read(second, 1, 1)).rows.map((row) => row.number)).toEqual([2]);
	});

	test("ends at the run in use", async () => {
		const first = await addRun(added(1, 2));
		await addRun(added(3));
		expect(await read(first)).toMatchObject({ head: 2, last: 3 });
		expect((await read(first)).rows).toHaveLength(2);
	});

	test("continues after a run that comes into use again", async () => {
		const first = await addRun(added(1));
		await addRun(added(2));
		await database.sql.begin((tx) =>
			recordChanges(tx, runRow({ runId: first }), [{ kind: "removed", document: "990000002" }], {
				digestOf,
				blockErasures,
			}),
		);
		expect(await read(first)).toMatchObject({ head: 3, last: 3 });
	});

	test(`keeps ${SETS_KEPT} runs`, async () => {
		const runs: string[] = [];
		for (let i = 0; i < SETS_KEPT + 2; i++) runs.push(await addRun(i === 5 ? [] : added(i)));
		const feed = await read(runs.at(-1) ?? "");
		expect(feed.floor).toBe(2);
		expect(feed.rows[0]?.number).toBe(3);
		const [row] = await database.sql<{ n: number }[]>`select count(*)::int as n from registry_changes`;
		expect(row?.n).toBe(SETS_KEPT - 1);
	});

	test("restarts after an unknown difference, so that every earlier cursor expires", async () => {
		const first = await addRun(added(1, 2));
		const { head } = await read(first);
		const broken = await addRun("break");
		expect(await read(broken)).toMatchObject({ floor: head + 1, head: head + 1, last: head + 1, rows: [] });
		const next = await addRun(added(3));
		const feed = await read(next);
		expect(feed.floor).toBe(head + 1);
		expect(feed.rows.map((row) => row.number)).toEqual([head + 2]);
	});

	test("stores more changes than fit into one statement", async () => {
		const runId = await addRun(added(...Array.from({ length: 12_001 }, (_, i) => i)));
		const feed = await read(runId, 12_000);
		expect(feed.head).toBe(12_001);
		expect(feed.rows.map((row) => row.document)).toEqual(["990012000"]);
	});

	test("is written with its run or not at all", async () => {
		function* failing(): Generator<RegistryChange> {
			yield* added(1);
			throw new Error("broken off");
		}
		await expect(addRun(failing())).rejects.toThrow("broken off");
		const runId = await addRun(added(2));
		expect((await read(runId)).rows.map((row) => row.number)).toEqual([1]);
	});
});

describe("an erased number", () => {
	test("is removed from the feed without affecting other changes", async () => {
		await addRun(added(1, 2, 3));
		const runId = await addRun([{ kind: "changed", document: "990000002" }]);
		await putTombstone("990000002");
		const feed = await read(runId);
		expect(feed.rows.map((row) => row.document)).toEqual(["990000001", "990000003"]);
		expect(feed.head).toBe(4);
	});

	test("is not written by a later run, not even as removed", async () => {
		await putTombstone("990000002");
		const runId = await addRun([...added(1), { kind: "removed", document: "990000002" }]);
		expect((await read(runId)).rows.map((row) => row.document)).toEqual(["990000001"]);
		const [row] = await database.sql<{ n: number }[]>`select count(*)::int as n from registry_changes`;
		expect(row?.n).toBe(1);
	});

	test("is removed when erased while its run is being written", async () => {
		const written = Promise.withResolvers<void>();
		const goOn = Promise.withResolvers<void>();
		const runId = newId();
		const run = database.sql.begin(async (tx) => {
			await insertRun(tx, runRow({ runId }));
			await recordChanges(tx, runRow({ runId }), added(1, 2), { digestOf, blockErasures });
			written.resolve();
			await goOn.promise;
		});
		await written.promise;
		const erasure = putTombstone("990000002");
		await until(async () => {
			const [row] = await database.sql`select count(*)::int as n from pg_locks where not granted`;
			return row?.n === 1;
		});
		goOn.resolve();
		await Promise.all([run, erasure]);
		expect((await read(runId)).rows.map((row) => row.document)).toEqual(["990000001"]);
	});

	test("is removed when its run is written during the erasure", async () => {
		const erased = Promise.withResolvers<void>();
		const goOn = Promise.withResolvers<void>();
		const erasure = database.sql.begin(async (tx) => {
			await tx`
				insert into registry_tombstones (digest, purge_id, purged_at, legal_basis, request_reference, requested_by, reason)
				values (${digestOf("990000002")}, ${newId()}, now(), 'court-order', 'r', 'b', 'w')`;
			await eraseChanges(tx, digestOf("990000002"));
			erased.resolve();
			await goOn.promise;
		});
		await erased.promise;
		const run = addRun(added(1, 2));
		await until(async () => {
			const [row] = await database.sql`select count(*)::int as n from pg_locks where not granted`;
			return row?.n === 1;
		});
		goOn.resolve();
		await erasure;
		expect((await read(await run)).rows.map((row) => row.document)).toEqual(["990000001"]);
	});
});

test("runs are listed newest first, page by page", async () => {
	const runs: string[] = [];
	for (let i = 0; i < 5; i++) runs.unshift(await addRun(added(i)));
	const first = await listRunsBefore(database.sql, undefined, 3);
	expect(first.map((run) => run.runId)).toEqual(runs.slice(0, 3));
	const rest = await listRunsBefore(database.sql, first.at(-1)?.runId, 3);
	expect(rest.map((run) => run.runId)).toEqual(runs.slice(3));
});
