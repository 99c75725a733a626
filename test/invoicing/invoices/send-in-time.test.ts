/** A document goes out only while its message is held for longer than the sending may take. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Authority, Signatory, SignedDocument, Submission } from "../../../src/authority/client";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany, addInvoice, holdMessageOf, openSubmit, readInvoice } from "../../support/submission";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("a sending may not take longer than its lease lasts; withdrawal is no outage", async () => {
	const { sql } = database;
	const { docId } = await addInvoice(sql, await addCompany(sql));
	const sent: SignedDocument[] = [];
	const submit = async (_: unknown, document: SignedDocument): Promise<Submission> => {
		sent.push(document);
		return { kind: "not-sent", reason: "send-withdrawn", detail: "made so by the test" };
	};
	const handler = openSubmit(sql, { submit, restMs: () => 0 } as unknown as Authority<Signatory>);
	const message = await holdMessageOf(sql, docId);
	if (!message) throw new Error("the document has no message");
	await handler({ ...message, leaseLeftMs: () => 10_000 });
	expect(sent).toHaveLength(1);
	expect([9_999, 10_000, 10_001].map((takesMaxMs) => sent[0]?.maySend?.(takesMaxMs))).toEqual([true, false, false]);
	// No contingency: the service itself delayed the document.
	expect(await readInvoice(sql, docId)).toMatchObject({ status: "pending", phase: "queued", contingencySince: null });
	expect(await sql`select from events where doc_id = ${docId}`).toHaveLength(0);
});
