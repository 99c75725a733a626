import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { type Archive, openArchive, readLogSizes, readRoot } from "../../../src/archive";
import { openNote, readVerifierKey } from "../../../src/archive/checkpoints";
import { ObjectFaultError } from "../../../src/archive/exports/fill-pack";
import { type Task, writeExport } from "../../../src/archive/exports/make-export";
import type { Made } from "../../../src/archive/exports/store";
import { shardOf } from "../../../src/platform/lanes";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { NO_INVOICES, signCheckpoint } from "../../support/sealed-documents";
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

const rest = async () => undefined;
async function write(folder: string, task: Task, store: Pick<Archive, "get"> = archive): Promise<Made> {
	const all: Made[] = [];
	await writeExport(
		{ sql: database.sql, archive: store, invoices: NO_INVOICES, rest, isLastAttempt: true },
		folder,
		task,
		async (made, appear) => {
			all.push(made);
			await appear();
		},
	);
	const [made] = all;
	if (!made) throw new Error("nothing was made");
	return made;
}
const fill = (tenantId: string, count: number, from: string) =>
	fillArchive({ sql: database.sql, archive }, { tenantId, count, from: new Date(from) });

async function taskOf(tenantId: string, from: string, to: string, over: Partial<Task> = {}): Promise<Task> {
	return {
		id: newId(),
		tenantId,
		from,
		to,
		format: "zip",
		docIds: null,
		leafBound: (await readLogSizes(database.sql))[shardOf(tenantId)] ?? 0,
		...over,
	};
}

const linesOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes).trimEnd().split("\r\n").slice(1);

test("an export has the requested days of UTC-4, and no later document", async () => {
	const [tenantId, other] = [newId(), newId()];
	// From 22:30 of the 9th to 00:29 of the 10th, over the end of a day in UTC-4.
	const own = await fill(tenantId, 120, "2026-11-10T02:30:00Z");
	await fill(other, 10, "2026-11-10T03:00:00Z");
	const first = await taskOf(tenantId, "2026-11-09", "2026-11-09");
	await fill(tenantId, 5, "2026-11-10T03:30:00Z");
	const made = await write(root, first);
	expect(made.documents).toBe(90);
	const entries = unzipSync(new Uint8Array(readFileSync(join(root, `${first.id}.zip`))));
	const wanted = own.slice(0, 90).map(({ docId, objectKey }) => `documents/${docId}/${objectKey.split("/")[2]}`);
	expect(Object.keys(entries).filter((name) => name.startsWith("documents/"))).toEqual(wanted);
	expect(linesOf(entries["index.csv"]).map((line) => line.split(",")[0])).toEqual(
		own.slice(0, 90).map(({ docId }) => docId),
	);
	expect(linesOf(entries["chain.csv"])).toHaveLength(90);
	expect(made.tree?.root).toBe(
		Buffer.from(await readRoot(database.sql, shardOf(tenantId), made.tree?.size ?? 0)).toString("hex"),
	);
});

test("a period in the middle of the chain begins with the previous link", async () => {
	const tenantId = newId();
	const early = await fill(tenantId, 3, "2026-03-01T12:00:00Z");
	const late = await fill(tenantId, 2, "2026-04-01T12:00:00Z");
	const [march, april] = [
		await write(root, await taskOf(tenantId, "2026-03-01", "2026-03-31")),
		await write(root, await taskOf(tenantId, "2026-04-01", "2026-04-30")),
	];
	expect([march.documents, april.documents]).toEqual([early.length, late.length]);
	expect([march.chain?.from, april.chain?.from]).toEqual(["00".repeat(32), march.chain?.to]);
});

test("the same selection gives the same bytes, whatever else is archived", async () => {
	const tenantId = newId();
	await fill(tenantId, 300, "2026-05-01T12:00:00Z");
	const days = ["2026-05-01", "2026-05-31"] as const;
	for (const format of ["zip", "tar.zst"] as const) {
		const one = await write(root, await taskOf(tenantId, ...days, { format }));
		await fill(newId(), 3, "2026-05-01T12:00:00Z");
		expect(await write(root, await taskOf(tenantId, ...days, { format }))).toEqual(one);
	}
});

test("the signed root is the first one that covers the documents", async () => {
	const tenantId = newId();
	await fill(tenantId, 2, "2026-08-01T12:00:00Z");
	const { sql } = database;
	const { note, logs } = await signCheckpoint({ sql, archive });
	const first = await taskOf(tenantId, "2026-08-01", "2026-08-31");
	const made = await write(root, first);
	expect(made.tree).toEqual(logs[shardOf(tenantId)]);
	const entries = unzipSync(new Uint8Array(readFileSync(join(root, `${first.id}.zip`))));
	const text = (name: string) => new TextDecoder().decode(entries[name]);
	expect(openNote(text("checkpoint.txt"), [readVerifierKey(text("key.txt").trim())]).text).toContain("\nlogs 64\n");
	expect(text("checkpoint.txt")).toBe(note);
	expect(text("logs.txt").split("\n")).toContain(`${shardOf(tenantId)} ${made.tree?.size} ${made.tree?.root}`);
	await fill(newId(), 1, "2026-08-01T12:00:00Z");
	await signCheckpoint({ sql, archive });
	expect(await write(root, await taskOf(tenantId, "2026-08-01", "2026-08-31"))).toEqual(made);
});

test("a missing, changed or unreadable object is left out and named", async () => {
	const tenantId = newId();
	const objects = await fill(tenantId, 40, "2026-06-01T12:00:00Z");
	const spoilt = objects[33];
	const task = await taskOf(tenantId, "2026-06-01", "2026-06-30");
	const folder = join(root, "spoilt");
	for (const [fault, get] of [
		["missing", (key: string) => archive.get(`${key}x`)],
		["changed", async (key: string) => Buffer.from(await archive.get(key)).fill(7, 100, 101)],
		["changed", async (key: string) => Buffer.concat([await archive.get(key), Buffer.from("x")])],
		["unreadable", () => Promise.reject(new Error("a bad sector"))],
	] as const) {
		const store = { get: (key: string) => (key === spoilt?.objectKey ? get(key) : archive.get(key)) };
		const made = await write(folder, task, store);
		const path = `documents/${spoilt?.docId}/${spoilt?.objectKey.split("/")[2]}`;
		const damaged = [
			{ code: `object-${fault}`, detail: expect.stringContaining("sealed object"), docId: spoilt?.docId, path },
		];
		expect(made).toMatchObject({ documents: 39, damaged, damagedCount: 1 });
		const entries = unzipSync(new Uint8Array(readFileSync(join(folder, `${task.id}.zip`))));
		const names = Object.keys(entries).filter((name) => name.startsWith("documents/"));
		expect([names.length, names.includes(path)]).toEqual([39, false]);
		const lines = linesOf(entries["index.csv"]);
		expect(lines.length).toBe(40);
		expect(lines.filter((line) => !line.endsWith(","))).toEqual([lines[33] ?? ""]);
		expect(lines[33]).toEndWith(`,${path},${fault}`);
		expect(linesOf(entries["chain.csv"])).toHaveLength(40);
		const facts = JSON.parse(new TextDecoder().decode(entries["archive.json"]));
		expect(facts).toMatchObject({ documents: 39, damaged, damagedCount: 1 });
	}
});

test("a store out of reach fails the export and leaves no file", async () => {
	const tenantId = newId();
	await fill(tenantId, 120, "2026-06-01T12:00:00Z");
	const folder = join(root, "unreachable");
	const store = { get: () => Promise.reject(new Error("no answer")) };
	const writing = write(folder, await taskOf(tenantId, "2026-06-01", "2026-06-30"), store);
	await expect(writing).rejects.toBeInstanceOf(ObjectFaultError);
	expect(readdirSync(folder)).toEqual([".making"]);
	expect(readdirSync(join(folder, ".making"))).toEqual([]);
});

test("a killed maker leaves no file that looks like an export", async () => {
	const tenantId = newId();
	await fill(tenantId, 600, "2026-07-01T12:00:00Z");
	const task = await taskOf(tenantId, "2026-07-01", "2026-07-31");
	const folder = join(root, "killed");
	// A process of its own, killed without a word when it has written a part of it.
	const script = `
		import { openArchive } from "${import.meta.dir}/../../../src/archive";
		import { writeExport } from "${import.meta.dir}/../../../src/archive/exports/make-export";
		import { connect } from "${import.meta.dir}/../../../src/platform/database";
		const sql = connect({ url: ${JSON.stringify(database.url)}, name: "killed", connectionsMax: 1 });
		const archive = await openArchive(${JSON.stringify(join(root, "archive"))});
		let pages = 0;
		const rest = async () => { if (++pages === 2) process.kill(process.pid, "SIGKILL"); };
		await writeExport({ sql, archive, rest, isLastAttempt: true }, ${JSON.stringify(folder)}, ${JSON.stringify(task)}, (_, appear) => appear());`;
	const child = Bun.spawn([process.execPath, "-e", script], { stdout: "ignore", stderr: "pipe" });
	await child.exited;
	expect(child.signalCode).toBe("SIGKILL");
	expect(readdirSync(folder)).toEqual([".making"]);
	expect(readdirSync(join(folder, ".making"))).toHaveLength(1);
	const made = await write(folder, task);
	expect(existsSync(join(folder, `${task.id}.zip`))).toBe(true);
	expect(made).toEqual(await write(root, task));
});
