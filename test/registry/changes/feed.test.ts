import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import type { Registry } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { bodyOf, entries, openOn, send, temporaryFolder, toText } from "../build";
import { ask, problemOf } from "../in-memory";

const folder = temporaryFolder();
let database: TestDatabase;
let registry: Registry;

beforeEach(async () => {
	database = await openTestDatabase();
	folder.write("feed.txt", toText(entries(30)));
	registry = await openOn(database.sql, `${folder.path}/feed.txt`);
});
afterEach(async () => {
	await registry.close();
	await database.close();
});
afterAll(() => folder.remove());

type Page = { changes: { document: string; change: string; entry?: { name: string } }[]; next: string; run_id: string };
const changes = (after?: string) =>
	bodyOf<Page>(send(registry, "GET", `/v1/authority/registry/changes${after === undefined ? "" : `?after=${after}`}`));
const summarise = ({ changes: list }: Page) => list.map(({ document, change }) => `${change} ${document.slice(-2)}`);

async function ingest(list: ReturnType<typeof entries>): Promise<string> {
	folder.write("feed.txt", toText(list));
	const run = await registry.ingest();
	expect(run.result).toBe("ok");
	return run.runId;
}

const changed = (list: ReturnType<typeof entries>, n: number) =>
	list.map((e) => (e.rnc === String(990_000_000 + n) ? { ...e, name: "OTRO NOMBRE" } : e));

test("the feed shows the changes of an ingest, and none for an unchanged source", async () => {
	const start = await changes();
	expect(start.changes).toEqual([]);
	const runId = await ingest(changed(entries(30, 2), 5));
	const page = await changes(start.next);
	expect(summarise(page)).toEqual(["removed 01", "changed 05", "added 31"]);
	expect(page.changes[1]?.entry?.name).toBe("OTRO NOMBRE");
	expect(page.run_id).toBe(runId);
	expect((await registry.ingest()).result).toBe("unchanged");
	expect(await changes(page.next)).toEqual({ ...page, changes: [], count: 0 } as Page);
});

test("changes of a rollback have its time, and times never decrease", async () => {
	const first = registry.runId() ?? "";
	await ingest(changed(entries(30, 2), 5));
	const before = new Date();
	await registry.rollback(first);
	await ingest(changed(entries(30), 7));
	const { changes: all } = await bodyOf<{ changes: { at: string; run_id: string }[] }>(
		send(registry, "GET", "/v1/authority/registry/changes"),
	);
	const times = all.map(({ at }) => at);
	expect(times.length).toBe(7);
	expect(times).toEqual([...times].sort());
	const wentBack = all.filter(({ run_id }) => run_id === first);
	expect(wentBack.length).toBe(3);
	for (const { at } of wentBack) expect(Date.parse(at)).toBeGreaterThanOrEqual(before.getTime());
});

test("a rollback appears in the feed like an ingest that undoes the later ones", async () => {
	const first = registry.runId() ?? "";
	const start = await changes();
	await ingest(changed(entries(30, 2), 5));
	const { next } = await changes(start.next);
	await registry.rollback(first);
	const page = await changes(next);
	expect(summarise(page)).toEqual(["added 01", "changed 05", "removed 31"]);
	expect(page.run_id).toBe(first);
	const runs = await bodyOf<{ runs: { run_id: string; result: string }[] }>(
		send(registry, "GET", "/v1/authority/registry/runs"),
	);
	expect(runs.runs.map(({ run_id, result }) => [run_id === first, result])).toEqual([
		[false, "refused"],
		[true, "ok"],
	]);
});

test("an erased number is in no change, earlier or later, and not in the table", async () => {
	const start = await changes();
	await ingest(changed(changed(entries(30), 5), 6));
	await registry.purge(
		{ digits: "990000005", kind: "rnc" },
		{ legal_basis: "court-order", request_reference: "r", requested_by: "b", reason: "w" },
	);
	expect(summarise(await changes(start.next))).toEqual(["changed 06"]);
	const [row] = await database.sql`select count(*)::int as n from registry_changes where document = '990000005'`;
	expect(row?.n).toBe(0);
	await ingest(entries(31));
	await ingest(entries(32));
	expect(summarise(await changes(start.next))).toEqual(["changed 06", "changed 06", "added 31", "added 32"]);
});

test("every cursor expires if the previous run's file is missing", async () => {
	await ingest(changed(entries(30), 5));
	const { next } = await changes();
	await registry.close();
	// Another host without snapshots, whose source has changed.
	folder.write("feed.txt", toText(entries(31)));
	registry = await openOn(database.sql, `${folder.path}/feed.txt`, { directory: `${folder.path}/other-host` });
	const answer = send(registry, "GET", `/v1/authority/registry/changes?after=${next}`);
	expect((await problemOf(answer)).slug).toBe("cursor-expired");
	expect(summarise(await changes())).toEqual([]);
});

test("batch look-ups and matches use the run in use", async () => {
	const batch = await bodyOf<{ run_id: string; results: { outcome: string }[] }>(
		ask(registry.operations, "POST", "/v1/authority/document:batch", {
			body: { documents: ["990000001", "990000031", "9"] },
		}),
	);
	expect(batch.run_id).toBe(registry.runId() ?? "");
	expect(batch.results.map(({ outcome }) => outcome)).toEqual(["found", "not_found", "invalid"]);
	const match = await bodyOf<{ results: { matches: { score: number; entry: { rnc: string } }[] }[] }>(
		ask(registry.operations, "POST", "/v1/authority/document:match", {
			body: { names: ["Comersial Numero 7, S.R.L."] },
		}),
	);
	expect(match.results[0]?.matches[0]?.entry.rnc).toBe("990000007");
});
