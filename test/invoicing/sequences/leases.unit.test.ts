/** Leases: numbers that are kept for a point of sale, and come back unless a document has them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { storeAll } from "../../../src/invoicing/invoices/issue/batched-queries";
import { createNumbering } from "../../../src/invoicing/sequences";
import { leaseNumbers, returnLease } from "../../../src/invoicing/sequences/lease";
import { requestVoid } from "../../../src/invoicing/sequences/request-void";
import type { Sql } from "../../../src/platform/database";
import { Problem } from "../../../src/platform/problem";
import type { Environment } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import {
	clock,
	documentUnder,
	encfOf,
	freeNumbers,
	insertTenant,
	NOW,
	register,
	releaseNumber,
	TODAY,
} from "./support/numbered";

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	sql = database.sql;
}, 120_000);
afterAll(() => database.close());

const at = { now: NOW, today: TODAY };
const lease = (tenantId: string, count: number, environment: Environment = "production") =>
	sql.begin((tx) => leaseNumbers(tx, tenantId, { type: "31", count, ttl: 3_600 }, { ...at, environment }));
const slugOf = (work: Promise<unknown>) =>
	work.then(
		() => "none",
		(error: unknown) => (error instanceof Problem ? error.slug : String(error)),
	);
const numbering = (environment: Environment = "production") =>
	createNumbering({ sql, clock, environment, wake: () => undefined });

test("a lease takes the lowest numbers exclusively, across sequences", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 3]);
	await register(sql, tenantId, [11, 20], { expiresAt: "2028-12-31" });
	const { ranges } = await lease(tenantId, 5);
	expect(ranges).toEqual([
		{ first: 1, last: 3, expiresOn: "2027-12-31" },
		{ first: 11, last: 12, expiresOn: "2028-12-31" },
	]);
	const held = await numbering().take({ tenantId, type: "31", place: `${tenantId} x` });
	expect(held).toMatchObject({ encf: encfOf(13), expiresOn: "2028-12-31" });
});

test("a returned lease frees what no document has", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 10]);
	const { id } = await lease(tenantId, 5);
	await storeAll(sql, [documentUnder(tenantId, encfOf(2)), documentUnder(tenantId, encfOf(4))]);
	await sql.begin((tx) => returnLease(tx, tenantId, id));
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[1,2),[3,4),[5,11)}"]);
	// Again changes nothing.
	const { returnedAt } = await sql.begin((tx) => returnLease(tx, tenantId, id));
	expect(returnedAt).not.toBeNull();
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[1,2),[3,4),[5,11)}"]);
});

test("numbers of a lease returned later do not count as used on their day", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 100]);
	const { id } = await lease(tenantId, 50);
	await storeAll(
		sql,
		[1, 2, 3].map((number) => documentUnder(tenantId, encfOf(number))),
	);
	const tomorrow = {
		now: new Date(NOW.getTime() + 86_400_000),
		today: "2026-11-21",
		environment: "production" as const,
	};
	await sql.begin((tx) => leaseNumbers(tx, tenantId, { type: "31", count: 10, ttl: 3_600 }, tomorrow));
	await sql.begin((tx) => returnLease(tx, tenantId, id));
	const usage = await sql`select day::text, given::int from sequence_usage where tenant_id = ${tenantId} order by day`;
	expect([...usage]).toEqual([
		{ day: TODAY, given: 3 },
		{ day: "2026-11-21", given: 10 },
	]);
});

test("an expired lease frees its unused numbers at the next take", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 4]);
	const { id } = await lease(tenantId, 4);
	await storeAll(sql, [documentUnder(tenantId, encfOf(1))]);
	expect(await slugOf(numbering().take({ tenantId, type: "31", place: `${tenantId} early` }))).toBe(
		"sequence-exhausted",
	);
	await sql`update sequence_holds set expires_at = now() where id = ${id}`;
	expect(await numbering().take({ tenantId, type: "31", place: `${tenantId} late` })).toMatchObject({
		encf: encfOf(2),
	});
});

test("a number given back during its lease is freed once, with the lease", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 3]);
	const { id } = await lease(tenantId, 2);
	const document = documentUnder(tenantId, encfOf(1));
	await storeAll(sql, [document]);
	await releaseNumber(sql, document);
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[3,4)}"]);
	await sql.begin((tx) => returnLease(tx, tenantId, id));
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[1,4)}"]);
});

test("a lease larger than what is left takes nothing", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 4]);
	expect(await slugOf(lease(tenantId, 5))).toBe("sequence-exhausted");
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[1,5)}"]);
	expect(await slugOf(lease(await insertTenant(sql), 1))).toBe("sequence-exhausted");
});

test("an expired sequence gives no numbers, and what expires first goes first", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 5], { expiresAt: "2028-12-31" });
	await register(sql, tenantId, [11, 15], { expiresAt: "2027-12-31" });
	await register(sql, tenantId, [21, 25], { expiresAt: "2026-12-31" });
	await sql`update sequences set expires_on = '2026-11-19' where tenant_id = ${tenantId} and numbers @> 21::bigint`;
	expect((await lease(tenantId, 6)).ranges.map(({ first, last }) => [first, last])).toEqual([
		[11, 15],
		[1, 1],
	]);
});

test("a sequence that is registered late starts with what no document has", async () => {
	const tenantId = await insertTenant(sql);
	await storeAll(
		sql,
		[1, 2, 3, 7].map((number) => documentUnder(tenantId, encfOf(number))),
	);
	await register(sql, tenantId, [1, 9]);
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[4,7),[8,10)}"]);
});

test("only sandboxes register a range automatically", async () => {
	const tenantId = await insertTenant(sql);
	const request = { tenantId, type: "31", place: `${tenantId} first` };
	expect(await slugOf(numbering().take(request))).toBe("sequence-exhausted");
	expect(await slugOf(numbering().preview(request))).toBe("sequence-exhausted");
	expect(await numbering("sandbox").preview(request)).toEqual({ encf: encfOf(1), expiresOn: "2028-12-31" });
	expect(await numbering("sandbox").take(request)).toMatchObject({ encf: encfOf(1), expiresOn: "2028-12-31" });
	expect(await numbering("sandbox").preview(request)).toEqual({ encf: encfOf(2), expiresOn: "2028-12-31" });
});

test("outside the sandboxes a void opens nothing, and neither does a lease", async () => {
	const tenantId = await insertTenant(sql);
	await sql.begin((tx) =>
		requestVoid(tx, tenantId, { type: "31", from: encfOf(1), to: encfOf(5), reason: "prueba" }, at),
	);
	expect(await slugOf(numbering().preview({ tenantId, type: "31" }))).toBe("sequence-exhausted");
	expect(await slugOf(lease(tenantId, 1))).toBe("sequence-exhausted");
	expect((await lease(tenantId, 1, "sandbox")).ranges).toMatchObject([{ first: 6, last: 6 }]);
});

test("a preview shows the number of an expired hold, and no used one", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 3]);
	const key = { tenantId, type: "31" };
	const preview = () => numbering().preview(key);
	const { holdId } = await numbering().take({ ...key, place: `${tenantId} crashed` });
	expect(await preview()).toMatchObject({ encf: encfOf(2) });
	await sql`update sequence_holds set expires_at = now() where id = ${holdId}`;
	expect(await preview()).toMatchObject({ encf: encfOf(1) });
	await storeAll(
		sql,
		[1, 2, 3].map((number) => documentUnder(tenantId, encfOf(number))),
	);
	expect(await slugOf(preview())).toBe("sequence-exhausted");
});

test("a void takes free numbers alone, and no document gets one of them afterwards", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 20]);
	await lease(tenantId, 3);
	await storeAll(sql, [documentUnder(tenantId, encfOf(10))]);
	const attempt = (first: number, last: number) =>
		slugOf(
			sql.begin((tx) =>
				requestVoid(tx, tenantId, { type: "31", from: encfOf(first), to: encfOf(last), reason: "prueba" }, at),
			),
		);
	expect(await attempt(3, 5)).toBe("sequence-conflict");
	expect(await attempt(9, 11)).toBe("sequence-conflict");
	expect(await attempt(5, 8)).toBe("none");
	expect(await attempt(8, 9)).toBe("sequence-conflict");
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[4,5),[9,21)}"]);
	expect(await storeAll(sql, [documentUnder(tenantId, encfOf(6)), documentUnder(tenantId, encfOf(9))])).toEqual([
		...(["collision", "stored"] as const),
	]);
});

test("a void and a document of its range at once: one of the two", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 100]);
	for (let number = 1; number <= 30; number++) {
		const encf = encfOf(number);
		const [voided, [stored]] = await Promise.all([
			slugOf(sql.begin((tx) => requestVoid(tx, tenantId, { type: "31", from: encf, to: encf, reason: "prueba" }, at))),
			storeAll(sql, [documentUnder(tenantId, encf)]),
		]);
		expect([voided === "none", stored === "stored"].filter(Boolean)).toHaveLength(1);
	}
}, 120_000);
