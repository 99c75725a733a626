/** A database restored from before an erasure or its reversal, with a data directory that was not restored. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findKeyLineage } from "../../../src/identity/auth";
import { type ChangeFeed, openChangeFeed } from "../../../src/platform/changes";
import { newId } from "../../../src/platform/values";
import type { PurgeRequest, Registry } from "../../../src/registry";
import { startErasureKeeper } from "../../../src/registry/erasure/keep-erasures";
import { reversePurge } from "../../../src/registry/erasure/purges";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import { bodyOf, directoryOf, entries, openOn, PEPPER, send, silentLog, temporaryFolder, toText } from "../build";

const request: PurgeRequest = {
	...{ legal_basis: "data-error", request_reference: "ARCO-2026-00017" },
	...{ requested_by: "dpo@example.do", reason: "The wrong person" },
};
const document = { digits: "990000007", kind: "rnc" } as const;
const folder = temporaryFolder();
let database: TestDatabase;
let registry: Registry;
let changes: ChangeFeed;
let source: string;

beforeEach(async () => {
	database = await openTestDatabase();
	source = folder.write("kept.txt", toText(entries(20)));
	registry = await openOn(database.sql, source);
	changes = await openChangeFeed({ sql: database.sql, log: silentLog });
});
afterEach(async () => {
	await changes.close();
	await registry.close();
	await database.close();
});
afterAll(() => folder.remove());

const path = () => join(directoryOf(database.sql), "erasures");
const files = () =>
	readdirSync(path())
		.filter((name) => name.endsWith(".json"))
		.map((name) => readFileSync(join(path(), name), "utf8"));
const tombstones = () =>
	database.sql`select *, encode(digest, 'hex') as hex from registry_tombstones order by purge_id`;
const audited = (action: string) => database.sql`select subject from audit where action = ${action}`;
const has = () => registry.lookup(document) !== undefined;
const person = () => ({ actor: { keyId: newId(), address: "192.0.2.7" }, plan: "business" as const });

/** Closes, replaces the database by an older copy of itself, opens and ingests. */
async function restore(forget: () => Promise<unknown>, deps: Parameters<typeof openOn>[2] = {}): Promise<void> {
	await registry.close();
	await forget();
	registry = await openOn(database.sql, source, deps);
	await registry.ingest({ force: true });
}
const forgetAll = () => database.sql`delete from registry_tombstones`;

test("an erasure that the database lacks is restored and logged before serving", async () => {
	const { purge_id, ...answer } = await registry.purge(document, request);
	const [before] = await tombstones();
	expect(files().length).toBe(1);
	expect(files()[0]).not.toContain(document.digits);
	await restore(async () => {
		await forgetAll();
		await database.sql`delete from registry_changes`;
	});
	expect(has()).toBe(false);
	expect([...(await tombstones())]).toEqual([before as never]);
	const record = await bodyOf<object>(send(registry, "GET", `/v1/authority/purges/${purge_id}`));
	expect(record).toMatchObject({ status: "purged", purged_at: answer.purged_at, legal_basis: "data-error" });
	expect(await audited("registry.restore-purge")).toEqual([{ subject: purge_id }] as never);
	// Only once: from then on the database has it again.
	await restore(async () => undefined);
	expect((await audited("registry.restore-purge")).length).toBe(1);
});

test("a reversal survives a restore too, and removes the digest from the copy", async () => {
	const { purge_id } = await registry.purge(document, request);
	const [before] = await tombstones();
	const keeper = await startErasureKeeper({ sql: database.sql, clock: { now: () => new Date() }, ...beside() });
	const deps = { sql: database.sql, clock: { now: () => new Date() }, findKeyLineage, keepErasure: keeper.keep };
	await reversePurge(deps, purge_id, person());
	await reversePurge(deps, purge_id, person());
	keeper.stop();
	expect(files().length).toBe(1);
	expect(files()[0]).not.toContain(before?.hex);
	await restore(forgetAll);
	expect(has()).toBe(true);
	expect(await tombstones()).toMatchObject([{ purge_id, digest: null, reversed_at: expect.any(Date) }] as never);
	// A copy from between the two has the erasure and not its reversal.
	await restore(async () => {
		await forgetAll();
		await database.sql`
			insert into registry_tombstones (digest, purge_id, purged_at, legal_basis, request_reference, requested_by, reason)
			values (${before?.digest}, ${purge_id}, now(), 'data-error', 'r', 'r', 'r')`;
	});
	expect(has()).toBe(true);
	expect((await tombstones())[0]).toMatchObject({ digest: null, reversed_at: expect.any(Date) });
	expect((await audited("registry.restore-reversal")).map(({ subject }) => subject)).toEqual([purge_id, purge_id]);
	expect((await audited("registry.restore-purge")).length).toBe(0);
});

test("a number that was erased again stays erased when the first copy is restored", async () => {
	const first = await registry.purge(document, request);
	const [before] = await tombstones();
	const keeper = await startErasureKeeper({ sql: database.sql, clock: { now: () => new Date() }, ...beside() });
	const deps = { sql: database.sql, clock: { now: () => new Date() }, findKeyLineage, keepErasure: keeper.keep };
	await reversePurge(deps, first.purge_id, person());
	await reversePurge(deps, first.purge_id, person());
	keeper.stop();
	await registry.ingest({ force: true });
	const second = await registry.purge(document, request);
	expect(files().length).toBe(2);
	await restore(async () => {
		await forgetAll();
		await database.sql`
			insert into registry_tombstones (digest, purge_id, purged_at, legal_basis, request_reference, requested_by, reason)
			values (${before?.digest}, ${first.purge_id}, now(), 'data-error', 'r', 'r', 'r')`;
	});
	expect(has()).toBe(false);
	const standing = (await tombstones()).filter(({ digest }) => digest !== null);
	expect(standing).toMatchObject([{ purge_id: second.purge_id, hex: before?.hex }] as never);
	expect(files().length).toBe(2);
});

test("another host copies announced erasures, and missed ones at its start", async () => {
	const earlier = await registry.purge(document, request);
	const there = { ...beside(), path: mkdtempSync(join(folder.path, "host-")) };
	const keeper = await startErasureKeeper({ sql: database.sql, clock: { now: () => new Date() }, ...there });
	const names = () => readdirSync(there.path).filter((name) => name.endsWith(".json"));
	expect(names()).toEqual([`${earlier.purge_id}.json`]);
	const later = await registry.purge({ digits: "990000008", kind: "rnc" }, request);
	await until(() => names().length === 2);
	expect(names().sort()).toEqual([`${earlier.purge_id}.json`, `${later.purge_id}.json`].sort());
	const deps = {
		sql: database.sql,
		clock: { now: () => new Date() },
		findKeyLineage,
		keepErasure: async () => undefined,
	};
	await reversePurge(deps, later.purge_id, person());
	await reversePurge(deps, later.purge_id, person());
	await until(() => readFileSync(join(there.path, `${later.purge_id}.json`), "utf8").includes('"digest":null'));
	keeper.stop();
});

test("an erasure during another host's start is copied there, whenever it happens", async () => {
	const there = { ...beside(), path: mkdtempSync(join(folder.path, "host-")) };
	const clock = { now: () => new Date() };
	for (const digits of ["990000008", "990000009", "990000010"]) {
		// It commits before, during or after the first comparison.
		const erasing = registry.purge({ digits, kind: "rnc" }, request);
		const keeper = await startErasureKeeper({ sql: database.sql, clock, ...there });
		const { purge_id } = await erasing;
		await until(() => existsSync(join(there.path, `${purge_id}.json`)));
		keeper.stop();
	}
});

test("a failed copy is made once the folder is writable again", async () => {
	const there = { ...beside(), path: join(mkdtempSync(join(folder.path, "host-")), "erasures") };
	const errors = Promise.withResolvers<void>();
	const log = { ...silentLog, error: () => errors.resolve() } as never;
	const keeper = await startErasureKeeper({ sql: database.sql, clock: { now: () => new Date() }, ...there, log });
	writeFileSync(there.path, "no folder");
	const { purge_id } = await registry.purge(document, request);
	await errors.promise;
	rmSync(there.path);
	await until(() => existsSync(join(there.path, `${purge_id}.json`)), 20_000);
	keeper.stop();
}, 30_000);

test("erasures under another pepper are not restored, which is logged", async () => {
	await registry.purge(document, request);
	const errors: string[] = [];
	const log = { ...silentLog, error: (_: object, message: string) => errors.push(message) } as never;
	await restore(forgetAll, { pepper: new Uint8Array(32).fill(8), log });
	expect((await tombstones()).length).toBe(0);
	expect(errors.some((message) => message.includes("another pepper"))).toBe(true);
});

test("an unreadable file is logged and does not keep others from being restored", async () => {
	await registry.purge(document, request);
	writeFileSync(join(path(), `${newId()}.json`), '{"purgeId":');
	const errors: string[] = [];
	const log = { ...silentLog, error: (_: object, message: string) => errors.push(message) } as never;
	await restore(forgetAll, { log });
	expect(has()).toBe(false);
	expect(errors).toContain("erasure files cannot be read");
});

function beside() {
	return { changes, log: silentLog, pepper: PEPPER, path: path() };
}
