import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type Archive, extendRetention, openArchive } from "../../../src/archive";
import { operatorActor } from "../../../src/identity/audit-log";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { fillArchive } from "../support/fill-archive";

let database: TestDatabase;
let folder: string;
let archive: Archive;
beforeAll(async () => {
	database = await openTestDatabase();
	folder = mkdtempSync(join(tmpdir(), "sello-retention-"));
	archive = await openArchive(folder);
});
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

const doer = { actor: operatorActor(), at: new Date() };
const fill = (tenantId: string, count: number) =>
	fillArchive({ sql: database.sql, archive }, { tenantId, count, from: new Date("2026-11-01T12:00:00Z") });
const datesOf = async (tenantId: string): Promise<number[]> => {
	const rows = await database.sql<{ until: Date }[]>`
		select retain_until as until from seals where tenant_id = ${tenantId} order by decided_at`;
	return rows.map(({ until }) => until.getTime());
};

test("extending changes the store before the index and writes an audit entry", async () => {
	const [tenantId, other] = [newId(), newId()];
	const objects = await fill(tenantId, 1_201);
	await fill(other, 2);
	const before = await datesOf(other);
	const until = new Date("2040-01-01T04:00:00Z");
	const reported: string[] = [];
	const store = {
		extendRetention: async (key: string, _: string | null, to: Date) => {
			expect(to).toEqual(until);
			reported.push(key);
		},
	};
	const extend = (target: { tenantId: string; docId?: string }, to = until) =>
		extendRetention({ sql: database.sql, archive: to === until ? store : archive }, { target, until: to, doer });
	const docId = objects[7]?.docId ?? "";
	expect(await extend({ tenantId, docId })).toEqual({ objects: 1, extended: 1 });
	expect(await extend({ tenantId })).toEqual({ objects: 1_201, extended: 1_200 });
	expect(await extend({ tenantId })).toEqual({ objects: 1_201, extended: 0 });
	expect(new Set(reported)).toEqual(new Set(objects.map(({ objectKey }) => objectKey)));
	expect(new Set(await datesOf(tenantId))).toEqual(new Set([until.getTime()]));
	expect(await datesOf(other)).toEqual(before);
	const entries = await database.sql`
		select subject, details from audit where action = 'archive.retain' and tenant_id = ${tenantId} order by id`;
	expect(entries.map(({ subject, details }) => [subject, details.objects])).toEqual([
		[docId, 1],
		...[500, 500, 200].map((objects) => [tenantId, objects]),
	]);
	expect(await extend({ tenantId, docId: newId() }, new Date("2050-01-01T04:00:00Z"))).toEqual({
		objects: 0,
		extended: 0,
	});
});

test("no sequence of dates ever shortens a retention", async () => {
	const tenantId = newId();
	await fill(tenantId, 3);
	const dates = fc.array(fc.date({ min: new Date("2020-01-01"), max: new Date("2150-01-01"), noInvalidDate: true }), {
		maxLength: 6,
	});
	await fc.assert(
		fc.asyncProperty(dates, async (all) => {
			let before = await datesOf(tenantId);
			for (const until of all) {
				await extendRetention({ sql: database.sql, archive }, { target: { tenantId }, until, doer });
				const after = await datesOf(tenantId);
				expect(after).toEqual(before.map((date) => Math.max(date, until.getTime())));
				before = after;
			}
		}),
		{ numRuns: 15 },
	);
});
