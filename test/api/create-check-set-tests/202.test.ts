import { expect, test } from "bun:test";

import { append, OUTBOX_KINDS } from "../../../src/platform/outbox";
import { createTenant, post, sharedService } from "../../support/service";
import { until } from "../../support/until";
import { instant, uuid } from "../support/tenants";
import { act, postSet, type ShownSet, stallSet } from "../support/test-sets";

test("a set begins without a body, as a rehearsal of all types in the sandbox", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const answer = await post(service, "/v1/check-set-tests", tenant.headers, "");
	expect(answer.status).toBe(202);
	const set = (await answer.json()) as ShownSet;
	expect({ ...set }).toMatchObject({
		id: expect.stringMatching(uuid),
		...{ idCompany: tenant.tenantId, environment: "sandbox", authorityEnvironment: "certification", mode: "simulate" },
		...{ status: "pending", types: ["31", "32", "33", "34", "41", "44"], niche: "retail", run: 1, maxRuns: 5 },
		progress: { total: 17, generated: 0, submitted: 0, accepted: 0, rejected: 0, pending: 0 },
		...{ cases: [], failure: null, startedAt: null, completedAt: null },
		createdAt: expect.stringMatching(instant),
	});
	expect(answer.headers.get("location")).toBe(`/v1/check-set-tests/${set.id}/idCompany/${tenant.tenantId}`);
	expect(answer.headers.get("retry-after")).toBe("5");
	expect(Date.parse(String(set.expiresAt)) - Date.parse(String(set.createdAt))).toBe(7 * 86_400_000);
	await act(tenant, set._links.self, "cancel");
});

test("a repeat of the key answers the first set and begins no other", async () => {
	const tenant = await createTenant(await sharedService());
	const key = { "idempotency-key": crypto.randomUUID() };
	const first = await postSet(tenant, { types: ["44"] }, key);
	const second = await postSet(tenant, { types: ["44"] }, key);
	expect([first.status, second.status]).toEqual([202, 200]);
	expect(await second.text()).toBe(await first.text());
}, 120_000);

test("a set expires after seven days of the company's clock, with an event", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id } = await stallSet(tenant, "submitting");
	const moved = await post(service, "/v1/sandbox/clock", tenant.headers, { advance: "8d" });
	expect(moved.status).toBe(200);
	await service.sql.begin((tx) =>
		append(tx, { kind: OUTBOX_KINDS.advanceTestSet, tenantId: tenant.tenantId, subject: id }),
	);
	const find = () => service.sql<{ body: string }[]>`select body from events where doc_id = ${id}`;
	await until(async () => (await find()).length === 1, 120_000);
	expect(JSON.parse((await find())[0]?.body ?? "")).toMatchObject({
		...{ event: "certification.completed", status: "expired", certification: { mode: "simulate", run: 1 } },
	});
}, 240_000);
