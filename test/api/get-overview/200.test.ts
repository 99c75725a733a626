import { expect, test } from "bun:test";
import { setStatus } from "../../support/deliveries";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	untilDecided,
} from "../../support/service";
import { sendVerdict } from "../support/deliveries";
import { DAY, reportedTenant } from "../support/reports";
import { postSequence } from "../support/sequences";
import { instant } from "../support/tenants";
import { createWebhook } from "../support/webhooks";

type Refused = { readonly count: number; readonly items: readonly Readonly<Record<string, unknown>>[] };
type Overview = {
	readonly tasks: {
		readonly rejected: Refused;
		readonly failed: Refused;
		readonly pending: { readonly count: number };
		readonly prepared: { readonly count: number; readonly expiresAt: string | null };
	};
	readonly cards: { readonly issuedToday: number };
	readonly days: readonly { readonly day: string }[];
	readonly authority: { readonly states: readonly string[] };
	readonly [more: string]: unknown;
};

async function overviewOf(tenant: Tenant, query = "", language?: string): Promise<Overview> {
	const headers = { ...tenant.headers, ...(language ? { "accept-language": language } : {}) };
	const answer = await get(await sharedService(), `/v1/overview${query}`, headers);
	expect(answer.status).toBe(200);
	return (await answer.json()) as Overview;
}

test("sums and days count accepted documents, with negative credit notes", async () => {
	const { tenant, docIds } = await reportedTenant();
	const overview = await overviewOf(tenant, `?from=2026-11-18&to=${DAY}`);
	expect(overview).toMatchObject({
		...{ from: "2026-11-18", to: DAY, authorityEnvironment: "test", asOf: expect.stringMatching(instant) },
		cards: {
			issuedToday: 0,
			acceptanceRate: 0.75,
			sales: { count: 3, subtotal: "4060.13", tax: "730.82", grand_total: "4790.95" },
			purchases: { count: 0, grand_total: "0.00" },
			pending: { count: 0, oldestSeconds: 0 },
		},
		days: [
			{ day: "2026-11-18", accepted: 0, rejected: 0, failed: 0, sales: "0.00" },
			{ day: DAY, accepted: 3, rejected: 1, failed: 0, sales: "4790.95" },
		],
		...{ webhooks: [], sequences: [] },
	});
	const [task] = overview.tasks.rejected.items;
	expect(overview.tasks.rejected.count).toBe(1);
	expect(task).toMatchObject({ docId: docIds[2], type: "31", grand_total: "5310.00", retryable: false });
	expect(overview.authority.states).toHaveLength(96);
});

test("it covers thirty days to today, and explains codes in the language of the caller", async () => {
	const { tenant } = await reportedTenant();
	const [english, spanish] = [await overviewOf(tenant), await overviewOf(tenant, "", "es-DO")];
	expect(english.days).toHaveLength(30);
	const [of, de] = [english.tasks.rejected.items[0], spanish.tasks.rejected.items[0]];
	expect(of?.code).toEqual(de?.code);
	if (of?.title !== null) expect(of?.title).not.toEqual(de?.title);
});

test("refused documents are tasks, until a rejected one is issued again", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const issue = async (over: Record<string, unknown>) => {
		const answer = await postInvoice(service, tenant, buildInvoice(tenant, over));
		expect(answer.status).toBe(202);
		const { docId } = (await answer.json()) as { docId: string };
		await untilDecided(service, tenant, docId, 30_000);
		return docId;
	};
	const rejected = await issue({ customer: { rnc: "000000002", name: "CLIENTE SRL" } });
	const failed = await issue({ customer: { rnc: "000000006", name: "CLIENTE SRL" } });
	const before = await overviewOf(tenant);
	expect(before.tasks).toMatchObject({
		rejected: { count: 1, items: [{ docId: rejected, customer: { rnc: "000000002" } }] },
		failed: { count: 1, items: [{ docId: failed, code: "internal-failure", retryable: true }] },
	});
	expect(before.cards).toMatchObject({ issuedToday: 2, acceptanceRate: 0 });
	await issue({ client_request_id: `reissue-${rejected}` });
	const after = await overviewOf(tenant);
	expect(after.tasks.rejected).toEqual({ count: 0, items: [] });
	expect(after.cards).toMatchObject({ issuedToday: 3, acceptanceRate: 0.3333 });
});

test("a document that waits for more than ten minutes is a task", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const answer = await postInvoice(service, tenant, buildInvoice(tenant), { "x-sandbox-scenario": "silent" });
	expect(answer.status).toBe(202);
	const overdue = async () => (await overviewOf(tenant)).tasks.pending.count;
	expect(await overdue()).toBe(0);
	expect((await post(service, "/v1/sandbox/clock", tenant.headers, { advance: "11m" })).status).toBe(200);
	expect(await overdue()).toBe(1);
});

test("prepared invoices are counted until they are issued or expire", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const preparedOf = async () => (await overviewOf(tenant)).tasks.prepared;
	expect(await preparedOf()).toEqual({ count: 0, expiresAt: null });
	const answers = [
		await post(service, "/v1/prepared-invoices", tenant.headers, buildInvoice(tenant)),
		await post(service, "/v1/prepared-invoices", tenant.headers, buildInvoice(tenant)),
	];
	type Prepared = { readonly id: string; readonly sha256: string; readonly expiresAt: string };
	const [first, second] = await Promise.all(answers.map(async (answer) => (await answer.json()) as Prepared));
	expect(await preparedOf()).toEqual({ count: 2, expiresAt: first?.expiresAt as string });
	const approval = { sha256: first?.sha256 };
	const path = `/v1/prepared-invoices/${first?.id}:approve`;
	expect((await post(service, path, tenant.headers, approval)).status).toBe(202);
	expect(await preparedOf()).toEqual({ count: 1, expiresAt: second?.expiresAt as string });
	// The test clock would end the token, too.
	await service.sql`update prepared_invoices set expires_at = now() - interval '1 s' where id = ${second?.id ?? ""}`;
	expect(await preparedOf()).toEqual({ count: 0, expiresAt: null });
});

test("failing webhooks and ending sequences are marked", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id } = await createWebhook(service, tenant);
	const other = await createWebhook(service, tenant);
	await sendVerdict(service, tenant);
	await setStatus(service.sql, "dead", service.sql`endpoint_id = ${id}`);
	expect((await postSequence(service, tenant, [1, 9], { type: "32", expiresAt: null })).status).toBe(201);
	const { webhooks, sequences } = await overviewOf(tenant);
	expect(webhooks).toEqual([
		{ webhookId: id, url: expect.any(String), description: null, status: "enabled", dead: 1, failed: 0, failing: true },
		expect.objectContaining({ webhookId: other.id, dead: 0, failing: false }),
	]);
	expect(sequences).toMatchObject([{ type: "32", exhaustedOn: null, ending: false }]);
});

test("what the caller's scopes do not include is null", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service, { scopes: ["invoices:read", "company:write"] });
	expect(await overviewOf(tenant)).toMatchObject({ webhooks: null, sequences: null, tasks: { certificate: null } });
});
