/** `?dry_run=true`: a dry run reports everything and stores nothing. */
import { beforeAll, describe, expect, test } from "bun:test";
import { listTables } from "../../support/documents";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { until } from "../../support/until";
import { expectProblem } from "../support/problem";
import { strictTenant } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const rehearse = (who: Tenant, body: unknown, headers: Record<string, string> = {}) =>
	post(service, "/v1/invoices?dry_run=true", { ...who.headers, ...headers }, body);
const report = async (who: Tenant, body: unknown) => {
	const answer = await rehearse(who, body);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("private, no-store");
	expect(answer.headers.get("idempotency-replayed")).toBeNull();
	return (await answer.json()) as Record<string, unknown> & { document: { xml: string; signedBytes: number } };
};

describe("the report", () => {
	test("shows the document without a signature and what follows from it", async () => {
		const invoice = buildInvoice(tenant);
		const found = await report(tenant, invoice);
		expect(found).toEqual({
			...{ dryRun: true, type: "31", encf: invoice.encf, duplicateOf: null, road: "document" },
			...{ issueDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), sequenceExpiresOn: "2028-12-31" },
			totals: { taxedBase: "4500.00", itbis: "810.00", total: "5310.00" },
			registry: { issuer: "ACTIVO", buyer: "ACTIVO", runId: expect.any(String) },
			warnings: [],
			document: {
				xml: expect.stringMatching(/^<ECF><Encabezado>.*<\/FechaHoraFirma><\/ECF>$/s),
				signedBytes: expect.any(Number),
				signatureProfile: "xades-bes",
				certificate: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
			},
		} as never);
		expect(found.document.xml).toContain(`<eNCF>${invoice.encf}</eNCF>`);
		expect(found.document.xml).not.toContain("Signature");
		expect(found.document.signedBytes).toBeGreaterThan(Buffer.byteLength(found.document.xml) + 1_000);
	});

	test("reports the channel of a small consumer invoice, and warnings", async () => {
		const customer = { rnc: "999999999", name: "NADIE" };
		const found = await report(tenant, buildInvoice(tenant, { type: "32", customer }));
		expect(found).toMatchObject({ road: "summary", sequenceExpiresOn: null, registry: { buyer: null } });
		expect(found.warnings).toContainEqual(
			expect.objectContaining({ pointer: "/customer/rnc", code: "customer-unknown" }),
		);
	});

	test("foretells what issuing then does: the same totals in the signed document", async () => {
		const invoice = buildInvoice(tenant);
		const found = await report(tenant, invoice);
		const { docId } = (await (await postInvoice(service, tenant, invoice)).json()) as { docId: string };
		const signed = await (await get(service, `/v1/invoices/${docId}/xml`, tenant.headers)).text();
		const untilTotals = (xml: string) => xml.slice(xml.indexOf("<ECF>"), xml.indexOf("<FechaHoraFirma>"));
		expect(untilTotals(signed)).toBe(untilTotals(found.document.xml));
	});

	test("of a discount in the subtotal says what issuing and a batch say", async () => {
		const adjustments = [{ kind: "discount", description: "Cliente frecuente", percent: "20" }];
		const totals = { subtotal: "3600.00", tax: "648.00", grand_total: "4248.00" };
		const make = () => buildInvoice(tenant, { adjustments, totals, client_request_id: `crid-${crypto.randomUUID()}` });
		const found = await report(tenant, make());
		expect(found).toMatchObject({ warnings: [], totals: { taxedBase: "3600.00", itbis: "648.00", total: "4248.00" } });
		expect(found.document.xml).toContain("<MontoDescuentooRecargo>900.00</MontoDescuentooRecargo>");
		expect((await postInvoice(service, tenant, make())).status).toBe(202);
		const key = { "idempotency-key": crypto.randomUUID() };
		const batch = await post(service, "/v1/invoices:batch", { ...tenant.headers, ...key }, { invoices: [make()] });
		expect(await batch.json()).toMatchObject({ accepted: 1, results: [{ status: 202 }] });
	});

	test("of a repeat names the document that exists", async () => {
		const invoice = buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}` });
		const { docId } = (await (await postInvoice(service, tenant, invoice)).json()) as { docId: string };
		expect(await report(tenant, invoice)).toMatchObject({ duplicateOf: docId });
	});
});

describe("what would be refused is refused", () => {
	test("for its form, its arithmetic and its issuer", async () => {
		await expectProblem(rehearse(tenant, "{"), 400, "malformed-json");
		await expectProblem(rehearse(tenant, { ...buildInvoice(tenant), type: "45" }), 400, "unsupported-ecf-type");
		const strict = await strictTenant();
		const customer = { rnc: "999999999", name: "NADIE" };
		await expectProblem(rehearse(strict, buildInvoice(strict, { customer })), 400, "validation-error", [
			"/customer/rnc customer-unknown",
		]);
		const totals = { subtotal: "4500.00", tax: "810.00", grand_total: "5310.01" };
		await expectProblem(rehearse(tenant, buildInvoice(tenant, { totals })), 422, "mathematical-discrepancy");
		const adjustments = [{ kind: "discount", description: "Cliente frecuente", percent: "20" }];
		await expectProblem(rehearse(strict, buildInvoice(strict, { adjustments })), 400, "validation-error", [
			"/adjustments adjustments-not-in-totals",
		]);
		const company = { rnc: "101010101", name: "OTRA" };
		await expectProblem(rehearse(tenant, buildInvoice(tenant, { company })), 422, "company-rnc-mismatch");
	});

	test("for a number or a client's id that is taken", async () => {
		const client_request_id = `crid-${crypto.randomUUID()}`;
		const invoice = buildInvoice(tenant, { client_request_id });
		const { docId } = (await (await postInvoice(service, tenant, invoice)).json()) as { docId: string };
		const other = buildInvoice(tenant, { client_request_id });
		expect(await expectProblem(rehearse(tenant, other), 422, "client-request-id-conflict")).toMatchObject({ docId });
		const third = buildInvoice(tenant, { encf: invoice.encf });
		expect(await expectProblem(rehearse(tenant, third), 422, "encf-already-used")).toMatchObject({ docId });
	});

	test("a value other than true or false, and an unknown parameter", async () => {
		for (const [query, fault] of [
			["dry_run=1", "#/query/dry_run invalid-format"],
			["dry_run=", "#/query/dry_run invalid-format"],
			["dry_run=true&dry_run=false", "#/query/dry_run repeated"],
			["dryrun=true", "#/query/dryrun unknown-parameter"],
		] as const) {
			const answer = post(service, `/v1/invoices?${query}`, tenant.headers, buildInvoice(tenant));
			await expectProblem(answer, 400, "validation-error", [fault]);
		}
	});
});

describe("nothing is left behind", () => {
	test("in any table of the database, whatever the rehearsal ends in", async () => {
		const own = await createTenant(service);
		const taken = buildInvoice(own, { client_request_id: `crid-${crypto.randomUUID()}` });
		const { docId } = (await (await postInvoice(service, own, taken)).json()) as { docId: string };
		await untilDecided(service, own, docId);
		await until(async () => (await isAtWork(own)) === false);
		const bodies = [
			buildInvoice(own, { client_request_id: `crid-${crypto.randomUUID()}` }),
			buildInvoice(own, { type: "32" }),
			taken,
			buildInvoice(own, { encf: taken.encf }),
			buildInvoice(own, { lines: [] }),
			"{",
		];
		const keys = bodies.map(() => crypto.randomUUID());
		// Every row that a rehearsal could write would name one of these, or hang on a row that does.
		const names = [own.tenantId, ...keys, ...bodies.flatMap(namesIn)];
		const before = await digestRows(names);
		const statuses: number[] = [];
		for (const [i, body] of bodies.entries()) {
			const headers = { "idempotency-key": keys[i] ?? "", prefer: "wait=1" };
			statuses.push((await rehearse(own, body, headers)).status);
		}
		expect(statuses).toEqual([200, 200, 200, 422, 400, 400]);
		expect(await digestRows(names)).toEqual(before);
		// The search does find what is there.
		for (const table of ["documents", "request_keys", "events"])
			expect(before.filter((line) => line.startsWith(`${table} `))[0]).not.toStartWith(`${table} 0 `);
	}, 120_000);

	test("so the number, the key and the client's id are free for the real document", async () => {
		const key = { "idempotency-key": crypto.randomUUID() };
		const invoice = buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}` });
		expect((await rehearse(tenant, invoice, key)).status).toBe(200);
		expect((await rehearse(tenant, invoice, key)).status).toBe(200);
		const answer = await postInvoice(service, tenant, invoice, key);
		expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([202, "false"]);
	});

	test("at the authority", async () => {
		const invoice = buildInvoice(tenant);
		await rehearse(tenant, invoice);
		const real = buildInvoice(tenant);
		const { docId } = (await (await postInvoice(service, tenant, real)).json()) as { docId: string };
		await untilDecided(service, tenant, docId);
		const received = await (await fetch(`${service.simulatorUrl}/_simulator/receptions`)).text();
		expect([received.includes(String(real.encf)), received.includes(String(invoice.encf))]).toEqual([true, false]);
	});
});

test("a rehearsal needs no key, and a document still does", async () => {
	expect((await rehearse(tenant, buildInvoice(tenant))).status).toBe(200);
	const answer = post(service, "/v1/invoices?dry_run=false", tenant.headers, buildInvoice(tenant));
	await expectProblem(answer, 400, "validation-error", ["#/headers/idempotency-key required"]);
});

async function isAtWork({ tenantId }: Tenant): Promise<boolean> {
	const rows = await service.sql`
		select 1 from outbox where tenant_id = ${tenantId} and state = 'ready' limit 1`;
	return rows.length > 0;
}

function namesIn(body: unknown): string[] {
	const { encf, client_request_id } = (typeof body === "object" ? body : {}) as Record<string, unknown>;
	return [encf, client_request_id].filter((name) => typeof name === "string");
}

/** How many requests there were is written from memory every few seconds, rehearsals and all. */
const COUNTING = ["usage_days", "usage_writes", "rate_buckets", "call_counts"];

/** For each table how many rows hold one of the names, and what is in them; a key's last use aside, which any request may note. */
async function digestRows(names: readonly string[]): Promise<string[]> {
	const tables = (await listTables(service.sql)).filter((name) => !COUNTING.includes(name));
	const patterns = names.map((name) => `%${name}%`);
	return Promise.all(
		tables.map(async (name) => {
			const [found] = await service.sql<{ rows: number; digest: string | null }[]>`
				select count(*)::int as rows, md5(string_agg(text, '' order by text)) as digest
				from (select (to_jsonb(t) - 'last_used_at')::text as text from ${service.sql(name)} t) r
				where text like any(${patterns}::text[])`;
			return `${name} ${found?.rows} ${found?.digest}`;
		}),
	);
}
