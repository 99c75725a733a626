/** Papers and steps leave the database once their sealed documents were checked, and are read from the archive from then on. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
	type Archive,
	createReadSealed,
	insertArchiveObjects,
	type SealParts,
	sealDocument,
	sealedObjectKey,
} from "../../../../src/archive";
import { storeParts } from "../../../../src/invoicing/invoices/issue";
import {
	findAcceptedEcf,
	findAnswersOf,
	findClosedFiles,
	findHistory,
} from "../../../../src/invoicing/invoices/model/file-store";
import type { DocKey } from "../../../../src/invoicing/invoices/model/invoice-row";
import { writeStep } from "../../../../src/invoicing/invoices/model/steps";
import { findInvoice, findWholeInvoice } from "../../../../src/invoicing/invoices/model/store";
import { dropOldPapers } from "../../../../src/invoicing/invoices/retention/paper-days";
import { listPartitions } from "../../../../src/invoicing/invoices/retention/store";
import { toSealParts } from "../../../../src/invoicing/invoices/submit/archive-invoice";
import { createLog } from "../../../../src/platform/telemetry";
import { firstIdAt, newId, systemClock } from "../../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { addCompany, decide, toInvoice } from "../../../support/submission";

const DAY_MS = 86_400_000;
const log = createLog("silent", "test");

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

/** A store in memory. */
function openMemory() {
	const objects = new Map<string, Uint8Array>();
	let isAway = false;
	const digest = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
	const archive: Pick<Archive, "putOnce" | "get" | "verify"> = {
		putOnce: async (key, bytes) => {
			const created = !objects.has(key);
			if (created) objects.set(key, bytes);
			return { sha256: digest(bytes), bytes: bytes.length, created };
		},
		get: async (key) => {
			const bytes = objects.get(key);
			if (isAway || !bytes) throw new Error("the store is away");
			return bytes;
		},
		verify: async (key, sha256) => {
			const bytes = objects.get(key);
			if (!bytes) return "missing";
			return digest(bytes) === sha256 ? undefined : "changed";
		},
	};
	return {
		archive: archive as Archive,
		objects,
		setAway: (away: boolean) => {
			isAway = away;
		},
	};
}

/** The name of the day that lies so many days back, with a partition of its papers and steps. */
async function addDay(daysBack: number): Promise<{ day: string; newDocId: () => string }> {
	const at = new Date(Date.now() - daysBack * DAY_MS);
	const day = at.toISOString().slice(0, 10);
	const next = new Date(Date.parse(day) + DAY_MS);
	for (const table of ["papers", "steps", "received_papers"]) {
		await database.owner.unsafe(
			`create table ${table}_${day.replaceAll("-", "_")} partition of ${table} for values from ('${firstIdAt(new Date(day))}') to ('${firstIdAt(next)}')`,
		);
	}
	const prefix = firstIdAt(at).slice(0, 13);
	return { day, newDocId: () => `${prefix}${newId().slice(13)}` };
}

/** Stores documents of a day with a step; decides and seals all but the last `open` ones. */
async function addDocuments(memory: ReturnType<typeof openMemory>, newDocId: () => string, count: number, open = 0) {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const rows = Array.from({ length: count }, () => toInvoice(tenantId, { docId: newDocId() }));
	await storeParts(
		sql,
		rows.map((row) => ({ row })),
	);
	const answers = [{ at: new Date().toISOString(), operation: "result", httpStatus: 200, mediaType: null, body: "{}" }];
	const history = [
		{ version: 2, at: new Date().toISOString(), status: "accepted", phase: "decided", detail: null },
	] as const;
	const body = Buffer.from(writeStep({ answers, history }));
	const ids = rows.map(({ docId }) => docId);
	await sql`insert into steps (tenant_id, doc_id, n, body) select ${tenantId}, g.id, 1, ${body} from unnest(${ids}::uuid[]) g(id)`;
	return { tenantId, rows, objects: await closeDocuments(memory, tenantId, rows.slice(0, count - open)) };
}

/** Decides and seals documents. */
async function closeDocuments(memory: ReturnType<typeof openMemory>, tenantId: string, decided: readonly DocKey[]) {
	const { sql } = database;
	await decide(sql, decided);
	const files = await findClosedFiles(sql, decided);
	const objects = await Promise.all(
		files.map(async (file) => {
			if (!file?.invoice.decidedAt) throw new Error("expected a decided document");
			return putSealed(memory, tenantId, toSealParts(file, file.invoice.decidedAt, "staging"));
		}),
	);
	await insertArchiveObjects(
		sql,
		objects.map(({ key: _, ...object }) => object),
	);
	return objects;
}

async function putSealed(
	memory: ReturnType<typeof openMemory>,
	tenantId: string,
	parts: Omit<SealParts, "retainUntil">,
) {
	const { docId, decidedAt, encf, type, status } = parts;
	const retainUntil = new Date(decidedAt.getTime() + 3_650 * DAY_MS);
	const sealed = sealDocument({ ...parts, retainUntil });
	const sha256 = new Bun.CryptoHasher("sha256").update(sealed).digest("hex");
	const key = sealedObjectKey({ tenantId, docId, decidedAt, sha256 });
	const { bytes } = await memory.archive.putOnce(key, sealed, { retainUntil });
	return { key, docId, tenantId, sha256, bytes, decidedAt, retainUntil, versionId: null, encf, type, status };
}

const RECEIVED_AT = new Date("2026-11-20T14:20:00Z");

/** What is sealed of a received document. */
async function findReceived({ tenantId, docId }: DocKey): Promise<Omit<SealParts, "retainUntil"> | undefined> {
	const [row] = await database.sql<{ xml: Uint8Array }[]>`
		select xml from received_papers where tenant_id = ${tenantId} and id = ${docId}`;
	return (
		row && {
			...{ docId, tenantId, environment: "staging", encf: "E310000000001", type: "31", status: "received" },
			...{ decidedAt: RECEIVED_AT, ecf: row.xml, request: "{}", answers: [], events: [] },
		}
	);
}

/** Stores a received document; its bytes are no UTF-8. */
async function addReceived(tenantId: string, id: string): Promise<Buffer> {
	const xml = Buffer.from("<ECF>\u00e9</ECF>", "latin1");
	await database.sql`insert into received_papers (tenant_id, id, xml) values (${tenantId}, ${id}, ${xml})`;
	return xml;
}

const drop = ({ archive }: { archive: Archive }) =>
	dropOldPapers({
		...{ sql: database.sql, archive, environment: "staging", clock: systemClock, log, paperDays: 3 },
		findReceivedParts: findReceived,
	});
const countPapers = async (ids: readonly string[]) => {
	const [row] = await database.sql<{ papers: number; steps: number }[]>`
		select (select count(*)::int from papers where doc_id = any(${[...ids]}::uuid[])) as papers,
			(select count(*)::int from steps where doc_id = any(${[...ids]}::uuid[])) as steps`;
	return row;
};

describe("a day of papers", () => {
	test("is dropped once it is old and sealed, and what is not sealed stays", async () => {
		const { sql } = database;
		const memory = openMemory();
		const { day, newDocId } = await addDay(5);
		const { day: young, newDocId: newYoungId } = await addDay(2);
		const { tenantId, rows } = await addDocuments(memory, newDocId, 2_000, 3);
		await addDocuments(memory, newYoungId, 2);
		const [first] = rows;
		if (!first) throw new Error("expected a document");
		const sources = { sql, readSealed: createReadSealed({ sql, archive: memory.archive }) };
		const read = async () => ({
			whole: await findWholeInvoice(sources, first),
			status: await findInvoice(sql, tenantId, first.docId),
			history: await findHistory(sources, first),
			answers: await findAnswersOf(sources, [first]),
			ecf: await findAcceptedEcf(sources, tenantId, first.encf),
		});
		const before = await read();
		expect(await drop(memory)).toEqual([day]);
		expect(await countPapers(rows.map(({ docId }) => docId))).toEqual({ papers: 3, steps: 3 });
		const left = (await listPartitions(sql, 3)).filter((one) => one.table === "papers").map((one) => one.day);
		expect(left).not.toContain(day);
		expect(left).toContain(young);
		expect(await read()).toEqual(before);
		const [open] = rows.slice(-1);
		expect(open && (await findWholeInvoice(sources, open))?.status).toBe("pending");
	});

	test("can be read again only when the store answers; statuses are known without it", async () => {
		const { sql } = database;
		const memory = openMemory();
		const { day, newDocId } = await addDay(6);
		const { tenantId, rows } = await addDocuments(memory, newDocId, 1);
		const [row] = rows;
		if (!row) throw new Error("expected a document");
		expect(await drop(memory)).toEqual([day]);
		memory.setAway(true);
		const sources = { sql, readSealed: createReadSealed({ sql, archive: memory.archive }) };
		expect((await findInvoice(sql, tenantId, row.docId))?.status).toBe("accepted");
		await expect(findWholeInvoice(sources, row)).rejects.toMatchObject({
			...{ slug: "archive-unavailable", headers: { "retry-after": "5" } },
		});
		memory.setAway(false);
		expect((await findWholeInvoice(sources, row))?.request).toBe("{}");
	});

	test("stays while an object is faulty, and goes once it is sealed again", async () => {
		const { sql } = database;
		const memory = openMemory();
		const { day, newDocId } = await addDay(7);
		const { rows, objects } = await addDocuments(memory, newDocId, 4);
		const [damaged, missing] = objects;
		if (!damaged || !missing) throw new Error("expected objects");
		memory.objects.set(damaged.key, Buffer.from("damaged"));
		memory.objects.delete(missing.key);
		const put = memory.archive.putOnce;
		// The store takes no object, so nothing can be sealed again.
		const refusing = { ...memory.archive, putOnce: () => Promise.reject(new Error("the store is full")) };
		await expect(drop({ archive: refusing })).rejects.toThrow("the store is full");
		expect(await countPapers(rows.map(({ docId }) => docId))).toEqual({ papers: 4, steps: 4 });
		expect(await drop({ archive: { ...memory.archive, putOnce: put } })).toEqual([day]);
		expect(memory.objects.has(missing.key)).toBe(true);
		const readSealed = createReadSealed({ sql, archive: memory.archive });
		const whole = await Promise.all(rows.map((row) => findWholeInvoice({ sql, readSealed }, row)));
		expect(whole.map((row) => row?.status)).toEqual(Array(4).fill("accepted"));
		const again = await sql`select n from seals where doc_id = ${damaged.docId} order by n`;
		expect(again.map(({ n }) => n)).toEqual([1, 2]);
	});

	test("takes what was received along; what stayed goes once it is sealed", async () => {
		const { sql } = database;
		const memory = openMemory();
		const { day, newDocId } = await addDay(9);
		const { tenantId, rows } = await addDocuments(memory, newDocId, 3, 2);
		const [sealedId, openId] = [newDocId(), newDocId()];
		const xml = await addReceived(tenantId, sealedId);
		const parts = await findReceived({ tenantId, docId: sealedId });
		if (!parts) throw new Error("expected a received document");
		const { key, ...object } = await putSealed(memory, tenantId, parts);
		await insertArchiveObjects(sql, [object]);
		memory.objects.delete(key);
		const left = async () => ({
			...(await countPapers(rows.map(({ docId }) => docId))),
			received: (await sql`select id from received_papers where tenant_id = ${tenantId}`).map(({ id }) => id),
		});
		expect(await drop(memory)).toEqual([day]);
		expect(await left()).toEqual({ papers: 2, steps: 2, received: [] });
		const sources = { sql, readSealed: createReadSealed({ sql, archive: memory.archive }) };
		expect(xml.equals((await sources.readSealed({ tenantId, docId: sealedId })).ecf)).toBe(true);
		const [, first, second] = rows;
		if (!first || !second) throw new Error("expected documents");
		const [damaged] = await closeDocuments(memory, tenantId, [first]);
		await addReceived(tenantId, openId);
		if (!damaged) throw new Error("expected an object");
		memory.objects.set(damaged.key, Buffer.from("damaged"));
		await drop(memory);
		// Sealed again, and checked.
		expect(await left()).toEqual({ papers: 1, steps: 1, received: [openId] });
		expect((await findWholeInvoice(sources, first))?.status).toBe("accepted");
	});

	test("is checked again when a document came meanwhile", async () => {
		const memory = openMemory();
		const { day, newDocId } = await addDay(11);
		const { tenantId } = await addDocuments(memory, newDocId, 2);
		const docId = `${newDocId().slice(0, 13)}-7000-8000-000000000000`;
		let late: Promise<unknown> | undefined;
		// The check is past the place of this one.
		const verify: Archive["verify"] = async (...object) => {
			late ??= storeParts(database.sql, [{ row: toInvoice(tenantId, { docId }) }]);
			await late;
			return memory.archive.verify(...object);
		};
		expect(await drop({ archive: { ...memory.archive, verify } })).toEqual([]);
		expect(await drop(memory)).toEqual([day]);
		expect(await countPapers([docId])).toEqual({ papers: 1, steps: 0 });
	});

	test("is not dropped by hand before it is checked, nor while it is young", async () => {
		const { sql } = database;
		const { day } = await addDay(10);
		await expect(sql`select drop_papers(${day})`.execute()).rejects.toThrow("were not checked");
		const [today = ""] = new Date().toISOString().split("T");
		await expect(sql`select drop_papers(${today})`.execute()).rejects.toThrow("younger");
	});
});
