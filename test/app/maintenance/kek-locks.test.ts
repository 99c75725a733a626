/** A key rotation beside transactions that lock several of the same rows. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lockRowsUnderOthers, SEALED_COLUMNS } from "../../../src/app/maintenance/kek-rotation";
import { beginProbes } from "../../../src/events/endpoints";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany } from "../../support/submission";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("endpoints are locked in the order of probes, so that there is no deadlock", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const ids = [newId(), newId()].sort();
	// A scan meets the last id first.
	for (const id of ids.toReversed())
		await sql`
			insert into webhook_endpoints (id, subject_id, tenant_id, url, events, sealed_secret, secret_hint)
			values (${id}, ${tenantId}, ${tenantId}, 'https://receiver.example/', '["*"]', 'sealed-under-another', '')`;
	const column = SEALED_COLUMNS.find((one) => one.column === "sealed_secret");
	if (!column) throw new Error("endpoints have a sealed secret");
	const untilWaiting = (sessions: number) =>
		until(async () => {
			const waiting = await owner`
				select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
			return waiting.length === sessions;
		});
	let both: Promise<readonly [unknown[], unknown[]]> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from webhook_endpoints where id = ${ids[0] ?? ""} for update`;
		const begun = sql.begin((other) =>
			beginProbes(
				other,
				ids.map((id) => ({ id, tenantId })),
				60,
			),
		);
		begun.catch(() => undefined);
		await untilWaiting(1);
		both = Promise.all([begun, sql.begin((other) => lockRowsUnderOthers(other, column, new Uint8Array(8), 200))]);
		both.catch(() => undefined);
		await untilWaiting(2);
	});
	expect((await both)?.map((rows) => rows.length)).toEqual([2, 2]);
});
