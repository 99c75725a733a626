/** An invoice from POST to webhook and archive over real HTTP, also when the authority fails. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import {
	buildInvoice,
	createTenant,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../support/service";
import { until } from "../support/until";
import {
	archivedOf,
	clearFaults,
	type Fault,
	getJson,
	getXml,
	nextWebhook,
	orderFaults,
	receptionsOf,
	sha256,
	webhooksOf,
} from "./follow";

const TIMEOUT_MS = 30_000;

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true });
}, TIMEOUT_MS);
afterEach(() => clearFaults(service.simulatorUrl));

/** The invoice of an example file, under the tenant's name and a number of its own. */
async function example(name: string): Promise<Record<string, unknown>> {
	const path = join(import.meta.dir, `../../data/examples/invoices/${name}.json`);
	const { type, customer, lines, totals, payment, adjustments } = (await Bun.file(path).json()) as Record<
		string,
		unknown
	>;
	const reference = type === "33" || type === "34" ? { reference: await refer(customer) } : {};
	return buildInvoice(tenant, { type, customer, lines, totals, payment, adjustments, ...reference });
}

/** A note needs a document that it modifies: one that the authority has accepted, for the same buyer. */
async function refer(customer: unknown): Promise<Record<string, unknown>> {
	const { docId, encf, print } = await issue(buildInvoice(tenant, { customer }));
	expect(await decided(docId)).toMatchObject({ status: "accepted" });
	// The issue date is the day of signing in the country, four hours behind UTC.
	const day = new Date(Date.parse(print.signedAt) - 4 * 3_600_000).toISOString().slice(0, 10);
	return { encf, issue_date: day, code: 3, reason: "Corrección de montos" };
}

type Acknowledged = {
	readonly docId: string;
	readonly encf: string;
	readonly status: string;
	readonly print: { readonly signedAt: string };
};

async function issue(invoice: Record<string, unknown>): Promise<Acknowledged> {
	const answer = await postInvoice(service, tenant, invoice);
	const text = await answer.text();
	expect({ status: answer.status, text }).toMatchObject({ status: 202 });
	return JSON.parse(text) as Acknowledged;
}

const forBuyer = (rnc: string) => buildInvoice(tenant, { customer: { rnc, name: "CLIENTE SRL" } });
const decided = (docId: string) => untilDecided(service, tenant, docId, TIMEOUT_MS);

const minimal = ["31-minimal", "32-minimal", "32-large", "33-minimal", "34-minimal", "41-minimal", "44-minimal"];
const adjusted = ["31-adjusted", "32-adjusted", "32-adjusted-large", "33-adjusted", "34-adjusted", "41-adjusted"];
test.each([...minimal, ...adjusted, "44-adjusted"])(
	"%s is acknowledged, accepted, notified and archived as the same document",
	async (name) => {
		const invoice = await example(name);
		const { docId, encf, status, print } = await issue(invoice);
		expect(status).toBe("pending");

		expect(await decided(docId)).toMatchObject({
			...{ status: "accepted", encf, phase: "decided" },
			authority: { code: "1" },
		});
		const webhook = await nextWebhook(service, tenant, docId);
		expect(webhook).toMatchObject({
			event: "invoice.accepted",
			verified: true,
			docId,
			encf,
			tenantId: tenant.tenantId,
		});

		const xml = await getXml(service, tenant, docId);
		const archived = await archivedOf(service, docId);
		expect(archived["ecf.xml"]).toBe(sha256(xml));
		const isSummary = name === "32-minimal" || name === "32-adjusted";
		const receptions = await receptionsOf(service, tenant, encf);
		const sent = isSummary ? archived["summary.xml"] : archived["ecf.xml"];
		expect(receptions.map(({ sha256, host }) => ({ sha256, host }))).toEqual([
			{ sha256: sent ?? "", host: isSummary ? "fc" : "main" },
		]);

		const record = await getJson(service, tenant, `/v1/invoices/${docId}`);
		expect(record).toMatchObject({
			docId,
			encf,
			status: "accepted",
			print,
			request: JSON.parse(JSON.stringify(invoice)),
		});
		expect(record.archive).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
		expect(webhooksOf(service, tenant, docId)).toHaveLength(1);
	},
	TIMEOUT_MS,
);

test(
	"a rejected invoice shows the authority's code, and its number is used",
	async () => {
		const invoice = forBuyer("000000002");
		const { docId } = await issue(invoice);
		expect(await decided(docId)).toMatchObject({
			status: "rejected",
			authority: { code: "1920", sequenceConsumed: true },
			reissue: { allowed: true, encf: "new" },
		});
		expect(await nextWebhook(service, tenant, docId)).toMatchObject({
			event: "invoice.rejected",
			verified: true,
			authority: { code: "1920" },
			advice: [{ pointer: "/totals/subtotal" }, { pointer: "/lines" }],
		});
		expect(await archivedOf(service, docId)).toHaveProperty(["ecf.xml"]);
		const again = await postInvoice(service, tenant, {
			...invoice,
			customer: { rnc: "131880681", name: "CLIENTE SRL" },
		});
		expect(await again.json()).toMatchObject({ type: expect.stringMatching(/\/errors\/encf-already-used$/), docId });
	},
	TIMEOUT_MS,
);

test(
	"a conditional acceptance is an acceptance with warnings",
	async () => {
		const { docId } = await issue(forBuyer("000000003"));
		expect(await decided(docId)).toMatchObject({ status: "accepted", authority: { warnings: [{ code: "1385" }] } });
		expect(await nextWebhook(service, tenant, docId)).toMatchObject({ event: "invoice.accepted", verified: true });
	},
	TIMEOUT_MS,
);

test(
	"a lost answer is queried, and the document is never sent again",
	async () => {
		const { docId, encf } = await issue(forBuyer("000000005"));
		expect(await decided(docId)).toMatchObject({ status: "accepted", attempts: 1 });
		expect(await receptionsOf(service, tenant, encf)).toHaveLength(1);
	},
	TIMEOUT_MS,
);

test(
	"a number that the authority gives back is accepted with another document",
	async () => {
		const first = forBuyer("000000007");
		const refused = await issue(first);
		expect(await decided(refused.docId)).toMatchObject({
			status: "rejected",
			authority: { sequenceConsumed: false },
			reissue: { allowed: true, encf: "same" },
		});
		const second = await issue({ ...first, customer: { rnc: "131880681", name: "CLIENTE SRL" } });
		expect(second.encf).toBe(refused.encf);
		expect(second.docId).not.toBe(refused.docId);
		expect(await decided(second.docId)).toMatchObject({ status: "accepted" });
		expect(await decided(refused.docId)).toMatchObject({ status: "rejected" });
	},
	TIMEOUT_MS,
);

test(
	"an internal failure ends in failed, and a retry restarts the time limit",
	async () => {
		const { docId, encf } = await issue(forBuyer("000000006"));
		expect(await decided(docId)).toMatchObject({ status: "failed", failure: { retryable: true } });
		expect(await nextWebhook(service, tenant, docId)).toMatchObject({ event: "invoice.failed", verified: true });

		const from = performance.now();
		const retried = await post(service, `/v1/invoices/${docId}/retry`, tenant.headers, "");
		expect(retried.status).toBe(202);
		expect(await retried.json()).toMatchObject({ status: "pending" });
		expect(await decided(docId)).toMatchObject({ status: "failed" });
		// The time for internal failures is a second in tests; without a new one it would fail at the first step.
		expect(performance.now() - from).toBeGreaterThan(900);
		const again = await nextWebhook(service, tenant, docId, 2);
		expect(again).toMatchObject({ event: "invoice.failed", verified: true });
		expect(new Set(webhooksOf(service, tenant, docId).map(({ deliveryId }) => deliveryId)).size).toBe(2);
		expect(await receptionsOf(service, tenant, encf)).toEqual([]);
	},
	TIMEOUT_MS,
);

type Outage = {
	readonly what: string;
	readonly invoice: "31-minimal" | "32-minimal";
	readonly faults: readonly Fault[];
};

const outages: readonly Outage[] = [
	{
		what: "refuses authentication",
		invoice: "31-minimal",
		faults: [{ operation: "seed", mode: "status-503", count: 2 }],
	},
	{ what: "closes before it reads", invoice: "31-minimal", faults: [{ operation: "receive", mode: "reset-before" }] },
	{
		what: "closes after it has received",
		invoice: "31-minimal",
		faults: [{ operation: "receive", mode: "reset-after" }],
	},
	{ what: "answers by half", invoice: "31-minimal", faults: [{ operation: "receive", mode: "half-body" }] },
	{
		what: "answers 200 with a page",
		invoice: "31-minimal",
		faults: [{ operation: "receive", mode: "html-200", count: 2 }],
	},
	{ what: "answers 500", invoice: "31-minimal", faults: [{ operation: "receive", mode: "status-500", count: 2 }] },
	{ what: "answers 400 with a page", invoice: "31-minimal", faults: [{ operation: "receive", mode: "html-400" }] },
	{
		what: "loses its answer and cannot be asked at first",
		invoice: "31-minimal",
		faults: [
			{ operation: "receive", mode: "reset-after" },
			{ operation: "track-ids", mode: "html-200" },
			{ operation: "track-ids", mode: "status-500" },
		],
	},
	{
		what: "does not return the verdict",
		invoice: "31-minimal",
		faults: [{ operation: "result", mode: "status-500", count: 2 }],
	},
	{
		what: "loses the answer to a summary",
		invoice: "32-minimal",
		faults: [
			{ operation: "receive-summary", mode: "reset-after" },
			{ operation: "summary-query", mode: "status-503" },
		],
	},
	{
		what: "answers a summary with a page",
		invoice: "32-minimal",
		faults: [{ operation: "receive-summary", mode: "html-200" }],
	},
];

test.each(outages.map(({ what, ...outage }) => [what, outage] as const))(
	"an authority that %s gets the document once, and accepts it",
	async (_, { invoice, faults }) => {
		// A company of its own has no token yet, so that it must be let in first.
		tenant = await createTenant(service, { webhook: true });
		const body = await example(invoice);
		await orderFaults(service.simulatorUrl, ...faults);
		const { docId, encf } = await issue(body);
		expect(await decided(docId)).toMatchObject({ status: "accepted" });
		expect(await (await fetch(`${service.simulatorUrl}/_simulator/faults`)).json()).toEqual([]);

		const archived = await archivedOf(service, docId);
		const sent = archived["summary.xml"] ?? archived["ecf.xml"];
		expect((await receptionsOf(service, tenant, encf)).map((one) => one.sha256)).toEqual([sent ?? ""]);
		await until(() => webhooksOf(service, tenant, docId).some(({ event }) => event === "invoice.accepted"));
	},
	TIMEOUT_MS,
);
