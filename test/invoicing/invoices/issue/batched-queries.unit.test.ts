/** Many invoices in one transaction: each is stored or left out for itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createBatchedQueries } from "../../../../src/invoicing/invoices/issue/batched-queries";
import type { ToStore } from "../../../../src/invoicing/invoices/issue/issue-store";
import { readAmounts } from "../../../../src/invoicing/invoices/model/amounts";
import { readPapers } from "../../../../src/invoicing/invoices/model/papers";
import { shardOf } from "../../../../src/platform/lanes";
import { newId, systemClock } from "../../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { decide, FACTS, type InvoiceChange, toInvoice } from "../../../support/submission";

const ECF = "<ECF>Ñandú \\x41 {é} \u{1f9fe}</ECF>";

let database: TestDatabase;
const tenantId = newId();
beforeAll(async () => {
	database = await openTestDatabase();
	await database.sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, 'sandbox', 'test', '131880681', 'FERRETERIA', 'free', '{}', '{}')`;
}, 120_000);
afterAll(() => database.close());

let numbers = 0;
const nextEncf = () => `E31${String(++numbers).padStart(10, "0")}`;

function makeInvoice(change: InvoiceChange = {}, key: string = crypto.randomUUID()): ToStore {
	const docId = newId();
	const row = toInvoice(tenantId, {
		docId,
		encf: nextEncf(),
		request: '{"a": "Ñ, \\"quoted\\", {curly}, NULL"}',
		acknowledgement: `{"docId":"${docId}"}`,
		print: { securityCode: 'a"\\,{}', signedAt: "2026-11-20T16:00:00.000Z", qrUrl: "https://example.do/?a=1&b=2" },
		warnings: [{ pointer: "/x", code: "odd", detail: "NULL, \\ and ' and é" }],
		receivedAt: new Date("2026-11-20T16:00:00.123Z"),
		branch: 'N°1 "é", {NULL}',
		facts: { ...FACTS, customerName: 'Ñ "é", {NULL}', currency: "USD", subtotal: "100", grandTotal: "118.000" },
		ecf: ECF,
		...change,
	});
	const place = { scopeId: tenantId, operation: "POST /v1/invoices", key };
	return { row, key: { place, rawSha256: Buffer.alloc(32, 1) } };
}

const store = (all: readonly ToStore[]) => {
	const queries = createBatchedQueries({ sql: database.sql, clock: systemClock });
	return Promise.all(all.map((one) => queries.store(one)));
};

async function countRows(docIds: readonly string[]) {
	const ids = [...docIds];
	const [row] = await database.sql<Record<string, number>[]>`
		select (select count(*)::int from documents where doc_id = any(${ids}::uuid[])) as documents,
			(select count(*)::int from papers where doc_id = any(${ids}::uuid[])) as papers,
			(select count(*)::int from names where doc_id = any(${ids}::uuid[]) and kind = 't') as numbers,
			(select count(*)::int from work_log, unnest(doc_ids) doc_id where doc_id = any(${ids}::uuid[])) as messages,
			(select count(distinct key)::int from request_keys where doc_id = any(${ids}::uuid[])) as keys`;
	return row;
}
const rowsOf = (count: number) => ({
	documents: count,
	papers: count,
	numbers: count,
	messages: count,
	keys: count,
});

test("those who wait for verdicts look by one statement, each for its own document", async () => {
	const all = Array.from({ length: 60 }, () => makeInvoice());
	await store(all);
	await decide(
		database.sql,
		all.slice(0, 20).map(({ row }) => row),
	);
	let statements = 0;
	const counting = new Proxy(database.sql, {
		apply: (target, self, args) => {
			// The other call makes a part of the statement.
			if (String(args[0]).trimStart().startsWith("select")) statements++;
			return Reflect.apply(target, self, args);
		},
	});
	const { findStatus } = createBatchedQueries({ sql: counting, clock: systemClock });
	const keys = [...all.map(({ row }) => row), { tenantId: newId(), docId: newId() }];
	const found = await Promise.all(keys.map((key) => findStatus(key)));
	expect(found).toEqual([...Array(20).fill("accepted"), ...Array(40).fill("pending"), undefined]);
	expect(statements).toBe(1);
});

test("with lanes by shard, one statement looks up documents of one shard alone", async () => {
	let statements = 0;
	const counting = new Proxy(database.sql, {
		apply: (target, self, args) => {
			statements++;
			return Reflect.apply(target, self, args);
		},
	});
	const tenants = Array.from({ length: 40 }, () => newId());
	const shards = new Set(tenants.map(shardOf)).size;
	const sought = tenants.map((scopeId) => ({ place: { scopeId, operation: "POST /v1/invoices", key: newId() } }));
	const ask = async (isByShard: boolean) => {
		const { preflight } = createBatchedQueries({ sql: counting, clock: systemClock, isByShard });
		statements = 0;
		await Promise.all(sought.map(preflight));
		return statements;
	};
	expect(await ask(false)).toBe(1);
	expect(await ask(true)).toBe(shards);
});

describe("invoices stored together", () => {
	test("are each stored whole, and read back as they were", async () => {
		const all = Array.from({ length: 150 }, () => makeInvoice());
		expect(new Set(await store(all))).toEqual(new Set(["stored"]));
		expect(await countRows(all.map(({ row }) => row.docId))).toEqual(rowsOf(150));
		const [first] = all;
		if (!first) throw new Error("no invoice was made");
		const [row] = await database.sql<{ body: Buffer; subtotal: string; tax: string; shown: null }[]>`
			select d.*, d.subtotal::text, d.tax::text, p.body, encode(d.sha256, 'hex') as digest from documents d join papers p using (tenant_id, doc_id)
			where doc_id = ${first.row.docId}`;
		const { packed: _, ...written } = first.row;
		expect(row).toMatchObject({
			client_request_id: null,
			received_at: written.receivedAt,
			digest: written.sha256,
			customer_name: written.facts.customerName,
			branch: written.branch,
		});
		if (!row) throw new Error("no document was stored");
		const { request, acknowledgement, print, registry } = written;
		expect(readPapers(row.body)).toEqual({
			...{ request, acknowledgement, print, registry, ecf: ECF, summary: undefined, scenario: undefined },
		});
		const { currency, subtotal, tax, grandTotal, total } = written.facts;
		expect(readAmounts(row)).toEqual({ currency, subtotal, tax, grandTotal, total });
	});

	test("leave out one whose number is taken, with its key, and no other", async () => {
		const earlier = makeInvoice();
		await store([earlier]);
		const all = [makeInvoice(), makeInvoice({ encf: earlier.row.encf }), makeInvoice()];
		expect(await store(all)).toEqual(["stored", "collision", "stored"]);
		expect(await countRows([all[1]?.row.docId ?? ""])).toEqual(rowsOf(0));
		expect(await countRows([all[0]?.row.docId ?? "", all[2]?.row.docId ?? ""])).toEqual(rowsOf(2));
	});

	test("leave out one whose client_request_id is taken", async () => {
		const earlier = makeInvoice({ clientRequestId: "order-00000001" });
		await store([earlier]);
		const all = [
			makeInvoice({ clientRequestId: "order-00000001" }),
			makeInvoice({ clientRequestId: "order-00000002" }),
		];
		expect(await store(all)).toEqual(["collision", "stored"]);
	});

	test("leave out one whose key has an answer", async () => {
		const earlier = makeInvoice();
		await store([earlier]);
		const all = [makeInvoice({}, earlier.key?.place.key), makeInvoice()];
		expect(await store(all)).toEqual(["repeat-of-key", "stored"]);
		expect(await countRows([all[0]?.row.docId ?? ""])).toEqual(rowsOf(0));
	});

	test("that collide with each other: the first is stored", async () => {
		const key = crypto.randomUUID();
		const encf = nextEncf();
		const clientRequestId = "order-00000003";
		const all = [
			makeInvoice({ encf, clientRequestId }, key),
			makeInvoice({ encf }),
			makeInvoice({ clientRequestId }),
			makeInvoice({}, key),
		];
		expect(await store(all)).toEqual(["stored", "collision", "collision", "repeat-of-key"]);
		expect(await countRows(all.map(({ row }) => row.docId))).toEqual(rowsOf(1));
	});

	test("in transactions that race each other are stored once", async () => {
		for (let round = 0; round < 20; round++) {
			const shared = Array.from({ length: 10 }, nextEncf);
			const make = () => shared.map((encf) => makeInvoice({ encf }));
			const [left, right] = [make(), make().reverse()];
			const outcomes = await Promise.allSettled([store(left), store(right)]);
			const [row] = await database.sql<{ n: number }[]>`
				select count(*)::int as n from documents where encf = any(${shared}::text[])`;
			// A deadlock is an error and is retried. A number is never stored twice.
			expect(row?.n).toBe(10);
			expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
		}
	});

	test("that are too long for one call are stored by several", async () => {
		const long = JSON.stringify({ note: crypto.getRandomValues(Buffer.alloc(2_000_000)).toString("base64") });
		const all = [
			makeInvoice({ request: long }),
			makeInvoice(),
			makeInvoice({ request: long }),
			makeInvoice({ request: long }),
		];
		expect(await store(all)).toEqual(["stored", "stored", "stored", "stored"]);
		const [row] = await database.sql<{ body: Buffer }[]>`
			select body from papers where doc_id = ${all[3]?.row.docId ?? ""}`;
		expect(row && readPapers(row.body).request === long).toBe(true);
	});

	test("fail together if one cannot be stored, so that each is retried alone", async () => {
		const all = [makeInvoice(), makeInvoice({ sha256: "no digest" })];
		const outcomes = await Promise.allSettled([store(all)]);
		expect(outcomes[0]?.status).toBe("rejected");
		expect(await countRows(all.map(({ row }) => row.docId))).toEqual(rowsOf(0));
		expect(await store([all[0] ?? makeInvoice()])).toEqual(["stored"]);
	});
});

test("what is taken is seen before signing", async () => {
	const earlier = makeInvoice({ clientRequestId: "order-00000009" });
	await store([earlier]);
	const { preflight } = createBatchedQueries({ sql: database.sql, clock: systemClock });
	const under = (scopeId: string, key: string = crypto.randomUUID()) => ({
		place: { scopeId, operation: "POST /v1/invoices", key },
	});
	const sought = [
		{ ...under(tenantId), encf: earlier.row.encf },
		{ ...under(tenantId), encf: nextEncf(), clientRequestId: "order-00000009" },
		{ ...under(newId()), encf: earlier.row.encf, clientRequestId: "order-00000009" },
		{ ...under(tenantId), encf: nextEncf() },
		{ ...under(tenantId, earlier.key?.place.key), clientRequestId: "order-00000010" },
	];
	const facts = await Promise.all(sought.map(preflight));
	expect(facts.map(({ collides }) => collides)).toEqual([true, true, false, false, false]);
	expect(facts.map(({ key }) => key?.docId)).toEqual([...Array(4).fill(undefined), earlier.row.docId]);
	expect(facts.map(({ issuerVersion }) => issuerVersion === null)).toEqual([false, false, true, false, false]);
});

test("an issuer is read again only when company or certificate has changed", async () => {
	const own = newId();
	await database.sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${own}, 'sandbox', 'test', '131880682', 'FERRETERIA', 'free', '{}', '{}')`;
	const { preflight, issuers } = createBatchedQueries({ sql: database.sql, clock: systemClock });
	const read = async () => {
		const place = { scopeId: own, operation: "POST /v1/invoices", key: crypto.randomUUID() };
		return issuers.get(own, (await preflight({ place })).issuerVersion);
	};
	const first = await read();
	expect(await read()).toBe(first);
	await database.sql`update companies set name = 'COLMADO' where tenant_id = ${own}`;
	const second = await read();
	expect(second?.company.name).toBe("COLMADO");
	expect(second?.identity).toBeUndefined();
	await database.sql`
		insert into signing_certificates (id, tenant_id, status, certificate_der, sealed_key, thumbprint, subject, issuer, serial_number,
			not_before, not_after, ephemeral)
		values (${newId()}, ${own}, 'active', '\\x01', '\\x02', ${own}, 'CN=A', 'CN=A', '01', now() - interval '1 day',
			now() + interval '1 year', true)`;
	const third = await read();
	expect(third?.identity?.thumbprint).toBe(own);
	expect(await read()).toBe(third);
	await database.sql`update signing_certificates set not_after = now() - interval '1 second' where tenant_id = ${own}`;
	expect((await read())?.identity).toBeUndefined();
});
