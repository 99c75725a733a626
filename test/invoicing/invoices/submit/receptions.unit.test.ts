/** A document without a message row: its reception is kept in memory until the verdict, or until it takes long. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Message } from "../../../../src/platform/outbox";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { addCompany, addInvoice, holdMessageOf, openSubmit, readInvoice } from "../../../support/submission";
import { scriptAuthority } from "../support/scripted-authority";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const accepted = { kind: "accepted", conditional: false, code: "1", messages: [], sequenceConsumed: true } as const;

/** A document, its message as a lane carries it in memory, and an authority that has it and is slow to decide. */
async function begin() {
	const { sql } = database;
	const { docId, tenantId } = await addInvoice(sql, await addCompany(sql));
	const held = await holdMessageOf(sql, docId);
	if (!held) throw new Error("the document has no message");
	await sql`delete from outbox where tenant_id = ${tenantId}`;
	const message: Message = { ...held, id: docId, isStored: false };
	const { authority, asked } = scriptAuthority({
		submit: [{ kind: "received", trackId: `t-${docId}` }],
		queryResult: [{ kind: "in-process" }, accepted],
		queryTrackIds: [{ kind: "found", entries: [{ trackId: `t-${docId}`, standing: "in-process" }] }],
	});
	const rows = async () => ({
		steps: Number((await sql`select count(*) from steps where doc_id = ${docId}`)[0]?.count),
		open: Number((await sql`select count(*) from open_documents where doc_id = ${docId}`)[0]?.count),
	});
	return { docId, message, authority, asked, rows };
}

test("a reception is written with the verdict that follows soon", async () => {
	const { docId, message, authority, rows } = await begin();
	const submit = openSubmit(database.sql, authority);
	expect(await submit(message)).toMatchObject({ kind: "snooze" });
	expect(await submit(message)).toMatchObject({ kind: "snooze" });
	expect(await rows()).toEqual({ steps: 1, open: 0 });
	expect(await submit(message)).toMatchObject({ kind: "settled", outcome: { kind: "done" } });
	expect(await rows()).toEqual({ steps: 2, open: 0 });
	expect(await readInvoice(database.sql, docId)).toMatchObject({
		...{ status: "accepted", authorityTrackId: `t-${docId}`, version: 4, attempts: 1 },
	});
});

test("a reception is written when the document takes long", async () => {
	const { docId, message, authority, rows } = await begin();
	const submit = openSubmit(database.sql, authority);
	await submit(message);
	expect(await submit({ ...message, ageSeconds: 2 })).toMatchObject({ kind: "settled", outcome: { kind: "snooze" } });
	expect(await rows()).toEqual({ steps: 2, open: 1 });
	expect(await readInvoice(database.sql, docId)).toMatchObject({
		...{ status: "pending", phase: "tracking", authorityTrackId: `t-${docId}` },
	});
});

test("a lane that knows nothing of a reception queries, and does not send again", async () => {
	const { message, authority, asked } = await begin();
	await openSubmit(database.sql, authority)(message);
	const next = openSubmit(database.sql, authority);
	for (let left = 5; left > 0 && (await next(message)).kind !== "done"; left--);
	expect(asked.filter((name) => name === "submit")).toHaveLength(1);
	expect(asked).toContain("queryTrackIds");
	expect(await readInvoice(database.sql, message.subject)).toMatchObject({ status: "accepted" });
});
