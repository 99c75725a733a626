import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { findKeyLineage } from "../../../src/identity/auth";
import { drawKey } from "../../../src/identity/auth/api-key";
import { digestOf } from "../../../src/identity/auth/secret";
import { insertKey } from "../../../src/identity/auth/store";
import { Problem } from "../../../src/platform/problem";
import { newId } from "../../../src/platform/values";
import type { IngestRun, PurgeRequest, Registry } from "../../../src/registry";
import { purgeDocument, type Requester, reversePurge } from "../../../src/registry/erasure/purges";
import { createTombstones } from "../../../src/registry/erasure/tombstones";
import { captureLog } from "../../api/support/log";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import {
	bodyOf,
	connectAgain,
	directoryOf,
	entries,
	filesIn,
	openOn,
	PEPPER,
	send,
	temporaryFolder,
	toText,
} from "../build";

const request: PurgeRequest = {
	legal_basis: "data-error",
	request_reference: "ARCO-2026-00017",
	requested_by: "dpo@example.do",
	reason: "The wrong person",
};
const document = { digits: "990000007", kind: "rnc" } as const;
const folder = temporaryFolder();
let database: TestDatabase;
let open: Registry[] = [];
let now: Date;
const clock = { now: () => now };

beforeEach(async () => {
	database = await openTestDatabase();
	now = new Date("2026-11-20T15:00:00.000Z");
});
afterEach(async () => {
	await Promise.all(open.map((registry) => registry.close()));
	open = [];
	await database.close();
});
afterAll(() => folder.remove());

async function openHere(path: string, sql = database.sql, deps: Parameters<typeof openOn>[2] = {}): Promise<Registry> {
	const registry = await openOn(sql, path, { clock, ...deps });
	open.push(registry);
	return registry;
}

const person = (plan: Requester["plan"] = "business"): Requester => {
	return { actor: { keyId: newId(), ownerId: newId(), address: "192.0.2.7", requestId: newId() }, plan };
};
const reverse = (purgeId: string, by: Requester) =>
	reversePurge(
		{
			sql: database.sql,
			clock,
			findKeyLineage,
			keepErasure: async () => undefined,
		},
		purgeId,
		by,
	);
const reverseByTwo = async (purgeId: string) => {
	await reverse(purgeId, person());
	return reverse(purgeId, person());
};
/** Erases as the operation does: with a key, under its plan's limits. */
const purgeBy = (by: Requester, one = document) =>
	purgeDocument(
		{
			...{ sql: database.sql, clock, tombstones: createTombstones(database.sql, PEPPER) },
			...{
				signReceipt: async () => "receipt",
				findKeyLineage,
				keepErasure: async () => undefined,
				leaveWatchlists: async () => undefined,
				isKnown: () => true,
				scheduleClearing: () => undefined,
			},
		},
		one,
		request,
		by,
	);
/** Waits until the record says that no file of this machine holds the entry, and checks that none does. */
async function untilCleared(registry: Registry, purgeId: string): Promise<void> {
	await until(async () => {
		const record = send(registry, "GET", `/v1/authority/purges/${purgeId}`);
		return (await bodyOf<{ effects: { snapshots: string } }>(record)).effects.snapshots === "cleared";
	});
	const directory = directoryOf(database.sql);
	const holding = filesIn(directory).filter(({ bytes }) => bytes.includes("NUMERO 7 SRL"));
	expect(holding).toEqual([]);
}

/** A source older than every run, so that no start ingests it because of its age. */
function writeLongAgo(name: string): string {
	const path = folder.write(name, toText(entries(20)));
	utimesSync(path, new Date("2000-01-01"), new Date("2000-01-01"));
	return path;
}

const has = (registry: Registry) => registry.lookup(document) !== undefined;
const slugOf = (error: unknown) => (error instanceof Problem ? error.slug : error);

test("one key proposes repeatedly, another confirms, and the record shows each state", async () => {
	const registry = await openHere(folder.write("states.txt", toText(entries(20))));
	const { purge_id } = await registry.purge(document, request);
	await untilCleared(registry, purge_id);
	const record = () => bodyOf<Record<string, unknown>>(send(registry, "GET", `/v1/authority/purges/${purge_id}`));
	const before = await record();
	expect(before).toMatchObject({ status: "purged", tombstone: true });
	expect(before.reversal).toBeUndefined();
	const first = person();
	for (let i = 0; i < 3; i++) {
		expect(await reverse(purge_id, first)).toMatchObject({ proposedBy: first.actor.keyId, reversedAt: null });
	}
	expect(await record()).toMatchObject({
		...{ status: "reversal-proposed", tombstone: true },
		reversal: { proposed_at: "2026-11-20T15:00:00.000Z", expires_at: "2026-11-27T15:00:00.000Z" },
	});
	now = new Date("2026-11-21T09:00:00.000Z");
	expect((await reverse(purge_id, person())).reversedAt).toEqual(now);
	const reversed = await record();
	expect(reversed).toMatchObject({
		...{ status: "reversed", tombstone: false, purged_at: before.purged_at, legal_basis: "data-error" },
		...{ request_reference: request.request_reference, retained: before.retained },
		reversal: { proposed_at: "2026-11-20T15:00:00.000Z", reversed_at: "2026-11-21T09:00:00.000Z" },
	});
	expect((await reverse(purge_id, first)).reversedAt).toEqual(now);
	expect(await record()).toEqual(reversed);
});

test("the entry returns with the next ingest, even of an unchanged source", async () => {
	const path = folder.write("returns.txt", toText(entries(20)));
	// Older than the first ingest, so that the other process has no reason to ingest.
	utimesSync(path, new Date("2026-11-19"), new Date("2026-11-19"));
	const registry = await openHere(path);
	const other = connectAgain(database.url, "other");
	const there = await openHere(path, other);
	const { purge_id } = await registry.purge(document, request);
	await until(() => !has(there));
	await untilCleared(registry, purge_id);
	await reverseByTwo(purge_id);
	expect(has(registry)).toBe(false);
	const { runId, result } = await registry.ingest();
	expect(result).toBe("ok");
	expect(has(registry)).toBe(true);
	await until(() => has(there));
	expect(registry.status()).toMatchObject({ run_id: runId, suppressed: 0, record_count: 20, added: 1, removed: 0 });
	const feed = await bodyOf<{ changes: { document: string; change: string }[] }>(
		send(registry, "GET", "/v1/authority/registry/changes"),
	);
	expect(feed.changes).toEqual([expect.objectContaining({ document: document.digits, change: "added" })]);
	// An unchanged source is read again only once.
	expect((await registry.ingest()).result).toBe("unchanged");
	await there.close();
	await other.end();
});

test("a rollback past the return omits the entry until the next ingest", async () => {
	const path = folder.write("back.txt", toText(entries(20)));
	const registry = await openHere(path);
	const { purge_id } = await registry.purge(document, request);
	const first = registry.runId() ?? "";
	await untilCleared(registry, purge_id);
	await reverseByTwo(purge_id);
	await registry.ingest();
	await registry.rollback(first);
	expect(has(registry)).toBe(false);
	expect((await registry.ingest()).result).toBe("ok");
	expect(has(registry)).toBe(true);
});

test("a reversal during a build waits for the next ingest", async () => {
	const path = folder.write("meanwhile.txt", toText(entries(20)));
	const registry = await openHere(path);
	const { purge_id } = await registry.purge(document, request);
	folder.write("meanwhile.txt", toText(entries(21)));
	const isBuilding = Promise.withResolvers<void>();
	let ingest: Promise<IngestRun> | undefined;
	await database.owner.begin(async (tx) => {
		// The ingest reads its erasures, builds, and waits here before it records the run.
		await tx`lock table registry_runs in exclusive mode`;
		ingest = registry.ingest({ onProgress: ({ step }) => step === "parse" && isBuilding.resolve() });
		await isBuilding.promise;
		await reverseByTwo(purge_id);
	});
	expect(await ingest).toMatchObject({ result: "ok", recordCount: 20 });
	expect(has(registry)).toBe(false);
	expect(await registry.ingest()).toMatchObject({ result: "ok", recordCount: 21 });
	expect(has(registry)).toBe(true);
});

test("a rebuilt run omits later reversals on every host; the next ingest returns them", async () => {
	const path = writeLongAgo("rebuilt.txt");
	const first = await openHere(path);
	const runId = first.runId();
	const { purge_id } = await first.purge(document, request);
	await untilCleared(first, purge_id);
	await reverseByTwo(purge_id);
	await first.close();
	const directory = directoryOf(database.sql);
	for (const name of readdirSync(directory).filter((one) => one.endsWith(".snapshot"))) {
		renameSync(join(directory, name), join(folder.path, name));
	}
	const registry = await openHere(path);
	const other = connectAgain(database.url, "other");
	const there = await openHere(path, other, { directory: join(folder.path, "rebuilt-there") });
	for (const one of [registry, there]) {
		await until(() => one.lookup({ digits: "990000008", kind: "rnc" }) !== undefined);
		expect([one.runId(), has(one)]).toEqual([runId, false]);
	}
	const readChanges = (after = "") =>
		bodyOf<{ next: string; changes: object[] }>(send(registry, "GET", `/v1/authority/registry/changes${after}`));
	const { next } = await readChanges();
	const { runId: returnedIn } = await registry.ingest();
	expect(returnedIn).not.toBe(runId ?? "");
	expect(has(registry)).toBe(true);
	await until(() => has(there));
	expect(there.runId()).toBe(returnedIn);
	expect(registry.status()).toMatchObject({ added: 1, changed: 0, removed: 0 });
	expect((await readChanges(`?after=${next}`)).changes).toEqual([
		expect.objectContaining({ document: document.digits, change: "added", run_id: returnedIn }),
	]);
	await there.close();
	await other.end();
});

test("a host that missed erasure and reversal omits the entry, which its file has", async () => {
	const path = writeLongAgo("slept.txt");
	const directory = join(folder.path, "slept-there");
	const registry = await openHere(path);
	await (await openHere(path, database.sql, { directory })).close();
	const { purge_id } = await registry.purge(document, request);
	await untilCleared(registry, purge_id);
	await reverseByTwo(purge_id);
	const there = await openHere(path, database.sql, { directory });
	expect([there.runId(), has(there)]).toEqual([registry.runId(), false]);
	const holding = () => filesIn(directory).filter(({ bytes }) => bytes.includes("NUMERO 7 SRL"));
	await until(() => holding().length === 0);
	await registry.ingest();
	await until(() => has(there));
});

test("a run that omits unknown entries is not rebuilt; the source makes a new one", async () => {
	const path = folder.write("unknown.txt", toText(entries(20)));
	const first = await openHere(path);
	const runId = first.runId();
	const { purge_id } = await first.purge(document, request);
	await untilCleared(first, purge_id);
	await reverseByTwo(purge_id);
	// The state of a reversal from before digests were held.
	await database.sql`update registry_tombstones set held_digest = null`;
	await first.close();
	const { log, lines } = captureLog();
	const registry = await openHere(path, database.sql, { directory: join(folder.path, "unknown-there"), log });
	await until(() => has(registry));
	expect(registry.runId()).not.toBe(runId);
	const reason = expect.stringContaining("the reversed erasures that it omits are unknown");
	expect(lines).toContainEqual(expect.objectContaining({ level: "warn", runId, reason }));
});

test("after the return nothing identifies the number, and a new erasure is separate", async () => {
	const registry = await openHere(folder.write("again.txt", toText(entries(20))));
	const { purge_id } = await registry.purge(document, request);
	const [standing] = await database.sql`select encode(digest, 'hex') as hex from registry_tombstones`;
	await reverseByTwo(purge_id);
	await registry.ingest();
	const [row] = await database.sql`select digest, t::text as whole from registry_tombstones t`;
	expect(row?.digest).toBeNull();
	expect(row?.whole).not.toContain(standing?.hex);
	expect(row?.whole).toContain(request.request_reference);
	const again = await registry.purge(document, request);
	expect(again.purge_id).not.toBe(purge_id);
	expect(has(registry)).toBe(false);
	const old = await bodyOf<{ status: string }>(send(registry, "GET", `/v1/authority/purges/${purge_id}`));
	expect(old.status).toBe("reversed");
});

test("an erasure in between withdraws the proposal", async () => {
	const registry = await openHere(folder.write("withdrawn.txt", toText(entries(20))));
	const { purge_id } = await registry.purge(document, request);
	await reverse(purge_id, person());
	expect((await registry.purge(document, request)).purge_id).toBe(purge_id);
	const second = person();
	expect(await reverse(purge_id, second)).toMatchObject({ proposedBy: second.actor.keyId, reversedAt: null });
	await registry.ingest();
	expect(has(registry)).toBe(false);
});

test("an unconfirmed proposal expires after a week", async () => {
	const { purge_id } = await purgeBy(person());
	await reverse(purge_id, person());
	now = new Date("2026-11-27T15:00:00.000Z");
	const late = person();
	expect(await reverse(purge_id, late)).toMatchObject({ proposedBy: late.actor.keyId, reversedAt: null });
	now = new Date("2026-12-04T14:59:59.999Z");
	expect((await reverse(purge_id, person())).reversedAt).toEqual(now);
});

test("a concurrent erasure and confirmation are serialised", async () => {
	const registry = await openHere(folder.write("raced.txt", toText(entries(20))));
	const outcomes = new Set<string>();
	for (let round = 0; round < 25; round++) {
		const { purge_id } = await registry.purge(document, request);
		await reverse(purge_id, person());
		const both = [() => registry.purge(document, request), () => reverse(purge_id, person())] as const;
		const [erased, reversed] = await Promise.all([both[0](), both[1]()]);
		const [count] = await database.sql`select count(*)::int as n from registry_tombstones where digest is not null`;
		// Whichever came first, every answer must have been true.
		expect(count?.n).toBe(1);
		const isReversalFirst = reversed.reversedAt !== null;
		expect(erased.purge_id === purge_id).toBe(!isReversalFirst);
		expect(has(registry)).toBe(false);
		outcomes.add(isReversalFirst ? "reversal first" : "erasure first");
	}
	expect(outcomes.size).toBeGreaterThan(0);
	await registry.ingest();
	expect(has(registry)).toBe(false);
});

test("of several concurrent confirmations one reverses, and all report it", async () => {
	const { purge_id } = await purgeBy(person());
	await reverse(purge_id, person());
	const all = await Promise.all(Array.from({ length: 8 }, () => reverse(purge_id, person())));
	expect(all.every(({ reversedAt }) => reversedAt !== null)).toBe(true);
	const [row] = await database.sql`select count(*)::int as n from audit where action = 'registry.reverse-purge'`;
	expect(row?.n).toBe(1);
});

test("an unknown erasure cannot be reversed", async () => {
	expect(await reverse(newId(), person()).catch(slugOf)).toBe("not-found");
	expect((await database.sql`select 1 from audit`).length).toBe(0);
});

test("the audit log has each step and its actor, but the number is nowhere", async () => {
	const [officer, first, second] = [person(), person(), person()];
	const { purge_id } = await purgeBy(officer);
	await purgeBy(officer);
	await reverse(purge_id, first);
	await reverse(purge_id, first);
	await reverse(purge_id, second);
	const rows = await database.sql`select *, a::text as whole from audit a order by id`;
	expect(rows.map(({ action, key_id, subject, request_id }) => [action, key_id, subject, request_id])).toEqual(
		(
			[
				["registry.purge", officer],
				["registry.purge", officer],
				["registry.propose-reversal", first],
				["registry.reverse-purge", second],
			] as const
		).map(([action, { actor }]) => [action, actor.keyId, purge_id, actor.requestId]),
	);
	expect(rows[0]?.details).toEqual(request);
	expect(rows[3]?.details).toEqual({ proposed_by: first.actor.keyId });
	for (const { whole } of rows) expect(whole).not.toContain(document.digits);
});

test("the audit log has rollbacks and forced ingests too", async () => {
	const path = folder.write("operator.txt", toText(entries(20)));
	const registry = await openHere(path);
	const first = registry.runId() ?? "";
	folder.write("operator.txt", toText(entries(5)));
	expect((await registry.ingest()).result).toBe("refused");
	expect((await database.sql`select 1 from audit`).length).toBe(0);
	const forced = await registry.ingest({ force: true });
	expect(forced.result).toBe("ok");
	await registry.rollback(first);
	const rows = await database.sql`select action, subject, key_id, address, details from audit order by id`;
	const operator = { key_id: null, address: expect.stringContaining("@") };
	expect([...rows]).toEqual([
		{
			...{ ...operator, action: "registry.force-ingest", subject: forced.runId },
			details: { source: path, result: "ok", recordCount: 5, reason: null },
		},
		{ ...operator, action: "registry.rollback", subject: first, details: { left: forced.runId } },
	]);
});

test("a key may erase exactly sixty times an hour, even concurrently", async () => {
	const officer = person("enterprise");
	const asked = await Promise.all(
		Array.from({ length: 70 }, (_, i) =>
			purgeBy(officer, { digits: String(990_000_001 + i), kind: "rnc" } as never).then(
				() => "purged",
				(error: unknown) => error,
			),
		),
	);
	const refused = asked.filter((one) => one !== "purged");
	expect(refused.length).toBe(10);
	for (const problem of refused) {
		if (!(problem instanceof Problem)) throw problem;
		expect(problem.slug).toBe("rate-limit-exceeded");
		expect(problem.extensions).toEqual({ limit: 60, windowSeconds: 3600, retryAfter: 3600, policy: "purge" });
		expect(problem.headers).toMatchObject({ "retry-after": "3600", ratelimit: '"purge";r=0;t=3600' });
	}
	expect((await database.sql`select 1 from registry_tombstones`).length).toBe(60);
	await purgeBy(person("free"));
	now = new Date(now.getTime() + 3_599_001);
	const problem = await purgeBy(officer).catch((error: unknown) => error);
	expect(problem instanceof Problem && problem.headers).toMatchObject({ "retry-after": "1" });
	now = new Date(now.getTime() + 999);
	await purgeBy(officer);
});

/** A key as stored, created or rotated by another. */
async function storeKey(from: { createdBy?: string; follows?: string } = {}): Promise<Requester> {
	const made = drawKey({ ownerId: owner, plan: "business", label: "key", environment: "sandbox", ...from }, now);
	await database.sql.begin(async (tx) => {
		await tx`insert into owners (id, label, created_at) values (${owner}, 'owner', ${now}) on conflict do nothing`;
		await insertKey(tx, { ...made, digest: digestOf(made.key) });
	});
	return { actor: { ...person().actor, keyId: made.id, ownerId: owner }, plan: "business" };
}
const owner = newId();
const idOf = ({ actor }: Requester) => String(actor.keyId);

test("keys of the proposer's lineage and newer keys cannot confirm; an operator's can", async () => {
	const { purge_id } = await purgeBy(person());
	const root = await storeKey();
	const other = await storeKey();
	const first = await storeKey({ createdBy: idOf(root) });
	const kin = [
		root,
		await storeKey({ createdBy: idOf(first) }),
		await storeKey({ createdBy: idOf(root) }),
		await storeKey({ createdBy: idOf(first), follows: idOf(first) }),
		// Another key has rotated the proposing one, and the rotated one a third.
		await storeKey({ createdBy: idOf(other), follows: idOf(first) }),
		await storeKey({ createdBy: idOf(first), follows: idOf(other) }),
	];
	now = new Date(now.getTime() + 60_000);
	expect((await reverse(purge_id, first)).proposedBy).toBe(idOf(first));
	now = new Date(now.getTime() + 60_000);
	const late = await storeKey({ createdBy: idOf(other) });
	for (const one of [...kin, late]) {
		expect(await reverse(purge_id, one).catch(slugOf)).toBe("forbidden");
	}
	expect((await reverse(purge_id, first)).reversedAt).toBeNull();
	const [refused] = await database.sql`select count(*)::int as n from audit where action = 'registry.reverse-purge'`;
	expect(refused?.n).toBe(0);
	expect((await reverse(purge_id, await storeKey())).reversedAt).toEqual(now);
});

test("keys of one origin share sixty erasures an hour, others do not", async () => {
	const root = await storeKey();
	const keys = [root, await storeKey({ createdBy: idOf(root) })];
	keys.push(await storeKey({ createdBy: idOf(root), follows: idOf(keys[1] ?? root) }));
	const asked = await Promise.all(
		Array.from({ length: 66 }, (_, i) => purgeBy(keys[i % keys.length] ?? root).then(() => "purged", slugOf)),
	);
	expect(asked.filter((one) => one === "purged").length).toBe(60);
	expect(new Set(asked)).toEqual(new Set(["purged", "rate-limit-exceeded"]));
	const fresh = await storeKey({ createdBy: idOf(keys[2] ?? root) });
	expect(await purgeBy(fresh).catch(slugOf)).toBe("rate-limit-exceeded");
	await purgeBy(await storeKey());
});

test("the operator's plan has no limit", async () => {
	const operator = person("unlimited");
	for (let i = 0; i < 65; i++) await purgeBy(operator);
	expect((await database.sql`select 1 from audit`).length).toBe(65);
});
