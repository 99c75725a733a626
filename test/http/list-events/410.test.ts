import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test("who comes back too late is told so, and reads on from the oldest kept", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await service.sql`
		insert into event_counters (tenant_id, last_sequence, swept_sequence) values (${tenant.tenantId}, 90, 80)`;
	for (const accept of ["application/json", "text/event-stream"]) {
		const late = get(service, "/v1/events?after=79", { ...tenant.headers, accept });
		await expectProblem(late, 410, "cursor-expired");
	}
	expect((await get(service, "/v1/events?after=80", tenant.headers)).status).toBe(200);
	expect(await (await get(service, "/v1/events", tenant.headers)).json()).toMatchObject({ count: 0, next: "90" });
});
