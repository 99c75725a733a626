/** What the operator sees of dead letters. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { listDeadLetters } from "../../src/webhooks";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { addTenant } from "./tenant";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

async function addDeadLetters(tenantId: string, count: number): Promise<void> {
	await database.owner`
		with told as (
			insert into events (tenant_id, sequence, id, event, doc_id, body, occurred_at)
			select ${tenantId}, n, gen_random_uuid(), 'invoice.accepted', gen_random_uuid(), '{}', now() from generate_series(1, ${count}::int) n
			returning *
		)
		insert into deliveries (id, tenant_id, endpoint_id, event_id, sequence, event, doc_id, status, reason, dead_at)
		select gen_random_uuid(), tenant_id, ${tenantId}, id, sequence, event, doc_id, 'dead', 'attempts-exhausted', now() from told`;
}

test("all dead letters are listed, however many there are", async () => {
	await addDeadLetters(await addTenant(database.sql), 1_200);
	const letters = await listDeadLetters(database.sql);
	expect(new Set(letters.map(({ deliveryId }) => deliveryId)).size).toBe(1_200);
});
