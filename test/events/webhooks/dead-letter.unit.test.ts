/** Dead letters, as an operator lists and recovers them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { getEndpoint } from "../../../src/events/endpoints";
import { listDeadLetters } from "../../../src/events/webhooks";
import { recoverFirstPages, recoverPage } from "../../../src/events/webhooks/dead-letter";
import { operatorActor } from "../../../src/identity/audit-log";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addEndpoint, addTenant } from "./tenant";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

async function addDeadLetters(tenantId: string, count: number, endpointId = tenantId): Promise<void> {
	await database.owner`
		with written as (
			insert into events (tenant_id, sequence, id, event, doc_id, body, endpoint_ids)
			select ${tenantId}, n, gen_random_uuid(), 'invoice.accepted', gen_random_uuid(), '{}', array[${endpointId}::uuid]
			from generate_series(1, ${count}::int) n
			returning *
		)
		insert into deliveries (id, tenant_id, endpoint_id, sequence, doc_id, status, reason, ended_at)
		select delivery_id(tenant_id, id, ${endpointId}), tenant_id, ${endpointId}, sequence, doc_id, 'dead', 'attempts-exhausted', now()
		from written`;
}

test("all dead letters are listed, however many there are", async () => {
	await addDeadLetters(await addTenant(database.sql), 1_200);
	const letters = await listDeadLetters(database.sql);
	expect(new Set(letters.map(({ deliveryId }) => deliveryId)).size).toBe(1_200);
});

test("very many letters are queued in pages, the last one with the answer", async () => {
	const { sql } = database;
	const tenantId = await addTenant(sql);
	const { id } = await addEndpoint(sql, tenantId, "https://erp.example.com/letters");
	await addDeadLetters(tenantId, 1_200, id);
	const endpoint = await getEndpoint(sql, { tenantId, id });
	if (!endpoint) throw new Error("the tenant has an endpoint");
	const countDead = async () =>
		(await sql`select 1 from deliveries where endpoint_id = ${id} and status = 'dead'`).length;
	const [since, doer] = [new Date(0), { actor: operatorActor(), at: new Date() }];
	const begun = await recoverFirstPages(sql, endpoint, since, doer);
	expect([begun.queued, await countDead()]).toEqual([1_000, 200]);
	// A transaction that fails, because an equal request has answered, takes its page back.
	const failed = sql.begin(async (tx) => {
		await recoverPage(tx, endpoint, since, doer, begun);
		throw new Error("answered already");
	});
	await expect(failed).rejects.toThrow("answered already");
	expect(await countDead()).toBe(200);
	const { queued } = await sql.begin((tx) => recoverPage(tx, endpoint, since, doer, begun));
	expect([queued, await countDead()]).toEqual([1_200, 0]);
});
