/** A note waits for the document that it modifies while that one is pending. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import { readSteps } from "../support/documents";
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
import { clearFaults, nextWebhook, orderFaults, receptionsOf } from "./follow";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true });
}, 120_000);
afterEach(() => clearFaults(service.simulatorUrl));

async function issue(over: Record<string, unknown>, headers: Record<string, string> = {}) {
	const invoice = buildInvoice(tenant, over);
	const answer = await postInvoice(service, tenant, invoice, headers);
	const text = await answer.text();
	expect({ status: answer.status, text }).toMatchObject({ status: 202 });
	const { docId } = JSON.parse(text) as { docId: string };
	return { docId, encf: String(invoice.encf) };
}

const BUYER = { rnc: "131880681", name: "CLIENTE SRL" };
const retry = (docId: string) => post(service, `/v1/invoices/${docId}/retry`, tenant.headers, {});

/** The day of signing in the country, four hours behind UTC. */
const today = () => new Date(Date.now() - 4 * 3_600_000).toISOString().slice(0, 10);
const referTo = (encf: string) => ({ encf, issue_date: today(), code: 3, reason: "Corrección de montos" });

async function phaseOf(docId: string): Promise<string> {
	const [row] = await service.sql<{ phase: string }[]>`select phase from open_documents where doc_id = ${docId}`;
	return row?.phase ?? "";
}

/** Original and note, the original kept in process until the note is held. */
async function issuePair(customer: Record<string, string>, headers: Record<string, string> = {}) {
	await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 10_000 });
	const original = await issue({ customer }, headers);
	const note = await issue({ type: "34", customer, reference: referTo(original.encf) });
	await until(async () => (await phaseOf(note.docId)) === "held");
	expect(await receptionsOf(service, tenant, note.encf)).toHaveLength(0);
	await clearFaults(service.simulatorUrl);
	return { original, note };
}

test("a note is sent when its document is accepted, and not before", async () => {
	const { original, note } = await issuePair({ rnc: "131880681", name: "CLIENTE SRL" });
	expect(await untilDecided(service, tenant, note.docId)).toMatchObject({ status: "accepted" });
	const [verdict] = await service.sql<{ at: Date }[]>`
		select decided_at as at from verdicts where doc_id = ${original.docId}`;
	const steps = await readSteps(service.sql, [note.docId]);
	const intents = steps.flatMap(({ intent }) => (intent ? [new Date(intent.at)] : []));
	expect(intents.map((at) => at >= (verdict?.at ?? at))).toEqual([true]);
	const held = steps.flatMap(({ history = [] }) => history).filter(({ phase }) => phase === "held");
	expect(held).toMatchObject([{ detail: "awaiting-reference" }]);
}, 120_000);

test("a note that names its buyer as the issuer of the original waits too", async () => {
	await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 10_000 });
	const original = await issue({ customer: BUYER });
	const reference = { ...referTo(original.encf), customer_rnc: BUYER.rnc };
	const note = await issue({ type: "34", customer: BUYER, reference });
	await until(async () => (await phaseOf(note.docId)) === "held");
	await clearFaults(service.simulatorUrl);
	expect(await untilDecided(service, tenant, note.docId)).toMatchObject({ status: "accepted" });
}, 120_000);

test("a note on another issuer's document ignores ours of the same number", async () => {
	await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 10_000 });
	const original = await issue({ customer: BUYER });
	const theirs = { ...referTo(original.encf), customer_rnc: "990000009" };
	await issue({ type: "34", customer: BUYER, reference: theirs });
	const note = buildInvoice(tenant, { type: "34", customer: BUYER, reference: referTo(original.encf) });
	const answer = await postInvoice(service, tenant, note);
	expect((await answer.json()) as object).toMatchObject({ warnings: [] });
}, 120_000);

test("a waiting note is woken by the verdict on its document", async () => {
	await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 10_000 });
	const original = await issue({ customer: { rnc: "131880681", name: "CLIENTE SRL" } });
	const note = await issue({
		type: "34",
		customer: { rnc: "131880681", name: "CLIENTE SRL" },
		reference: referTo(original.encf),
	});
	// Held, it sleeps for a day in this test: only the verdict can wake it.
	await until(async () => {
		const rows = await service.sql`
			update outbox o set available_at = now() + interval '1 day' from open_documents i
			where o.subject = ${note.docId} and i.doc_id = o.subject and i.phase = 'held' and o.kind = 'invoice.submit' and o.state = 'ready'
			returning o.id`;
		return rows.length === 1;
	});
	await clearFaults(service.simulatorUrl);
	expect(await untilDecided(service, tenant, note.docId)).toMatchObject({ status: "accepted" });
}, 120_000);

test("a note on a finally rejected document fails, is not sent, and frees its number", async () => {
	const customer = { rnc: "000000002", name: "RECHAZADO" };
	const { original, note } = await issuePair(customer);
	expect(await untilDecided(service, tenant, original.docId)).toMatchObject({ status: "rejected" });
	const failed = await untilDecided(service, tenant, note.docId);
	expect(failed).toMatchObject({ status: "failed", failure: { code: "reference-rejected", retryable: false } });
	expect(failed._links).not.toHaveProperty("retry");
	expect(await receptionsOf(service, tenant, note.encf)).toHaveLength(0);
	expect(await nextWebhook(service, tenant, note.docId)).toMatchObject({ event: "invoice.failed", verified: true });

	const again = await issue({ customer: BUYER });
	const other = await issue({ type: "34", encf: note.encf, customer: BUYER, reference: referTo(again.encf) });
	expect(await untilDecided(service, tenant, other.docId)).toMatchObject({ status: "accepted", encf: note.encf });
	const retried = await retry(note.docId);
	expect([retried.status, await retried.json()]).toMatchObject([200, { status: "failed" }]);
}, 120_000);

test("a note on a failed note keeps its number and is sent when that one is reissued", async () => {
	await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 10_000 });
	const original = await issue({ customer: BUYER }, { "x-sandbox-scenario": "reject" });
	const debit = await issue({ type: "33", customer: BUYER, reference: referTo(original.encf) });
	// Without its scenario the authority rejects a note on a note.
	const scenario = { "x-sandbox-scenario": "accept" };
	const credit = await issue({ type: "34", customer: BUYER, reference: referTo(debit.encf) }, scenario);
	await until(async () => (await phaseOf(debit.docId)) === "held" && (await phaseOf(credit.docId)) === "held");
	await clearFaults(service.simulatorUrl);
	expect(await untilDecided(service, tenant, debit.docId)).toMatchObject({
		status: "failed",
		failure: { code: "reference-rejected", retryable: false },
	});
	expect(await untilDecided(service, tenant, credit.docId)).toMatchObject({
		status: "failed",
		failure: { code: "reference-rejected", retryable: true },
	});
	expect(await receptionsOf(service, tenant, credit.encf)).toHaveLength(0);

	const again = await issue({ customer: BUYER });
	const other = await issue({ type: "33", encf: debit.encf, customer: BUYER, reference: referTo(again.encf) });
	expect(await untilDecided(service, tenant, other.docId)).toMatchObject({ status: "accepted" });
	expect((await retry(credit.docId)).status).toBe(202);
	expect(await untilDecided(service, tenant, credit.docId)).toMatchObject({ status: "accepted" });
}, 120_000);

test("a note waits for the reissue of a document whose number was given back", async () => {
	const { original, note } = await issuePair(BUYER, { "x-sandbox-scenario": "release" });
	expect(await untilDecided(service, tenant, original.docId)).toMatchObject({
		status: "rejected",
		authority: { sequenceConsumed: false },
	});
	expect(await untilDecided(service, tenant, note.docId)).toMatchObject({
		status: "failed",
		failure: { code: "reference-rejected", retryable: true },
		_links: { retry: `/v1/invoices/${note.docId}/retry` },
	});
	const late = await postInvoice(
		service,
		tenant,
		buildInvoice(tenant, { type: "34", customer: BUYER, reference: referTo(original.encf) }),
	);
	const answer = (await late.json()) as { docId: string; warnings: { code: string }[] };
	expect(answer.warnings.map(({ code }) => code)).toContain("reference-not-accepted");
	expect(await untilDecided(service, tenant, answer.docId)).toMatchObject({ status: "failed" });

	const again = await issue({ encf: original.encf, customer: BUYER });
	expect(await untilDecided(service, tenant, again.docId)).toMatchObject({ status: "accepted" });
	expect((await retry(note.docId)).status).toBe(202);
	expect(await untilDecided(service, tenant, note.docId)).toMatchObject({ status: "accepted" });
}, 120_000);

test("a note on a document that is not the tenant's own is sent at once", async () => {
	const note = await issue({ type: "34", reference: referTo("E310099999999") });
	expect(await untilDecided(service, tenant, note.docId)).toMatchObject({ status: "rejected" });
	const history = (await readSteps(service.sql, [note.docId])).flatMap((step) => step.history ?? []);
	expect(history.filter(({ phase }) => phase === "held")).toEqual([]);
}, 120_000);
