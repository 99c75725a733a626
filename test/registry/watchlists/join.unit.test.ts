import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "../../../src/platform/database";
import { systemClock } from "../../../src/platform/values";
import type { ChangeWithFields } from "../../../src/registry/changes/changes-store";
import { keyOf } from "../../../src/registry/index/document-key";
import { leaveWatchlists } from "../../../src/registry/watchlists/holding";
import { EVENTS_MAX, joinAll, type WriteWatchEvents } from "../../../src/registry/watchlists/join";
import {
	joinNumbers,
	packNumbers,
	packWatched,
	unpackNumbers,
	unpackWatched,
} from "../../../src/registry/watchlists/numbers";
import { findNumbers } from "../../../src/registry/watchlists/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addListTo, addRunTo } from "./lists";

test("numbers of both lengths come back from their packed form, and are joined", () => {
	const watched = ["101000023", "131880681", "00100000017", "99999999999", "000000001"].map((digits) => {
		return { key: keyOf(digits), reference: digits.slice(-2) };
	});
	const packed = packWatched(watched);
	const ascending = [...watched].sort((a, b) => a.key - b.key);
	expect(unpackWatched(packed)).toEqual(ascending);
	const keys = Float64Array.from([0, keyOf("131880681"), keyOf("131880682"), keyOf("99999999999")]);
	const places = joinNumbers(packed.numbers, keys).map(([place, at]) => [ascending[place]?.key, keys[at]]);
	expect(places).toEqual([keys[1], keys[3]].map((key) => [key, key]));
	expect([...unpackNumbers(packNumbers([]))]).toEqual([]);
});

describe("the join of a run", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await openTestDatabase();
		await database.owner`create table sent (subject uuid, event text, registry json)`;
		await database.owner`grant select, insert on sent to public`;
	});
	beforeEach(async () => {
		await database.owner`truncate watchlists, registry_change_sets, sent cascade`;
	});
	afterAll(() => database.close());

	const addList = (digits: readonly string[]) => addListTo(database.sql, { digits });
	const addRun = (changes: readonly ChangeWithFields[]) => addRunTo(database.sql, changes);

	type Sent = { subject: string; event: string; registry: unknown };
	/**
	 * Keeps events in a table, so that a rollback takes them back. The nth call loses its connection, as of a process that is killed: before it
	 * writes, or after.
	 */
	async function collect(killAt = Number.POSITIVE_INFINITY, when: "before" | "after" = "before"): Promise<void> {
		let calls = 0;
		const writeEvents: WriteWatchEvents = async (tx, subject, _, events) => {
			const isKilled = ++calls === killAt;
			if (isKilled && when === "before") await tx`select pg_terminate_backend(pg_backend_pid())`;
			for (const { event, registry } of events)
				await tx`insert into sent values (${subject}, ${event}, ${JSON.stringify(registry)}::text::json)`;
			if (isKilled) await tx`select pg_terminate_backend(pg_backend_pid())`;
		};
		// Each call is a process of its own.
		const sql = connect({ url: database.url, name: "a process", connectionsMax: 1 });
		await joinAll({ sql, clock: systemClock, writeEvents, wake: () => undefined }).finally(() =>
			sql.end({ timeout: 0 }),
		);
	}
	const listSent = () => database.sql<Sent[]>`select subject, event, registry from sent`;

	const suspended: ChangeWithFields = {
		...{ kind: "changed", document: "131880681" },
		fields: [
			{ field: "status", was: "ACTIVO", is: "SUSPENDIDO" },
			{ field: "payment_regime", was: "RST", is: "NORMAL" },
		],
	};
	const renamed: ChangeWithFields = {
		...{ kind: "changed", document: "101000023" },
		fields: [{ field: "payment_regime", was: "RST", is: "NORMAL" }],
	};

	test("sends the watched values that changed, and no others", async () => {
		const [subject, id] = await addList(["131880681", "101000023"]);
		await addList(["990000001"]);
		const runId = await addRun([renamed, suspended]);
		await collect();
		const registry = {
			...{ document: "131880681", change: "changed", risk: true },
			fields: [{ field: "status", was: "ACTIVO", is: "SUSPENDIDO" }],
			...{ run_id: runId, watchlists: [{ id, reference: "R-131880681" }], watchlistsOmitted: 0 },
		};
		expect([...(await listSent())]).toEqual([{ subject, event: "registry.record_changed", registry }]);
	});

	test("sends each event once in spite of 20 kills", async () => {
		for (let i = 0; i < 9; i++) await addList(["131880681"]);
		await addRun([suspended]);
		await addRun([{ kind: "removed", document: "131880681" }]);
		let kills = 0;
		for (let kill = 0; kill < 20; kill++) {
			await collect((kill % 3) + 1, kill % 2 === 0 ? "before" : "after").catch(() => kills++);
		}
		expect(kills).toBe(20);
		await collect();
		await collect();
		const sent = (await listSent()).map(({ subject, registry }) => `${subject} ${JSON.stringify(registry)}`);
		expect(sent).toHaveLength(18);
		expect(new Set(sent).size).toBe(18);
	});

	test("sends one event for more changes of a run than the limit", async () => {
		const documents = Array.from({ length: EVENTS_MAX + 1 }, (_, i) => String(990_100_000 + i));
		await addList(documents);
		await addRun(documents.map((document) => ({ kind: "removed", document })));
		await collect();
		const counts = { added: 0, changed: 0, removed: EVENTS_MAX + 1, risk: EVENTS_MAX + 1 };
		expect([...(await listSent())]).toMatchObject([{ event: "registry.watchlist_changed", registry: { counts } }]);
	});

	test("an erased number sends nothing and leaves the lists", async () => {
		const [, id] = await addList(["131880681", "101000023"]);
		await addRun([suspended]);
		await database.sql.begin(async (tx) => {
			await tx`delete from registry_changes where document = '131880681'`;
			await leaveWatchlists(tx, "131880681");
		});
		await collect();
		expect([...(await listSent())]).toEqual([]);
		expect(unpackWatched(await findNumbers(database.sql, id))).toEqual([
			{ key: keyOf("101000023"), reference: "R-101000023" },
		]);
	});
});
