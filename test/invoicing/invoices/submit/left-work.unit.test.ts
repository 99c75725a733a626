import { afterAll, beforeAll, expect, test } from "bun:test";
import { insertArchiveObjects } from "../../../../src/archive";
import { storeParts } from "../../../../src/invoicing/invoices/issue";
import { writeStep } from "../../../../src/invoicing/invoices/model/steps";
import { findCarried, findLeftWork } from "../../../../src/invoicing/invoices/submit/left-work";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { addCompany, addInvoice, decide, keepOpen, toInvoice } from "../../../support/submission";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

test("what is left of a document follows from what is stored of it", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const rows = Array.from({ length: 5 }, () => toInvoice(tenantId));
	await storeParts(
		sql,
		rows.map((row) => ({ row })),
	);
	const [fresh, begun, decided, archived, failed] = rows.map(({ docId }) => docId) as [
		string,
		string,
		string,
		string,
		string,
	];
	const at = new Date("2026-11-20T16:00:00.123Z");
	const body = writeStep({ intent: { n: 1, at: at.toISOString() } });
	await sql`insert into steps (tenant_id, doc_id, n, body) values (${tenantId}, ${begun}, 1, ${body})`;
	await decide(
		sql,
		[decided, archived].map((docId) => ({ tenantId, docId })),
		"accepted",
		at,
	);
	await keepOpen(sql, { tenantId, docId: failed }, { status: "f", updated_at: at });
	await insertArchiveObjects(sql, [
		{
			...{ docId: archived, tenantId, sha256: "ab".repeat(32), bytes: 10, decidedAt: at, versionId: null },
			retainUntil: new Date("2037-01-01T00:00:00Z"),
		},
	]);
	const { docId: withMessage } = await addInvoice(sql, tenantId);

	const left = await findLeftWork(
		sql,
		[fresh, begun, decided, archived, failed, withMessage].map((docId) => ({ tenantId, docId })),
	);
	expect(left.map(({ subject, kind }) => `${kind} ${subject}`).toSorted()).toEqual(
		[
			...[`invoice.submit ${fresh}`, `invoice.submit ${begun}`, `invoice.archive ${decided}`],
			...[`invoice.archive ${failed}`, `buyer.deliver ${decided}`, `buyer.deliver ${archived}`],
		].toSorted(),
	);
	const carried = new Set(await findCarried(sql, tenantId));
	expect([...carried].toSorted()).toEqual([fresh, begun, decided, archived, failed].toSorted());
});
