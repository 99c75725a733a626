import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { checkSchema } from "../../../src/platform/operation";
import { newId } from "../../../src/platform/values";
import { recordBreak, recordChanges, SETS_KEPT } from "../../../src/registry/changes/changes-store";
import { createFeedCursors } from "../../../src/registry/changes/feed-cursor";
import { exampleEntry, type RegistryEntry } from "../../../src/registry/entry";
import { blockErasures } from "../../../src/registry/erasure/tombstones-store";
import { listChanges } from "../../../src/registry/routes/changes";
import type { RegistryView } from "../../../src/registry/runs/current";
import { insertRun } from "../../../src/registry/runs/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { ask, problemOf, runRow, viewOf } from "../in-memory";
import { comparePlainly } from "../index/compare-plainly";

let database: TestDatabase;
let view: RegistryView | undefined;
let erased: Set<string>;
beforeEach(async () => {
	database = await openTestDatabase();
	view = undefined;
	erased = new Set();
});
afterEach(() => database.close());

const digestOf = (digits: string) => createHash("sha256").update(digits).digest();
const operation = () => listChanges({ sql: database.sql, takeView: () => view, cursorKey: new Uint8Array(32).fill(3) });
const get = (path: string) => ask([operation()], "GET", path);
const entry = (n: number, members: Partial<RegistryEntry> = {}): RegistryEntry => ({
	...exampleEntry,
	rnc: String(990_000_000 + n),
	...members,
});
const range = (from: number, to: number, members?: Partial<RegistryEntry>) =>
	Array.from({ length: to - from }, (_, i) => entry(from + i, members));

/** Puts a run with these entries into use, as the ingest does. */
async function takeIntoUse(entries: readonly RegistryEntry[], previous: readonly RegistryEntry[] | undefined) {
	const run = runRow({ runId: newId() });
	await database.sql.begin(async (tx) => {
		await insertRun(tx, run);
		if (previous) await recordChanges(tx, run, comparePlainly(previous, entries), { digestOf, blockErasures });
		else await recordBreak(tx, run);
	});
	view = viewOf(entries, run, (digits) => erased.has(digits));
	return run;
}

type Page = {
	changes: { document: string; change: string; run_id: string; at: string; entry?: RegistryEntry }[];
	count: number;
	partial: boolean;
	next: string;
	run_id: string;
};
const CHANGES = "/v1/authority/registry/changes";
const changes = async (parameters = "") => (await (await get(`${CHANGES}${parameters}`)).json()) as Page;
const summarise = (page: Page) => page.changes.map(({ document, change }) => `${change} ${document.slice(-2)}`);

describe("GET /v1/authority/registry/changes", () => {
	test("shows what each run added, changed and removed, with the current entries", async () => {
		const first = range(1, 4);
		await takeIntoUse(first, undefined);
		const start = await changes();
		expect(start).toMatchObject({ changes: [], count: 0, partial: false });
		const second = [entry(2, { status: "SUSPENDIDO" }), entry(3), entry(4)];
		const run = await takeIntoUse(second, first);
		const page = await changes(`?after=${start.next}`);
		expect(page).toEqual({
			changes: [
				{ document: "990000001", change: "removed", run_id: run.runId, at: run.finishedAt.toISOString() },
				{
					document: "990000002",
					change: "changed",
					run_id: run.runId,
					at: run.finishedAt.toISOString(),
					entry: entry(2, { status: "SUSPENDIDO" }),
				},
				{
					document: "990000004",
					change: "added",
					run_id: run.runId,
					at: run.finishedAt.toISOString(),
					entry: entry(4),
				},
			],
			count: 3,
			partial: false,
			next: page.next,
			run_id: run.runId,
		});
		expect(await changes(`?after=${page.next}`)).toEqual({ ...page, changes: [], count: 0 });
		const third = await takeIntoUse([entry(2), entry(3)], second);
		expect(summarise(await changes(`?after=${page.next}`))).toEqual(["changed 02", "removed 04"]);
		const all = await changes();
		expect(summarise(all)).toEqual(["removed 01", "changed 02", "added 04", "changed 02", "removed 04"]);
		expect(all.changes[1]?.entry).toEqual(entry(2));
		expect(all.changes[2]?.entry).toBeUndefined();
		expect(all.run_id).toBe(third.runId);
	});

	test("joins pages without repetition or loss, and a copy equals the registry", async () => {
		const runs = [range(1, 30), range(10, 60), [...range(10, 20, { name: "OTRO" }), ...range(40, 70)], range(1, 90)];
		await takeIntoUse([], undefined);
		let { next } = await changes();
		const copy = new Map<string, RegistryEntry>();
		let previous: RegistryEntry[] = [];
		for (const run of runs) {
			await takeIntoUse(run, previous);
			previous = run;
			let page: Page;
			do {
				page = await changes(`?after=${next}&limit=7`);
				expect(page.count).toBe(page.changes.length);
				expect(page.count <= 7).toBe(true);
				for (const change of page.changes) {
					if (change.entry) copy.set(change.document, change.entry);
					else copy.delete(change.document);
				}
				next = page.next;
			} while (page.partial);
			expect([...copy.values()].sort((a, b) => (a.rnc < b.rnc ? -1 : 1))).toEqual(run);
		}
	});

	test("answers cursor-expired for a cursor older than the runs that are kept", async () => {
		await takeIntoUse([], undefined);
		const { next } = await changes();
		for (let i = 0; i < SETS_KEPT; i++) await takeIntoUse(range(0, i + 1), range(0, i));
		const page = await changes(`?limit=1&after=${next}`);
		expect(page.changes[0]?.document).toBe("990000000");
		await takeIntoUse(range(0, SETS_KEPT + 1), range(0, SETS_KEPT));
		const problem = await problemOf(get(`${CHANGES}?after=${next}`));
		expect([problem.slug, problem.status]).toEqual(["cursor-expired", 410]);
		expect(problem.headers).toEqual({ "cache-control": "no-store" });
	});

	test("answers cursor-expired across a run with an unknown difference", async () => {
		await takeIntoUse([], undefined);
		await takeIntoUse(range(1, 3), []);
		const { next } = await changes();
		await takeIntoUse(range(1, 9), undefined);
		expect((await problemOf(get(`${CHANGES}?after=${next}`))).slug).toBe("cursor-expired");
		expect(await changes()).toMatchObject({ changes: [], partial: false });
	});

	/** Deletes what a restored database lacks; the numbers become free again. */
	const loseRuns = (...runs: { runId: string }[]) =>
		database.sql`delete from registry_runs where id = any(${runs.map(({ runId }) => runId)})`;
	const expired = async (cursor: string) => (await problemOf(get(`${CHANGES}?after=${cursor}`))).slug;

	test("answers cursor-expired for a cursor that a restored database has lost", async () => {
		await takeIntoUse([], undefined);
		const kept = range(1, 4);
		await takeIntoUse(kept, []);
		const before = await changes();
		const lost = await takeIntoUse(range(1, 9), kept);
		const end = await changes(`?after=${before.next}`);
		const within = await changes(`?limit=2&after=${before.next}`);
		expect([end.count, within.count]).toEqual([5, 2]);
		await loseRuns(lost);
		for (const { next } of [end, within]) expect(await expired(next)).toBe("cursor-expired");
		await takeIntoUse([...kept, ...range(20, 50)], kept);
		for (const { next } of [end, within]) expect(await expired(next)).toBe("cursor-expired");
		const others = await changes(`?after=${before.next}`);
		expect(summarise(others)).toEqual(range(20, 50).map(({ rnc }) => `added ${rnc.slice(-2)}`));
	});

	test("answers cursor-expired if both timelines rolled back or broke alike", async () => {
		const first = await takeIntoUse([], undefined);
		const second = range(1, 4);
		await takeIntoUse(second, []);
		const goBack = () =>
			database.sql.begin((tx) => recordChanges(tx, first, comparePlainly(second, []), { digestOf, blockErasures }));
		view = viewOf([], first, () => false);
		await goBack();
		const wentBack = await changes();
		await database.sql`
			delete from registry_change_sets where ordinal = (select max(ordinal) from registry_change_sets)`;
		await goBack();
		expect(await expired(wentBack.next)).toBe("cursor-expired");
		const broken = await takeIntoUse(range(1, 9), undefined);
		const { next } = await changes();
		expect(await changes(`?after=${next}`)).toMatchObject({ changes: [], next });
		const [{ place = 0 } = {}] = await database.sql<{ place: number }[]>`
			select ends_at as place from registry_change_sets`;
		await loseRuns(broken);
		await database.sql`
			insert into registry_change_sets (run_id, starts_after, ends_at) values (${first.runId}, ${place - 1}, ${place - 1})`;
		await takeIntoUse(range(1, 5), undefined);
		expect(await expired(next)).toBe("cursor-expired");
	});

	test("accepts cursors older than marks, but not for positions in later sets", async () => {
		await takeIntoUse([], undefined);
		await takeIntoUse(range(1, 4), []);
		await database.sql`update registry_change_sets set mark = null, mark_before = null`;
		const cursors = createFeedCursors(new Uint8Array(32).fill(3));
		const old = (number: number) => cursors.seal({ number, mark: null });
		const { next } = await changes();
		expect(next).toBe(old(4));
		expect(next).toMatch(/^[A-Za-z0-9_-]{48}$/);
		await takeIntoUse(range(1, 6), range(1, 4));
		expect(summarise(await changes(`?after=${old(2)}`))).toEqual(["added 02", "added 03", "added 04", "added 05"]);
		expect(summarise(await changes(`?after=${next}`))).toEqual(["added 04", "added 05"]);
		for (const number of [5, 6, 7]) expect(await expired(old(number))).toBe("cursor-expired");
	});

	test("ends at the run that this process uses", async () => {
		await takeIntoUse([], undefined);
		await takeIntoUse(range(1, 3), []);
		const before = view;
		await takeIntoUse(range(1, 5), range(1, 3));
		const ahead = await changes();
		view = before;
		expect(summarise(await changes())).toEqual(["added 01", "added 02"]);
		expect(await changes(`?after=${ahead.next}`)).toMatchObject({ changes: [], partial: false, next: ahead.next });
	});

	test("never shows an erased number, not even through a page's length", async () => {
		await takeIntoUse([], undefined);
		await takeIntoUse(range(1, 9), []);
		erased = new Set(["990000002", "990000003", "990000008"]);
		const first = await changes("?limit=2");
		expect(summarise(first)).toEqual(["added 01", "added 04"]);
		const second = await changes(`?limit=3&after=${first.next}`);
		expect(summarise(second)).toEqual(["added 05", "added 06", "added 07"]);
		expect(second.partial).toBe(false);
	});

	test("seals cursors so that they do not reveal an erased change", async () => {
		await takeIntoUse([], undefined);
		await takeIntoUse(range(1, 7), []);
		const walk = async () => {
			const cursors: string[] = [];
			for (let next = (await changes("?limit=1")).next; next !== cursors.at(-1); ) {
				cursors.push(next);
				({ next } = await changes(`?limit=1&after=${next}`));
			}
			return cursors;
		};
		const before = await walk();
		expect(new Set(before).size).toBe(6);
		await database.sql`delete from registry_changes where document = '990000003'`;
		const after = await walk();
		expect(after.length).toBe(5);
		for (const cursor of [...before, ...after]) {
			expect(cursor).toMatch(/^[A-Za-z0-9_-]{70}$/);
			const bytes = Buffer.from(cursor, "base64url");
			// Nothing counts up in sealed cursors: no two share more than a few bytes at the same offset.
			for (const other of before.filter((one) => one !== cursor)) {
				const against = Buffer.from(other, "base64url");
				const shared = bytes.filter((byte, i) => byte === against[i]);
				expect(shared.length).toBeLessThan(6);
			}
		}
	});

	test("expires cursors in digits and rejects those sealed elsewhere or changed", async () => {
		await takeIntoUse([], undefined);
		await takeIntoUse(range(1, 3), []);
		for (const old of ["0", "1", "24", "999999999999999"]) {
			expect((await problemOf(get(`${CHANGES}?after=${old}`))).slug).toBe("cursor-expired");
		}
		const { next } = await changes("?limit=1");
		const other = createFeedCursors(new Uint8Array(32).fill(4)).seal({ number: 1, mark: null });
		const changed = `${next.slice(0, 20)}${next[20] === "A" ? "B" : "A"}${next.slice(21)}`;
		for (const none of [other, changed, next.slice(0, -1), `${next}A`]) {
			expect((await problemOf(get(`${CHANGES}?after=${none}`))).faults).toMatchObject([{ code: "invalid-cursor" }]);
		}
	});

	test.each([
		["after=", "#/query/after", "invalid-cursor"],
		["after=a.b", "#/query/after", "invalid-cursor"],
		["after=-1", "#/query/after", "invalid-cursor"],
		["after=abc", "#/query/after", "invalid-cursor"],
		["after=007", "#/query/after", "invalid-cursor"],
		["after=99999999999999999999", "#/query/after", "invalid-cursor"],
		["limit=0", "#/query/limit", "invalid-format"],
		["limit=1001", "#/query/limit", "invalid-format"],
		["limit=0x10", "#/query/limit", "invalid-format"],
		["limit=1e2", "#/query/limit", "invalid-format"],
		["page=2", "#/query/page", "unknown-parameter"],
	])("refuses %s", async (query, pointer, code) => {
		await takeIntoUse([], undefined);
		const problem = await problemOf(get(`${CHANGES}?${query}`));
		expect(problem.slug).toBe("validation-error");
		expect(problem.faults).toMatchObject([{ pointer, code }]);
	});

	test("accepts limits from 1 to 1000", async () => {
		await takeIntoUse([], undefined);
		for (const limit of [1, 9, 10, 99, 100, 999, 1000])
			expect((await get(`${CHANGES}?limit=${limit}`)).status).toBe(200);
	});

	test("answers registry-unavailable while nothing is loaded", async () => {
		expect((await problemOf(get(CHANGES))).slug).toBe("registry-unavailable");
	});
});

test("has examples and answers that fit its schemas", async () => {
	await takeIntoUse([], undefined);
	await takeIntoUse(range(1, 3), []);
	const { credentials, scope, path, answers, parameters = [] } = operation();
	expect([credentials.key, credentials.bearer]).toEqual(["required", "optional"]);
	expect(scope).toBe("registry:read");
	const { schema, example } = answers[200] ?? {};
	if (!schema) throw new Error("no answer is declared");
	expect(checkSchema(schema, example)).toEqual([]);
	expect(checkSchema(schema, await (await get(path)).json())).toEqual([]);
	for (const parameter of parameters) expect(checkSchema(parameter.schema, parameter.example)).toEqual([]);
});
