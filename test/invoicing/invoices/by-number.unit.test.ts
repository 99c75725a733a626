/** Documents that are asked for by their number are found by it: what else their tenant has is not read. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findInvoicesByAny, findWithNotes } from "../../../src/invoicing/invoices/model/store";
import { findSubmissionStates } from "../../../src/invoicing/invoices/submit/submission-store";
import { findInvoices } from "../../../src/invoicing/invoices/view/list-store";
import type { Tx } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { readingFewerThan } from "../../support/rows-read";
import { addCompany, addInvoice } from "../../support/submission";

const OTHERS = 3_000;
/** A handful for the documents themselves, and none for the others. */
const ROWS_MAX = 20;

let database: TestDatabase;
let tenantId: string;
let encf: string;
/** The newest first: one that holds the number, and two that have given it back. */
let docIds: string[];
let noteId: string;

beforeAll(async () => {
	database = await openTestDatabase();
	const { sql } = database;
	tenantId = await addCompany(sql);
	const original = await addInvoice(sql, tenantId);
	encf = original.encf;
	docIds = [original.docId];
	for (let again = 0; again < 2; again++) {
		await sql`update invoices set status = 'rejected', encf_released = true where doc_id = ${docIds[0] ?? ""}`;
		docIds.unshift((await addInvoice(sql, tenantId, { encf })).docId);
	}
	await sql`
		insert into invoices select (jsonb_populate_record(i, jsonb_build_object('doc_id', gen_random_uuid(), 'track_id', gen_random_uuid(),
			'encf', 'E31' || lpad((5000000 + n)::text, 10, '0')))).*
		from invoices i cross join generate_series(1, ${OTHERS}) n where i.doc_id = ${original.docId}`;
	const others = sql`tenant_id = ${tenantId} and encf >= 'E310005000000'`;
	await sql`update invoices set encf_released = encf_released and substr(encf, 13) = '7' where ${others}`;
	await database.owner`analyze invoices`;
	const request = JSON.stringify({ reference: { encf } });
	noteId = (await addInvoice(sql, tenantId, { type: "34", request })).docId;
}, 120_000);
afterAll(() => database.close());

/** What was found, with not many more rows read than that. */
const reading = <T>(find: (tx: Tx) => Promise<T>): Promise<T> =>
	readingFewerThan(ROWS_MAX, "invoices", database.sql, find);

test("in a list, the newest first", async () => {
	const found = await reading((tx) => findInvoices(tx, tenantId, { encf }, 10));
	expect(found.map(({ docId }) => docId)).toEqual(docIds);
});

test("among documents that are asked for by any name", async () => {
	const found = await reading((tx) =>
		findInvoicesByAny(tx, tenantId, { docIds: [], encfs: [encf], clientRequestIds: [] }),
	);
	expect(found.map(({ docId }) => docId)).toEqual(docIds.toReversed());
});

test("as the original of a note being issued: the holder of the number", async () => {
	const [original, ...notes] = await reading((tx) => findWithNotes(tx, tenantId, [encf]));
	expect(original).toMatchObject({ encf, modifies: null, status: "pending" });
	expect(notes).toMatchObject([{ modifies: encf, type: "34" }]);
});

test("as the original of a note being sent: the holder, else the newest document", async () => {
	const { sql } = database;
	const read = () =>
		reading(async (tx) => (await findSubmissionStates(tx, [{ tenantId, docId: noteId }]))[0]?.reference);
	expect(await read()).toEqual({ status: "pending", isReleased: false, isFinal: false });
	await sql`update invoices set status = 'rejected', encf_released = true where doc_id = ${docIds[0] ?? ""}`;
	expect(await read()).toEqual({ status: "rejected", isReleased: true, isFinal: false });
});

test("a document of a test set is no original of a real note, whatever its number", async () => {
	const { sql } = database;
	const { docId, encf: rehearsed } = await addInvoice(sql, tenantId);
	await sql`update invoices set encf_released = true, test_set_id = gen_random_uuid() where doc_id = ${docId}`;
	expect(await reading((tx) => findWithNotes(tx, tenantId, [rehearsed]))).toEqual([]);
});
