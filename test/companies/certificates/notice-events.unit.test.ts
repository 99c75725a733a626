import { afterAll, beforeAll, expect, test } from "bun:test";
import { enqueueDueNotices } from "../../../src/companies";
import type { CertificateRow } from "../../../src/companies/certificates/store";
import { addEndpoint, addTenant } from "../../events/webhooks/tenant";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { allDeliveries } from "../../support/deliveries";
import { addCertificate } from "../support/certificate";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const DAY_MS = 86_400_000;
const end = new Date("2028-06-30T12:00:00.000Z");
const before = (days: number) => new Date(end.getTime() - days * DAY_MS);

const add = (tenantId: string, over: Partial<CertificateRow> = {}) =>
	addCertificate(database.sql, tenantId, { notAfter: end, ...over });

type EmailFacts = { event: string; body: string };
const eventsOf = (tenantId: string) =>
	database.sql<EmailFacts[]>`select event, body from events where tenant_id = ${tenantId} order by sequence`;
const namesOf = async (tenantId: string) =>
	(await eventsOf(tenantId)).map(({ event, body }) => `${event} ${JSON.parse(body).certificate.daysLeft}`);

test("notices come 60, 30, 7 and 1 days before the end and at the end, each once", async () => {
	const tenantId = await addTenant(database.sql);
	const id = await add(tenantId);
	for (const days of [61, 60.001, 60, 59, 45, 30, 29, 8, 7, 3, 1, 0.5, 0, -1, -100]) {
		for (let i = 0; i < 2; i++) await enqueueDueNotices(database.sql, before(days));
	}
	expect(await namesOf(tenantId)).toEqual([
		"certificate.expiring 60",
		"certificate.expiring 30",
		"certificate.expiring 7",
		"certificate.expiring 1",
		"certificate.expired 0",
	]);
	const [first] = await eventsOf(tenantId);
	expect(JSON.parse(first?.body ?? "")).toMatchObject({
		docId: id,
		tenantId,
		certificate: { notAfter: end.toISOString(), daysLeft: 60 },
	});
});

test("when several notices are due at once only the nearest is sent", async () => {
	const tenantId = await addTenant(database.sql);
	await add(tenantId);
	await enqueueDueNotices(database.sql, before(5));
	await enqueueDueNotices(database.sql, before(-2));
	expect(await namesOf(tenantId)).toEqual(["certificate.expiring 5", "certificate.expired 0"]);
});

test("an endpoint that subscribes gets the notice through the outbox", async () => {
	const tenantId = await addTenant(database.sql);
	await addEndpoint(database.sql, tenantId, "https://a.example/", ["certificate.*"]);
	await addEndpoint(database.sql, tenantId, "https://b.example/", ["invoice.*"]);
	await add(tenantId);
	await enqueueDueNotices(database.sql, before(1));
	const deliveries =
		await database.sql`select event from ${allDeliveries(database.sql)} d where tenant_id = ${tenantId}`;
	expect(deliveries.map(({ event }) => event)).toEqual(["certificate.expiring"]);
	const messages = await database.sql`select kind from outbox where tenant_id = ${tenantId}`;
	expect(messages.map(({ kind }) => kind)).toEqual(["webhook.deliver"]);
});

test("two concurrent processes send a notice once", async () => {
	const tenants = await Promise.all(Array.from({ length: 5 }, () => addTenant(database.sql)));
	for (const tenantId of tenants) await add(tenantId);
	await Promise.all([1, 2, 3].map(() => enqueueDueNotices(database.sql, before(7))));
	for (const tenantId of tenants) expect(await namesOf(tenantId)).toEqual(["certificate.expiring 7"]);
});

test("a retired certificate, or one that will be replaced in time, gets no notice", async () => {
	const tenantId = await addTenant(database.sql);
	await add(tenantId);
	await add(tenantId, { status: "retired" });
	await add(tenantId, { status: "scheduled", activateAt: before(2), notAfter: before(-700) });
	await enqueueDueNotices(database.sql, before(3));
	expect(await namesOf(tenantId)).toEqual([]);
});

test("more certificates than one transaction takes all get their notices", async () => {
	const tenants = await Promise.all(Array.from({ length: 120 }, () => addTenant(database.sql)));
	for (const tenantId of tenants) await add(tenantId);
	await enqueueDueNotices(database.sql, before(20));
	for (const tenantId of tenants) expect(await namesOf(tenantId)).toEqual(["certificate.expiring 20"]);
});

test("the end of a certificate, and no notice before it, creates a company version", async () => {
	const tenantId = await addTenant(database.sql);
	await add(tenantId);
	const versionAt = async (days: number) => {
		await enqueueDueNotices(database.sql, before(days));
		const [company] = await database.sql`select version from companies where tenant_id = ${tenantId}`;
		return company?.version;
	};
	expect([await versionAt(1), await versionAt(0), await versionAt(-1)]).toEqual([1, 2, 2]);
});
