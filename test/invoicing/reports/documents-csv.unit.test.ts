/** The table while it is read, page by page as the caller takes it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { decideDocuments, drawDocument, storeDocuments } from "../../../scripts/random/decided-documents";
import { type StreamSource, streamDocuments } from "../../../src/invoicing/reports/documents-csv";
import { createChance } from "../../support/chance";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany } from "../../support/submission";

const DOCUMENTS = 2_050;
const PERIOD = { from: "2026-01-01", to: "2026-02-28" };

let database: TestDatabase;
let tenantId: string;
const ids: string[] = [];
beforeAll(async () => {
	database = await openTestDatabase();
	tenantId = await addCompany(database.sql);
	const chance = createChance(1);
	const drawn = Array.from({ length: DOCUMENTS }, (_, i) =>
		drawDocument(chance, [tenantId], ["2026-02-28", "2026-01-01", "2026-01-31"], i + 1),
	);
	const places = drawn.map(({ row }) => `${row.facts.issueDate} ${row.docId}`).sort();
	ids.push(...places.map((place) => place.slice(11)));
	await storeDocuments(database.sql, drawn);
	await decideDocuments(
		database.sql,
		drawn.map(({ row: { docId } }) => ({ docId, fate: "accepted" })),
	);
}, 120_000);
afterAll(() => database.close());

function open(over: Partial<StreamSource> = {}) {
	const warnings: string[] = [];
	const log: StreamSource["log"] = { warn: (_: unknown, said?: string) => void warnings.push(said ?? "") };
	const reader = streamDocuments({ sql: database.sql, log, ...over }, tenantId, PERIOD).getReader();
	return { reader, warnings };
}

test("several pages are one table, by issue date and id, each document once", async () => {
	const { reader } = open();
	let text = "";
	for (let part = await reader.read(); !part.done; part = await reader.read())
		text += new TextDecoder().decode(part.value);
	expect([...text.matchAll(/^[0-9a-f-]{36}/gm)].map(([id]) => id)).toEqual(ids);
});

test("a caller who has gone is not read for", async () => {
	let asked = 0;
	const { reader } = open({ check: async () => void asked++ });
	await reader.read();
	await reader.cancel();
	expect((await reader.read()).done).toBe(true);
	expect(asked).toBe(0);
});

test("a caller who is let in no more gets no further page, and the table is cut off", async () => {
	const { reader, warnings } = open({ check: () => Promise.reject(new Error("let in no more")) });
	expect((await reader.read()).done).toBe(false);
	await expect(reader.read()).rejects.toThrow("let in no more");
	await reader.closed.catch(() => undefined);
	expect(warnings).toEqual(["the table of documents was aborted"]);
});
