/** A void beside a document that gives its number back and another one that takes it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { storeParts } from "../../../src/invoicing/invoices/issue/issue-store";
import { requestVoid } from "../../../src/invoicing/sequences/request-void";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany, addInvoice } from "../../support/submission";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("a void, a returned number and its reuse do not deadlock", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	await owner`insert into sequence_types (tenant_id, type) values (${tenantId}, '31')`;
	const first = await addInvoice(sql, tenantId);
	const untilWaiting = (sessions: number) =>
		until(async () => {
			const waiting = await owner`
				select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
			return waiting.length === sessions;
		});
	const at = { now: new Date(), today: "2026-11-23" };
	const request = { type: "31", from: "E319000000001", to: "E319000000005", reason: "Punto de venta cerrado" } as const;
	let all: Promise<unknown[]> | undefined;
	await owner.begin(async (tx) => {
		await tx`select release_numbers(array[${tenantId}::uuid], array[${first.docId}::uuid])`;
		// The void waits for the type, the other document for the number.
		const voided = sql.begin((other) => requestVoid(other, tenantId, request, at));
		voided.catch(() => undefined);
		await untilWaiting(1);
		const stored = storeParts(sql, [{ row: { ...first, docId: newId() } }]);
		stored.catch(() => undefined);
		await untilWaiting(2);
		all = Promise.all([voided, stored]);
		all.catch(() => undefined);
	});
	expect((await all)?.[1]).toEqual(["stored"]);
});
