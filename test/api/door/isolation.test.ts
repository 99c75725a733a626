/** Two tenants who must not notice each other: what is another's answers exactly like what never existed. */
import { beforeAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { makeKey } from "../support/api-keys";
import { declaredOperations } from "../support/declared-operations";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";
import { tenantA, tenantB } from "../support/tenants";

let service: TestService;
let owner: Tenant;
let stranger: Tenant;
beforeAll(async () => {
	service = await sharedService();
	owner = await tenantA();
	stranger = await tenantB();
});

/** All that a caller sees; the ids that it sent itself, the request's own id and the time aside. */
async function fingerprint(answer: Response, ids: readonly string[]): Promise<string> {
	const headers = [...answer.headers].filter(([name]) => name !== "date").sort();
	let text = JSON.stringify([answer.status, headers, await answer.text()]);
	for (const id of [answer.headers.get("x-request-id") ?? "", ...ids]) text = text.replaceAll(id, "…");
	return text;
}

/** An unused id of the same form. */
const unknownId = () => randomUUID().replace(/^(.{14})4/, "$17");

const reads: readonly (readonly [string, (id: string) => string])[] = [
	["an invoice", (id) => `/v1/invoices/${id}`],
	["its status", (id) => `/v1/invoices/${id}/status`],
	["its history", (id) => `/v1/invoices/${id}/events`],
	["its paper", (id) => `/v1/invoices/${id}/pdf`],
	["its mails", (id) => `/v1/invoices/${id}/emails`],
	["its XML", (id) => `/v1/invoices/${id}/xml`],
	["its proof", (id) => `/v1/invoices/${id}/proof`],
	["its evidence", (id) => `/v1/invoices/${id}/evidence`],
	["its fiscal record", (id) => `/v1/fiscal-invoices/${id}`],
];

test.each(reads)(
	"%s of another tenant reads like one that never existed",
	async (_, path) => {
		for (const state of ["accepted", "rejected", "failed"] as const) {
			const { docId } = await documentOf(state);
			const absent = unknownId();
			const foreign = await fingerprint(await get(service, path(docId), stranger.headers), [docId]);
			expect(foreign).toBe(await fingerprint(await get(service, path(absent), stranger.headers), [absent]));
			expect(JSON.parse(foreign)[0]).toBe(404);
			// What stands in the archive is there a moment after the verdict.
			expect((await untilArchived(path(docId), owner)).status).toBe(200);
		}
	},
	240_000,
);

test("the same for an invoice under its company, in every mixture of ids", async () => {
	const { docId } = await documentOf("accepted");
	const prints = new Set<string>();
	for (const invoice of [docId, unknownId()]) {
		for (const company of [owner.tenantId, stranger.tenantId, unknownId()]) {
			const answer = await get(service, `/v1/invoices/${invoice}/idCompany/${company}`, stranger.headers);
			prints.add(await fingerprint(answer, [invoice, company]));
		}
	}
	expect(prints.size).toBe(1);
	expect(JSON.parse([...prints][0] ?? "[]")[0]).toBe(404);
});

const ofCompanies = declaredOperations().filter(({ path }) =>
	/\/compan(?:y|ies)\/\{|\{\w*(?:company|tenant)\w*\}/i.test(path),
);

test("every path with a company's id says so, and no other does", () => {
	const marked = declaredOperations().filter(({ parameters = [] }) => parameters.some(({ isCompany }) => isCompany));
	expect(marked.map(({ id }) => id)).toEqual(ofCompanies.map(({ id }) => id));
	expect(marked.length).toBeGreaterThan(10);
});

test.each(ofCompanies.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
	"%s: 404 for another company, of the same owner too",
	async (_, { method, path, parameters = [], credentials, body }) => {
		const sister = await createTenant(service, { apiKey: owner.apiKey });
		const till = await makeKey(service, sister, { tenantIds: [sister.tenantId] });
		// Without a token, the key alone names the companies.
		const headers: Record<string, string> =
			credentials.bearer === "ignored" ? { "x-api-key": till.key } : { ...sister.headers };
		const prints = new Set<string>();
		for (const company of [owner.tenantId, stranger.tenantId, unknownId()]) {
			const { name = "" } = parameters.find(({ isCompany }) => isCompany) ?? {};
			const url = path.replace(`{${name}}`, company).replace(/\{\w+\}/g, unknownId());
			const answer = await fetch(`${service.url}${url}`, {
				...{ method, headers: { ...headers, ...(body ? { "content-type": body.mediaTypes[0] ?? "" } : {}) } },
				...(body ? { body: "{}" } : {}),
			});
			expect(answer.status).toBe(404);
			prints.add(await fingerprint(answer, [url]));
		}
		expect(prints.size).toBe(1);
	},
);

test("a retry and a company path give the same answer", async () => {
	const { docId } = await documentOf("failed");
	const pairs: [string, (id: string) => Promise<Response>][] = [
		[owner.tenantId, (id) => get(service, `/v1/company/${id}`, stranger.headers)],
		[docId, (id) => post(service, `/v1/invoices/${id}/retry`, stranger.headers, {})],
	];
	for (const [id, ask] of pairs) {
		const absent = unknownId();
		expect(await fingerprint(await ask(id), [id])).toBe(await fingerprint(await ask(absent), [absent]));
	}
});

test("another tenant gets none of two hundred documents", async () => {
	await Promise.all(Array.from({ length: 10 }, () => postInvoice(service, owner, buildInvoice(owner))));
	const rows = await service.sql<{ id: string }[]>`
		select doc_id as id from documents where tenant_id = ${owner.tenantId} limit 50`;
	expect(rows.length).toBeGreaterThanOrEqual(10);
	let asked = 0;
	const prints = new Set<string>();
	while (asked < 200) {
		for (const { id } of rows) {
			const path = reads[asked % reads.length]?.[1](id) ?? "";
			const answer = await get(service, path, stranger.headers);
			expect(answer.status).toBe(404);
			prints.add(await fingerprint(answer, [id]));
			asked++;
		}
	}
	// One for each address.
	expect(prints.size).toBe(reads.length);
});

test("numbers and ids of another tenant reveal nothing", async () => {
	const client_request_id = `crid-${crypto.randomUUID()}`;
	const key = crypto.randomUUID();
	const invoice = buildInvoice(owner, { client_request_id });
	expect((await postInvoice(service, owner, invoice, { "idempotency-key": key })).status).toBe(202);
	const theirs = buildInvoice(stranger, { client_request_id, encf: invoice.encf });
	const answer = await postInvoice(service, stranger, theirs, { "idempotency-key": key });
	expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([202, "false"]);
	const { docId } = (await answer.json()) as { docId: string };
	for (const query of [`encf=${invoice.encf}`, `client_request_id=${client_request_id}`]) {
		const page = await (await get(service, `/v1/invoices?${query}`, stranger.headers)).json();
		expect(page).toMatchObject({ items: [{ docId }], count: 1 });
	}
});

test("a foreign and an absent document take the same time", async () => {
	const { docId } = await documentOf("accepted");
	const absent = unknownId();
	const times: Record<string, number[]> = { [docId]: [], [absent]: [] };
	for (let i = 0; i < 60; i++) {
		for (const id of i % 2 === 0 ? [docId, absent] : [absent, docId]) {
			const startedAt = performance.now();
			await (await get(service, `/v1/invoices/${id}/status`, stranger.headers)).text();
			times[id]?.push(performance.now() - startedAt);
		}
	}
	const median = (all: number[] = []) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
	// A busy machine blurs it; what must not be there is a query more or less.
	expect(Math.abs(median(times[docId]) - median(times[absent]))).toBeLessThan(5);
});
