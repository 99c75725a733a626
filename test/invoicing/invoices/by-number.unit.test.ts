/** Documents that are asked for by their number are found by it: what else their tenant has is not read. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { findInvoicesByAny, findWithNotes } from "../../../src/invoicing/invoices/model/store";
import { findSubmissionStates } from "../../../src/invoicing/invoices/submit/submission-state";
import { findInvoices } from "../../../src/invoicing/invoices/view/list-store";
import type { Tx } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { withoutArchive } from "../../support/documents";
import { readingFewerThan } from "../../support/rows-read";
import { addCompany, addInvoice, toInvoice } from "../../support/submission";

const OTHERS = 3_000;
/** A handful for the documents themselves, and none for the others. */
const ROWS_MAX = 30;

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
		await giveBack(docIds[0] ?? "");
		docIds.unshift((await addInvoice(sql, tenantId, { encf })).docId);
	}
	await sql`
		with others as (
			select gen_random_uuid() as doc_id, 'E31' || lpad((5000000 + n)::text, 10, '0') as encf, n % 2 = 1 as is_released
			from generate_series(1, ${OTHERS}) n
		), stored as (
			insert into documents (tenant_id, doc_id, received_at, sha256, subtotal, tax, issue_date, type, environment, has_summary, encf)
			select d.tenant_id, o.doc_id, d.received_at, d.sha256, d.subtotal, d.tax, d.issue_date, d.type, d.environment, d.has_summary, o.encf
			from documents d cross join others o where d.tenant_id = ${tenantId} and d.doc_id = ${original.docId}
		), released as (
			insert into released_names (tenant_id, kind, name, doc_id) select ${tenantId}, 't', encf, doc_id from others where is_released
		)
		insert into names (tenant_id, kind, name, doc_id) select ${tenantId}, 't', encf, doc_id from others where not is_released`;
	await database.owner`analyze documents, names, released_names`;
	noteId = (
		await addInvoice(sql, tenantId, { type: "34", request: JSON.stringify({ reference: { encf } }), modifies: encf })
	).docId;
}, 120_000);
afterAll(() => database.close());

/** A document is rejected, and its number was not consumed. */
async function giveBack(docId: string): Promise<void> {
	const { sql } = database;
	await sql`
		insert into verdicts (tenant_id, doc_id, decided_at, version, status, consumed, attempts)
		values (${tenantId}, ${docId}, now(), 2, 'r', false, 1)`;
	await sql`select release_numbers(${[tenantId]}::uuid[], ${[docId]}::uuid[])`;
}

/** What was found, with not many more rows read than that. */
const reading = <T>(find: (tx: Tx) => Promise<T>): Promise<T> =>
	readingFewerThan(ROWS_MAX, ["documents", "names", "released_names", "papers"], database.sql, find);

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
	const [original, ...notes] = await reading((tx) => findWithNotes(withoutArchive(tx), tenantId, [encf]));
	expect(original).toMatchObject({ encf, modifies: null, status: "pending" });
	expect(notes).toMatchObject([{ modifies: encf, type: "34" }]);
});

test("as the original of a note being sent: the holder, else the newest document", async () => {
	const read = () =>
		reading(async (tx) => (await findSubmissionStates(tx, [{ tenantId, docId: noteId }]))[0]?.reference);
	expect(await read()).toEqual({ status: "pending", isReleased: false, isFinal: false });
	await giveBack(docIds[0] ?? "");
	expect(await read()).toEqual({ status: "rejected", isReleased: true, isFinal: false });
});

test("a document of a test set is no original of a real note, whatever its number", async () => {
	const { sql } = database;
	const { docId, encf: rehearsed } = toInvoice(tenantId);
	await sql`
		insert into documents (tenant_id, doc_id, received_at, sha256, subtotal, tax, issue_date, type, environment, has_summary, encf, test_set_id)
		values (${tenantId}, ${docId}, now(), '', 0, 0, now(), 31, 't', false, ${rehearsed}, gen_random_uuid())`;
	await sql`insert into released_names (tenant_id, kind, name, doc_id) values (${tenantId}, 't', ${rehearsed}, ${docId})`;
	expect(await reading((tx) => findWithNotes(withoutArchive(tx), tenantId, [rehearsed]))).toEqual([]);
});
