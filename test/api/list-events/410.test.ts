import { expect, test } from "bun:test";
import { rewrite } from "../../support/documents";
import { createTenant, get, sharedService } from "../../support/service";
import { sendVerdict } from "../support/deliveries";
import { expectProblem } from "../support/problem";
import { createWebhook } from "../support/webhooks";

test("a cursor that is too old gets 410 and the oldest cursor", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await service.sql`
		insert into heads (tenant_id, last_sequence, swept_sequence) values (${tenant.tenantId}, 90, 80)`;
	for (const accept of ["application/json", "text/event-stream"]) {
		const late = get(service, "/v1/events?after=79", { ...tenant.headers, accept });
		await expectProblem(late, 410, "cursor-expired");
	}
	expect((await get(service, "/v1/events?after=80", tenant.headers)).status).toBe(200);
	expect(await (await get(service, "/v1/events", tenant.headers)).json()).toMatchObject({ count: 0, next: "90" });
});

test("a cursor of a newer database gets 410 instead of skipping events", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await createWebhook(service, tenant);
	const read = (query: string, headers = {}) => get(service, `/v1/events${query}`, { ...tenant.headers, ...headers });
	const nextOf = async (answer: Response) => ((await answer.json()) as { next: string }).next;
	await sendVerdict(service, tenant);
	const early = await nextOf(await read(""));
	await sendVerdict(service, tenant);
	const late = await nextOf(await read(""));
	// As a database from between the two, in which the second event is not there yet.
	const older = () =>
		rewrite(service.owner, async (tx) => {
			await tx`delete from events where tenant_id = ${tenant.tenantId} and sequence = 2`;
			await tx`update heads set last_sequence = 1 where tenant_id = ${tenant.tenantId}`;
		});
	await service.owner`delete from deliveries where tenant_id = ${tenant.tenantId}`;
	await older();
	const stream = { accept: "text/event-stream", "last-event-id": late };
	const expectGone = async () => {
		await expectProblem(read(`?after=${late}`), 410, "cursor-expired");
		await expectProblem(read("", stream), 410, "cursor-expired");
	};
	await expectGone();
	// The number is given again, to another event.
	const docId = await sendVerdict(service, tenant);
	await expectGone();
	expect(await (await read(`?after=${early}`)).json()).toMatchObject({ count: 1, events: [{ docId, sequence: 2 }] });
});
