/** After a failover: which numbers the authority is asked about, and which are given from then on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Authority, Signatory } from "../../../src/authority/client";
import { storeAll } from "../../../src/invoicing/invoices/issue/batched-queries";
import { createNumbering } from "../../../src/invoicing/sequences/numbering";
import { reconcileNumbers } from "../../../src/invoicing/sequences/reconcile-numbers";
import { noteUnreconciled } from "../../../src/invoicing/sequences/unreconciled-store";
import type { Sql } from "../../../src/platform/database";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany } from "../../support/submission";
import { documentUnder, encfOf, freeNumbers, register } from "./support/numbered";

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	sql = database.sql;
}, 120_000);
afterAll(() => database.close());

const SKIP = 3;
type State = Awaited<ReturnType<Authority<Signatory>["queryState"]>>;
const ACCEPTED: State = { kind: "accepted", conditional: false, code: "1", messages: [], sequenceConsumed: true };

/** Knows these numbers of type 31, and notes what it is asked. */
function authorityThat(knows: readonly number[], otherwise: State = { kind: "not-found" }) {
	const asked: string[] = [];
	const queryState: Authority<Signatory>["queryState"] = async (_, { encf }) => {
		asked.push(encf);
		return knows.some((number) => encfOf(number) === encf) ? ACCEPTED : otherwise;
	};
	return { asked, authority: { queryState } };
}

const numbering = () => createNumbering({ sql, clock: systemClock, environment: "production", wake: () => undefined });
const take = (tenantId: string) => numbering().take({ tenantId, type: "31", place: newId() });

async function addUnreconciled(numbers: readonly [number, number]): Promise<string> {
	const tenantId = await addCompany(sql);
	await register(sql, tenantId, numbers);
	await noteUnreconciled(sql, [tenantId], new Date());
	return tenantId;
}

test("numbers are refused until they were compared, and none that is known is given", async () => {
	const tenantId = await addUnreconciled([1, 100]);
	await storeAll(sql, [documentUnder(tenantId, encfOf(2))]);
	await expect(take(tenantId)).rejects.toMatchObject({ slug: "sequence-reconciling" });
	const { asked, authority } = authorityThat([1, 2, 3, 6]);
	expect(await reconcileNumbers({ sql, clock: systemClock, authority }, tenantId, SKIP)).toEqual({
		...{ tenantId, known: [1, 3, 6].map((number) => encfOf(number)), skipped: 2 },
	});
	expect(asked).toEqual([1, 3, 4, 5, 6, 7, 8, 9].map((number) => encfOf(number)));
	// The type was not in use, so nothing behind the last known number is skipped.
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[7,101)}"]);
	expect(await take(tenantId)).toMatchObject({ encf: encfOf(7) });
	const names = await sql<{ name: string }[]>`select name from names where tenant_id = ${tenantId} order by name`;
	expect(names.map(({ name }) => name)).toEqual([1, 2, 3, 6].map((number) => encfOf(number)));
});

test("in a type that is in use, numbers behind the last known one are skipped", async () => {
	const tenantId = await addCompany(sql);
	await register(sql, tenantId, [1, 100]);
	// Its hold is on the new server, its document was lost.
	await take(tenantId);
	await take(tenantId);
	await storeAll(sql, [documentUnder(tenantId, encfOf(1))]);
	await noteUnreconciled(sql, [tenantId], new Date());
	const { authority } = authorityThat([1, 2, 4]);
	expect(await reconcileNumbers({ sql, clock: systemClock, authority }, tenantId, SKIP)).toEqual({
		...{ tenantId, known: [2, 4].map((number) => encfOf(number)), skipped: 1 + SKIP },
	});
	expect(await take(tenantId)).toMatchObject({ encf: encfOf(5 + SKIP) });
});

test("a company whose authority does not answer waits on with its numbers unchanged", async () => {
	const tenantId = await addUnreconciled([1, 100]);
	const away: State = { kind: "unavailable", reason: "authority-timeout", detail: "" };
	const { authority } = authorityThat([1], away);
	expect(await reconcileNumbers({ sql, clock: systemClock, authority }, tenantId, SKIP)).toEqual({
		...{ tenantId, left: `the authority did not answer for ${encfOf(2)}: authority-timeout` },
	});
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[1,101)}"]);
	await expect(take(tenantId)).rejects.toMatchObject({ slug: "sequence-reconciling" });
});

test("where the authority answers no such question, numbers are skipped", async () => {
	const tenantId = await addCompany(sql);
	await register(sql, tenantId, [1, 100]);
	await take(tenantId);
	await noteUnreconciled(sql, [tenantId], new Date());
	const { authority } = authorityThat([], { kind: "unavailable", reason: "authority-service-absent", detail: "" });
	await reconcileNumbers({ sql, clock: systemClock, authority }, tenantId, SKIP);
	expect(await take(tenantId)).toMatchObject({ encf: encfOf(1 + SKIP) });
});
