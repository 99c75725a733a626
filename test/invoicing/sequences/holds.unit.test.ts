/** Requests that come again while they are being stored. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { extendPlacedHolds } from "../../../src/invoicing/sequences/hold-store";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("extending holds and storing documents do not deadlock", async () => {
	const { sql, owner } = database;
	const [tenantId, sequenceId] = [newId(), newId()];
	await owner`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, 'staging', 'test', '100000001', 'FERRETERIA', 'free', '{}', '{}')`;
	await owner`insert into sequence_types (tenant_id, type) values (${tenantId}, '31')`;
	await owner`insert into sequences (id, tenant_id, type, numbers, free) values (${sequenceId}, ${tenantId}, '31', '[1,10]', '{}')`;
	const ids = [newId(), newId()].sort();
	// The last in the order of ids is the first that a scan meets.
	for (const id of ids.toReversed())
		await owner`
			insert into sequence_holds (id, sequence_id, tenant_id, type, numbers, place, expires_at)
			values (${id}, ${sequenceId}, ${tenantId}, '31', ${id === ids[0] ? "{[1,2)}" : "{[2,3)}"}, ${id}, now() + interval '1 minute')`;
	const untilWaiting = (sessions: number) =>
		until(async () => {
			const waiting = await owner`
				select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
			return waiting.length === sessions;
		});
	let both: Promise<readonly unknown[][]> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from sequence_holds where id = ${ids[0] ?? ""} for update`;
		const stored = Promise.resolve(
			sql<{ id: string }[]>`select id from sequence_holds where id = any(${ids}::uuid[]) order by id for update`,
		);
		await untilWaiting(1);
		both = Promise.all([stored, sql.begin((other) => extendPlacedHolds(other, tenantId, ids.toReversed(), 60))]);
		both.catch(() => undefined);
		await untilWaiting(2);
	});
	expect((await both)?.map((rows) => rows.length)).toEqual([2, 2]);
});
