import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { killLetters, listDeliveries, recover } from "../support/deliveries";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("dead letters since a time are resent; others stay", async () => {
	const webhook = await killLetters(service, tenant, 3);
	const stays = await killLetters(service, tenant, 1);
	const [, second] = (await listDeliveries(service, tenant, `?webhookId=${webhook.id}&status=dead`)).items;
	await service.sql`update deliveries set ended_at = now() - interval '1 day' where id = ${second?.deliveryId ?? ""}`;
	const since = new Date(Date.now() - 3_600_000).toISOString();
	const answer = await recover(service, tenant, webhook.id, { since });
	expect(answer.status).toBe(202);
	expect(await answer.json()).toEqual({ queued: 2 });
	const statuses = async (id: string) =>
		(await listDeliveries(service, tenant, `?webhookId=${id}`)).items.map(({ status }) => status).sort();
	await until(async () => !(await statuses(webhook.id)).includes("pending"));
	// The first webhook got the second one's invoice as well.
	expect(await statuses(webhook.id)).toEqual(["dead", "delivered", "delivered", "delivered"]);
	expect(await statuses(stays.id)).toEqual(["dead"]);
	expect(await (await recover(service, tenant, webhook.id, { since })).json()).toEqual({ queued: 0 });
});

test("a replay returns the first count and resends nothing", async () => {
	const { id } = await killLetters(service, tenant, 1);
	const since = new Date(Date.now() - 3_600_000).toISOString();
	const headers = { "idempotency-key": crypto.randomUUID() };
	const first = await recover(service, tenant, id, { since }, headers);
	expect([first.status, await first.text()]).toEqual([202, '{"queued":1}']);
	await until(async () => (await listDeliveries(service, tenant, `?webhookId=${id}&status=delivered`)).count === 1);
	await service.sql`update deliveries set status = 'dead', ended_at = now() where endpoint_id = ${id}`;
	const repeat = await recover(service, tenant, id, { since }, headers);
	expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(await repeat.text()).toBe('{"queued":1}');
	expect((await listDeliveries(service, tenant, `?webhookId=${id}&status=dead`)).count).toBe(1);
	const other = recover(service, tenant, id, { since: "2026-01-01T00:00:00Z" }, headers);
	await expectProblem(other, 422, "idempotency-key-reused");
});

test("equal concurrent requests get the same count", async () => {
	const { id } = await killLetters(service, tenant, 2);
	const since = new Date(Date.now() - 3_600_000).toISOString();
	for (let turn = 0; turn < 5; turn++) {
		await service.sql`update deliveries set status = 'dead', ended_at = now() where endpoint_id = ${id}`;
		const headers = { "idempotency-key": crypto.randomUUID() };
		const answers = await Promise.all(
			Array.from({ length: 8 }, () => recover(service, tenant, id, { since }, headers)),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 202]);
		expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(Array(8).fill('{"queued":2}'));
		await until(async () => (await listDeliveries(service, tenant, `?webhookId=${id}&status=delivered`)).count === 2);
	}
});
