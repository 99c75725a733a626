import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Message } from "../../../src/platform/outbox";
import { newId, systemClock } from "../../../src/platform/values";
import { createDigest, digitsOf } from "../../../src/registry/index/index";
import { createFillWatchlist, orderFillings } from "../../../src/registry/watchlists/filling";
import { unpackNumbers } from "../../../src/registry/watchlists/numbers";
import { findNumbers, findWatchlist } from "../../../src/registry/watchlists/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addListTo } from "./lists";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const PEPPER = Buffer.alloc(32, 9);
const NEWEST_FIRST = Array.from({ length: 102 }, (_, i) => String(990_000_500 - i));

async function fill(id: string, documents: readonly string[]): Promise<readonly string[]> {
	const deps = { sql: database.sql, clock: systemClock, pepper: PEPPER };
	const run = createFillWatchlist({ ...deps, readCounterparties: async () => ({ plan: "free", documents }) });
	const message: Message = {
		...{ id: newId(), kind: "", tenantId: newId(), subject: id, payload: {}, failures: 0, ageSeconds: 0 },
		...{ isRepeat: false, hold: { lane: newId(), epoch: 1, term: 1 }, leaseLeftMs: () => 1 },
	};
	expect(await run(message)).toEqual({ kind: "done" });
	return [...unpackNumbers((await findNumbers(database.sql, id)).numbers)].map(digitsOf);
}

test("the newest numbers stay that the plan allows, without erased ones", async () => {
	const [ownerId, id] = await addListTo(database.sql, { digits: [], source: "customers" });
	await database.owner`
		insert into registry_tombstones (digest, purge_id, purged_at, legal_basis, request_reference, requested_by, reason)
		values (${createDigest(PEPPER)("990000500")}, ${newId()}, now(), 'ley', 'R-1', 'x', 'x')`;
	const filled = await fill(id, ["passport", "9900-00500", ...NEWEST_FIRST, NEWEST_FIRST[3] ?? ""]);
	expect(filled).toHaveLength(100);
	expect(filled).not.toContain("990000500");
	expect(filled).not.toContain(NEWEST_FIRST.at(-1) ?? "");
	const { omitted, filledAt } = (await findWatchlist(database.sql, { ownerId, tenantId: null }, id)) ?? {};
	expect([omitted, filledAt]).toEqual([1, expect.any(Date)]);
	expect(await fill(id, NEWEST_FIRST.slice(1, 3))).toHaveLength(2);
});

test("each night orders one filling of each list", async () => {
	await database.owner`truncate watchlists`;
	const [ownerId, id] = await addListTo(database.sql, { digits: [], source: "suppliers", day: "2026-11-26" });
	const company = newId();
	await database.owner`
		insert into companies (tenant_id, owner_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${company}, ${ownerId}, 'sandbox', 'test', '990000001', 'FERRETERIA', 'free', '{}', '{}')`;
	await database.owner`update watchlists set tenant_id = ${company} where id = ${id}`;
	const nights = ["2026-11-27T04:59:59Z", "2026-11-27T05:00:00Z", "2026-11-27T12:00:00Z", "2026-11-28T05:00:00Z"];
	const orders: number[] = [];
	for (const at of nights) orders.push(await orderFillings(database.sql, new Date(at)));
	expect(orders).toEqual([0, 1, 0, 1]);
});
