import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Archive, createMakeExport, openArchive } from "../../../src/archive";
import { orderExport } from "../../../src/archive/exports/order";
import { completeExport, findExport } from "../../../src/archive/exports/store";
import { connect } from "../../../src/platform/database";
import { done, LeaseLostError, type Message, OUTBOX_KINDS } from "../../../src/platform/outbox";
import { createLog } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { holdMessage, letGo } from "../../support/held-messages";
import { NO_INVOICES } from "../../support/sealed-documents";
import { fillArchive } from "../support/fill-archive";

let database: TestDatabase;
let root: string;
let archive: Archive;
beforeAll(async () => {
	database = await openTestDatabase();
	root = mkdtempSync(join(tmpdir(), "sello-exports-"));
	archive = await openArchive(join(root, "archive"));
});
afterAll(async () => {
	await database.close();
	rmSync(root, { recursive: true, force: true });
});

const makeIn = (folder: string) =>
	createMakeExport({
		sql: database.sql,
		archive,
		invoices: NO_INVOICES,
		folder,
		clock: systemClock,
		log: createLog("silent", "test"),
	});

/** Orders an export of a fresh tenant's documents and claims its message, as a dispatcher does. */
async function order(count = 3): Promise<Message> {
	const tenantId = newId();
	await fillArchive({ sql: database.sql, archive }, { tenantId, count, from: new Date("2026-11-01T12:00:00Z") });
	const request = { from: "2026-11-01", to: "2026-11-30", format: "zip", docIds: null } as const;
	const doer = { actor: { address: "127.0.0.1" }, at: new Date() };
	await database.sql.begin((tx) => orderExport(tx, { tenantId, ...request, doer }));
	return hold();
}

/** The order's message, for a new lane. */
async function hold(): Promise<Message> {
	const [row] =
		await database.sql`select subject from outbox where kind = ${OUTBOX_KINDS.buildExport} order by id desc limit 1`;
	return holdMessage(database.sql, row?.subject);
}

const read = (message: Message) => findExport(database.sql, message.tenantId, message.subject);

test("an export is made once; a repeated message changes nothing", async () => {
	const folder = join(root, "once");
	const message = await order();
	expect(await makeIn(folder)(message)).toEqual(done);
	const row = await read(message);
	expect(row).toMatchObject({ status: "ready", documents: 3 });
	expect(readdirSync(folder).toSorted()).toEqual([".making", `${message.subject}.zip`]);
	expect(await makeIn(folder)(message)).toEqual(done);
	expect(await read(message)).toEqual(row as never);
});

test("a holder that lost its message writes nothing", async () => {
	const message = await order();
	await letGo(database.sql, message);
	const next = await hold();
	await makeIn(join(root, "lost"))(message);
	expect((await read(message))?.status).toBe("queued");
	// This one loses it while it works.
	const slow = createMakeExport({
		...{
			sql: database.sql,
			invoices: NO_INVOICES,
			folder: join(root, "lost"),
			clock: systemClock,
			log: createLog("silent", "test"),
		},
		archive: {
			get: async (key) => {
				await letGo(database.sql, next);
				return archive.get(key);
			},
		},
	});
	await slow(next);
	expect((await read(message))?.status).toBe("running");
	expect(readdirSync(join(root, "lost"))).toEqual([".making"]);
	await makeIn(join(root, "lost"))(await hold());
	expect(await read(message)).toMatchObject({ status: "ready", documents: 3 });
});

test("a slow folder does not exceed the transaction's idle limit", async () => {
	const sql = connect({ url: database.url, name: "impatient", connectionsMax: 2, idleInTransactionTimeoutMs: 300 });
	try {
		const message = await order();
		const times = { completedAt: new Date(), expiresAt: new Date(Date.now() + 60_000) };
		await sql`update archive_exports set status = 'running' where id = ${message.subject}`;
		const made = {
			documents: 3,
			bytes: 1,
			sha256: "ab",
			chain: undefined,
			tree: undefined,
			damaged: [],
			damagedCount: 0,
		};
		await completeExport(sql, message, made, times, () => Bun.sleep(1_000));
		expect(await read(message)).toMatchObject({ status: "ready", documents: 3 });
	} finally {
		await sql.end();
	}
});

test("a passing failure is retried, and ends as an internal failure", async () => {
	const blocked = join(root, "blocked");
	writeFileSync(blocked, "a file where the folder should be");
	const message = await order();
	await expect(makeIn(blocked)(message)).rejects.toThrow();
	expect((await read(message))?.status).toBe("running");
	expect(await makeIn(blocked)({ ...message, failures: 5 })).toEqual(done);
	expect(await read(message)).toMatchObject({ status: "failed", failure: { code: "internal", docId: null } });
});

test("an unreadable object is read again later; at last the record names it", async () => {
	const message = await order();
	let unread = "";
	const make = createMakeExport({
		...{
			sql: database.sql,
			invoices: NO_INVOICES,
			folder: join(root, "unread"),
			clock: systemClock,
			log: createLog("silent", "test"),
		},
		archive: {
			get: async (key) => {
				unread ||= key;
				if (key === unread) throw new Error("a bad sector");
				return archive.get(key);
			},
		},
	});
	await expect(make(message)).rejects.toThrow("unreadable");
	expect((await read(message))?.status).toBe("running");
	expect(await make({ ...message, failures: 5 })).toEqual(done);
	const path = expect.stringContaining(unread.slice(unread.lastIndexOf("/") + 1));
	expect(await read(message)).toMatchObject({
		...{ status: "ready", documents: 2, failure: null, damagedCount: 1 },
		damaged: [{ code: "object-unreadable", detail: expect.any(String), docId: expect.any(String), path }],
	});
});

test("a holder whose lease is over stops, also in its last attempt", async () => {
	const folder = join(root, "over");
	// More than are read at once: in between it looks at its lease.
	const message = await order(251);
	const late = { ...message, failures: 5, leaseLeftMs: () => -1 };
	await expect(makeIn(folder)(late)).rejects.toBeInstanceOf(LeaseLostError);
	expect((await read(message))?.status).toBe("running");
	expect(await makeIn(folder)(message)).toEqual(done);
	expect(await read(message)).toMatchObject({ status: "ready", documents: 251 });
});
