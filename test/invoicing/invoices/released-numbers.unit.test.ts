/** Numbers that the authority gives back, of several documents at once: those who write them wait for one another in no circle. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { concludeSteps, findSubmissionStates } from "../../../src/invoicing/invoices/submit";
import { done } from "../../../src/platform/outbox";
import { systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany, addInvoice, holdMessageOf } from "../../support/submission";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

/** A step that rejects a new document of a type and gives its number back. */
async function release(tenantId: string, type: string) {
	const { docId } = await addInvoice(database.sql, tenantId, { type });
	const message = await holdMessageOf(database.sql, docId);
	const [state] = await findSubmissionStates(database.sql, [{ tenantId, docId }]);
	if (!message || !state) throw new Error("expected a message");
	const to = {
		status: "rejected",
		authority: {},
		failure: null,
		releasesEncf: true,
		at: new Date(),
		detail: "",
	} as const;
	const { place, invoice } = state;
	return { write: { message, docId, place, to, outcome: done }, invoice };
}

type Step = Awaited<ReturnType<typeof release>>;

async function write(steps: readonly Step[]) {
	const { written } = await database.sql.begin((tx) => concludeSteps(tx, steps, { clock: systemClock, reactions: [] }));
	return written;
}

const untilWaiting = (sessions: number) =>
	until(async () => {
		const waiting = await database.owner`
			select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
		return waiting.length === sessions;
	});

test("numbers of two types given back in opposite orders are both given back", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	for (const type of ["31", "32"])
		await sql`insert into sequence_types (tenant_id, type) values (${tenantId}, ${type})`;
	const here = [await release(tenantId, "31"), await release(tenantId, "32")];
	const there = [await release(tenantId, "32"), await release(tenantId, "31")];
	const written: Promise<unknown>[] = [];
	await owner.begin(async (tx) => {
		await tx`select 1 from sequence_types where tenant_id = ${tenantId} and type = '31' for update`;
		written.push(write(here));
		await untilWaiting(1);
		written.push(write(there));
		await untilWaiting(2);
	});
	expect(await Promise.all(written)).toMatchObject([
		[{ version: 2 }, { version: 2 }],
		[{ version: 2 }, { version: 2 }],
	]);
});
