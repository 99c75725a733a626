/**
 * Many requests at once over two pools, as of two processes, with every fate that a request can have: whatever happens, each number is
 * in one document at most, and in the end every number of the sequence is in one.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { storeAll } from "../../../src/invoicing/invoices/issue/batched-queries";
import { createNumbering, type Numbering } from "../../../src/invoicing/sequences";
import { connect, type Sql } from "../../../src/platform/database";
import { Problem } from "../../../src/platform/problem";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { clock, documentUnder, encfOf, freeNumbers, insertTenant, register, usedNumbers } from "./support/numbered";

let database: TestDatabase;
let pools: readonly { readonly sql: Sql; readonly numbering: Numbering }[];
beforeAll(async () => {
	database = await openTestDatabase();
	pools = ["one", "two"].map((name) => {
		const sql = connect({ url: database.url, name, connectionsMax: 6 });
		return { sql, numbering: createNumbering({ sql, clock, environment: "production", wake: () => undefined }) };
	});
}, 120_000);
afterAll(async () => {
	await Promise.all(pools.map(({ sql }) => sql.end()));
	await database.close();
});

const FATES = ["stored", "refused", "crashed", "paused", "twice", "explicit", "given back", "shared batch"] as const;
type Fate = (typeof FATES)[number];

const isExhausted = (error: unknown) => error instanceof Problem && error.slug === "sequence-exhausted";

async function issue(
	pool: (typeof pools)[number],
	tenantId: string,
	key = crypto.randomUUID(),
): Promise<string | undefined> {
	const request = { tenantId, type: "31", place: `${tenantId} ${key}` };
	for (let attempt = 1; attempt <= 5; attempt++) {
		const held = await pool.numbering.take(request).catch((error: unknown) => {
			if (error instanceof Problem) return undefined;
			throw error;
		});
		if (!held) return undefined;
		const one = documentUnder(tenantId, held.encf, held.holdId, key);
		const [outcome] = await storeAll(pool.sql, [one]);
		if (outcome === "stored") return one.row.docId;
		await pool.numbering.giveBack(request, held.holdId);
		if (outcome === "repeat-of-key") return undefined;
	}
	// So many numbers may be lost in a row that the caller has to send the request again.
	return undefined;
}

async function live(fate: Fate, i: number, tenantId: string, size: number): Promise<void> {
	const pool = pools[i % 2] ?? pools[0];
	const other = pools[(i + 1) % 2];
	if (!pool || !other) throw new Error("expected two pools");
	const request = { tenantId, type: "31", place: `${tenantId} ${i}` };
	const take = () =>
		pool.numbering.take(request).catch((error: unknown) => (isExhausted(error) ? undefined : Promise.reject(error)));
	switch (fate) {
		case "stored":
			return void (await issue(pool, tenantId));
		case "refused": {
			const held = await take();
			if (held) await pool.numbering.giveBack(request, held.holdId);
			return;
		}
		case "crashed":
			return void (await take());
		case "paused": {
			const held = await take();
			if (!held) return;
			await pool.sql`update sequence_holds set expires_at = now() - interval '1 second' where id = ${held.holdId}`;
			await issue(other, tenantId);
			await storeAll(pool.sql, [documentUnder(tenantId, held.encf, held.holdId)]);
			return;
		}
		case "twice": {
			const key = crypto.randomUUID();
			const docs = await Promise.all([issue(pool, tenantId, key), issue(other, tenantId, key)]);
			expect(docs.filter(Boolean).length).toBeLessThanOrEqual(1);
			return;
		}
		case "explicit":
			return void (await storeAll(pool.sql, [documentUnder(tenantId, encfOf(1 + ((i * 7) % size)))]));
		case "given back": {
			const docId = await issue(pool, tenantId);
			if (docId) await pool.sql`select release_numbers(array[${tenantId}::uuid], array[${docId}::uuid])`;
			return;
		}
		case "shared batch": {
			const held = await Promise.all(
				[0, 1, 2].map((n) => pool.numbering.take({ ...request, place: `${i} ${n}` }).catch(() => undefined)),
			);
			const documents = held.flatMap((one) => (one ? [documentUnder(tenantId, one.encf, one.holdId)] : []));
			if (documents.length > 0) await storeAll(pool.sql, documents);
			return;
		}
	}
}

test("no number is in two documents and none is lost, whatever becomes of the requests", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.constantFrom(...FATES), { minLength: 20, maxLength: 60 }), async (fates) => {
			const size = 40;
			const tenantId = await insertTenant(database.sql);
			await register(database.sql, tenantId, [1, 25]);
			await register(database.sql, tenantId, [26, size], { expiresAt: "2028-12-31" });
			await Promise.all(fates.map((fate, i) => live(fate, i, tenantId, size)));
			const used = await usedNumbers(database.sql, tenantId);
			expect(new Set(used).size).toBe(used.length);

			// The crashed ones' holds end; then everything that is left is given, the lowest first.
			await database.sql`update sequence_holds set expires_at = now() - interval '1 second' where tenant_id = ${tenantId}`;
			const [pool] = pools;
			if (!pool) throw new Error("expected a pool");
			const rest: number[] = [];
			for (let left = size; left > 0; left--) {
				const docId = await issue(pool, tenantId);
				if (!docId) break;
				const [row] = await database.sql<{ encf: string }[]>`select encf from documents where doc_id = ${docId}`;
				rest.push(Number(row?.encf.slice(3)));
			}
			expect(rest).toEqual([...rest].sort((a, b) => a - b));
			expect(await usedNumbers(database.sql, tenantId)).toEqual(Array.from({ length: size }, (_, i) => i + 1));
			expect(await freeNumbers(database.sql, tenantId)).toEqual(["{}", "{}"]);
			expect(await database.sql`select 1 from sequence_holds where tenant_id = ${tenantId}`).toHaveLength(0);
		}),
		{ numRuns: 6 },
	);
}, 120_000);

test("two hundred requests for a hundred numbers give a hundred documents", async () => {
	const tenantId = await insertTenant(database.sql);
	await register(database.sql, tenantId, [501, 600]);
	const answers = await Promise.all(
		Array.from({ length: 200 }, async (_, i) => {
			const pool = pools[i % 2];
			return pool && issue(pool, tenantId);
		}),
	);
	expect(answers.filter(Boolean)).toHaveLength(100);
	expect(await usedNumbers(database.sql, tenantId)).toEqual(Array.from({ length: 100 }, (_, i) => 501 + i));
}, 120_000);

test("a hold that has ended stores nothing, even when its number is free again", async () => {
	const [pool] = pools;
	if (!pool) throw new Error("expected a pool");
	const tenantId = await insertTenant(database.sql);
	await register(database.sql, tenantId, [1, 2]);
	const key = { tenantId, type: "31" };
	const held = await pool.numbering.take({ ...key, place: `${tenantId} late` });
	await pool.numbering.giveBack(key, held.holdId);
	expect(await storeAll(pool.sql, [documentUnder(tenantId, held.encf, held.holdId)])).toEqual(["number-lost"]);
	expect(await usedNumbers(database.sql, tenantId)).toEqual([]);
	expect(await freeNumbers(database.sql, tenantId)).toEqual(["{[1,3)}"]);
});

test("a request that comes again after a crash goes on with its number", async () => {
	const [one, two] = pools;
	const tenantId = await insertTenant(database.sql);
	await register(database.sql, tenantId, [1, 9]);
	const request = { tenantId, type: "31", place: `${tenantId} again` };
	const first = await one?.numbering.take(request);
	const second = await two?.numbering.take(request);
	expect(second).toEqual(first as NonNullable<typeof first>);
});
