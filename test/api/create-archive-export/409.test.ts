import { expect, test } from "bun:test";
import { newId } from "../../../src/platform/values";
import { createTenant, sharedService } from "../../support/service";
import { ALL_DAYS, orderExport } from "../support/archive";
import { expectProblem } from "../support/problem";

/** Exports in progress or stored, without messages. */
async function holdExports(tenantId: string, status: "queued" | "ready", count: number): Promise<void> {
	const { sql } = await sharedService();
	const isReady = status === "ready";
	for (let n = 0; n < count; n++) {
		await sql`
			insert into archive_exports
				(id, tenant_id, from_day, to_day, format, leaf_bound, documents, status, bytes, sha256, created_at, expires_at)
			values (${newId()}, ${tenantId}, '2026-01-01', '2026-01-01', 'zip', 0, 0, ${status},
				${isReady ? 1 : null}, ${isReady ? Buffer.alloc(32) : null}, now(), ${isReady ? new Date(Date.now() + 3_600_000) : null})`;
	}
}

test("while two are being made no third is taken, and other companies do not notice", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await holdExports(tenant.tenantId, "queued", 2);
	const answers = await Promise.all(Array.from({ length: 5 }, () => orderExport(tenant)));
	for (const answer of answers) {
		const problem = await expectProblem(answer, 409, "export-limit-reached");
		expect({ ...problem }).toMatchObject({ counted: "making", limit: 2 });
	}
	expect((await orderExport(await createTenant(service), ALL_DAYS)).status).toBe(202);
});

test("with ten to be downloaded another one is refused", async () => {
	const tenant = await createTenant(await sharedService());
	await holdExports(tenant.tenantId, "ready", 10);
	const problem = await expectProblem(orderExport(tenant), 409, "export-limit-reached");
	expect(problem).toMatchObject({ counted: "kept", limit: 10 });
});
