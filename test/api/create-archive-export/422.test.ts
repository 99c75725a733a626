import { expect, test } from "bun:test";
import { DOCUMENTS_MAX, orderExport } from "../../../src/archive/exports";
import { toProblemDocument } from "../../../src/platform/problem";
import { newId } from "../../../src/platform/values";
import { createTenant, sharedService } from "../../support/service";
import { ALL_DAYS, orderExport as order } from "../support/archive";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test("a key that was used for another period is refused", async () => {
	const tenant = await createTenant(await sharedService());
	const key = { "idempotency-key": crypto.randomUUID() };
	expect((await order(tenant, ALL_DAYS, key)).status).toBe(202);
	await expectProblem(order(tenant, { ...ALL_DAYS, from: "2026-01-02" }, key), 422, "idempotency-key-reused");
});

test("a period with too many bytes is refused before anything is stored", async () => {
	const { sql } = await sharedService();
	const tenantId = newId();
	const { tenantId: known } = await tenantA();
	const doer = { actor: { tenantId: known, address: "127.0.0.1" }, at: new Date() };
	const attempt = sql.begin(async (tx) => {
		// Twenty objects of the largest size of the index; the transaction is rolled back.
		await tx`
			select count(*) from append_seals((
				select json_agg(json_build_object('docId', gen_random_uuid(), 'tenantId', ${tenantId}::uuid, 'sha256', encode(sha256('x'), 'hex'),
					'bytes', 2147483647, 'decidedAt', date_trunc('milliseconds', now()), 'retainUntil', now() + interval '10 years'))
				from generate_series(1, 20)
			))`;
		await orderExport(tx, { tenantId, ...ALL_DAYS, docIds: null, doer });
	});
	const problem = await attempt.then(
		() => undefined,
		(error) => error,
	);
	expect(problem).toMatchObject({ slug: "export-too-large" });
	expect(toProblemDocument(problem, { baseUrl: "http://x", instance: "/", requestId: "" })).toMatchObject({
		documentsMax: DOCUMENTS_MAX,
	});
});
