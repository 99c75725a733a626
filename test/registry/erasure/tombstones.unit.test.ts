import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { newId } from "../../../src/platform/values";
import { createTombstones } from "../../../src/registry/erasure/tombstones";
import { listErasedForRun, markReturned, reverseTombstone } from "../../../src/registry/erasure/tombstones-store";
import { insertRun } from "../../../src/registry/runs/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import { PEPPER } from "../build";
import { runRow } from "../in-memory";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	await database.sql`delete from registry_tombstones`;
});

const open = () => createTombstones(database.sql, PEPPER);
const digestOf = (digits: string) => open().digestOf(digits);

async function put(digits: string): Promise<string> {
	const id = newId();
	await database.sql`
		insert into registry_tombstones (digest, purge_id, purged_at, legal_basis, request_reference, requested_by, reason)
		values (${digestOf(digits)}, ${id}, now(), 'court-order', 'R-1', 'x@example.do', 'Order')`;
	return id;
}
const lift = (id: string) => database.sql`
	update registry_tombstones set digest = null, reversed_at = now() where purge_id = ${id}`;

test("a refresh adds the database's tombstones and drops reversed ones", async () => {
	const tombstones = open();
	const id = await put("990000001");
	await put("990000002");
	expect(tombstones.isErased("990000001")).toBe(false);
	await tombstones.refresh();
	expect(["990000001", "990000002", "990000003"].map(tombstones.isErased)).toEqual([true, true, false]);
	await lift(id);
	expect(tombstones.isErased("990000001")).toBe(true);
	await tombstones.refresh();
	expect(["990000001", "990000002"].map(tombstones.isErased)).toEqual([false, true]);
	expect(tombstones.copy().digests).toEqual([digestOf("990000002").toString("hex")]);
});

test("a reversed number stays erased until its return is recorded", async () => {
	const tombstones = open();
	const id = await put("990000001");
	await put("990000002");
	await database.sql.begin((tx) => reverseTombstone(tx, id, new Date()));
	await tombstones.refresh();
	expect(["990000001", "990000002"].map(tombstones.isErased)).toEqual([true, true]);
	const { digests, unreturned } = await database.sql.begin((tx) => listErasedForRun(tx));
	expect(digests).toEqual([digestOf("990000002").toString("hex")]);
	expect(unreturned).toEqual([id]);
	const { fingerprint } = tombstones.copyOf(digests);
	expect(fingerprint).not.toBe(tombstones.fingerprint());
	const run = runRow({ runId: newId() });
	await database.sql.begin(async (tx) => {
		await insertRun(tx, run);
		await markReturned(tx, unreturned, run.runId);
	});
	await tombstones.refresh();
	expect(["990000001", "990000002"].map(tombstones.isErased)).toEqual([false, true]);
	expect(tombstones.fingerprint()).toBe(fingerprint);
	const held = await database.sql`select 1 from registry_tombstones where held_digest is not null`;
	expect(held.length).toBe(0);
});

test("the fingerprint identifies the set whatever was added and removed", async () => {
	const one = open();
	const other = open();
	expect(one.fingerprint()).toBe(other.fingerprint());
	const id = await put("990000001");
	await put("990000002");
	await one.refresh();
	for (const digits of ["990000002", "990000001"]) other.add(digestOf(digits).toString("hex"));
	expect(one.fingerprint()).toBe(other.fingerprint());
	await lift(id);
	await one.refresh();
	expect(one.fingerprint()).not.toBe(other.fingerprint());
	const third = open();
	third.add(digestOf("990000002").toString("hex"));
	expect(one.fingerprint()).toBe(third.fingerprint());
	expect(one.isEmpty()).toBe(false);
});

describe("a database result that is older than", () => {
	/** Delays every read of the tombstones while `work` runs. */
	async function whileReading(work: () => Promise<void> | void, read: () => Promise<void>): Promise<void> {
		let reading: Promise<void> | undefined;
		await database.sql.begin(async (tx) => {
			await tx`lock table registry_tombstones in access exclusive mode`;
			reading = read();
			await until(async () => {
				const [row] = await database.sql`
					select count(*)::int as n from pg_locks where relation = 'registry_tombstones'::regclass and not granted`;
				return row?.n === 1;
			});
			await work();
		});
		await reading;
	}

	test("an announced erasure does not undo it", async () => {
		const tombstones = open();
		await whileReading(
			() => tombstones.add(digestOf("990000001").toString("hex")),
			() => tombstones.refresh(),
		);
		expect(tombstones.isErased("990000001")).toBe(true);
		// It is in no table, so the next refresh removes it.
		await tombstones.refresh();
		expect(tombstones.isErased("990000001")).toBe(false);
	});

	test("a repeated announcement does not undo it either", async () => {
		const tombstones = open();
		tombstones.add(digestOf("990000001").toString("hex"));
		await whileReading(
			() => tombstones.add(digestOf("990000001").toString("hex")),
			() => tombstones.refresh(),
		);
		expect(tombstones.isErased("990000001")).toBe(true);
	});
});

test("a failed refresh leaves the set unchanged, and the next one works", async () => {
	const tombstones = open();
	await put("990000001");
	await tombstones.refresh();
	await database.owner`alter table registry_tombstones rename to elsewhere`;
	await expect(tombstones.refresh()).rejects.toThrow("does not exist");
	expect(tombstones.isErased("990000001")).toBe(true);
	await database.owner`alter table elsewhere rename to registry_tombstones`;
	await tombstones.refresh();
	expect(tombstones.isErased("990000001")).toBe(true);
});
