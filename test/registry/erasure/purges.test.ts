import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { checkSchema } from "../../../src/platform/operation";
import { Problem, toProblemDocument } from "../../../src/platform/problem";
import type { PurgeAnswer, Registry } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import {
	bodyOf,
	connectAgain,
	entries,
	entry,
	openOn,
	SAMPLE,
	send,
	settableClock,
	temporaryFolder,
	toText,
} from "../build";

const request = {
	legal_basis: "arco-cancellation",
	request_reference: "ARCO-2026-00017",
	requested_by: "dpo@example.do",
	reason: "Data subject request, Law 172-13",
};
const folder = temporaryFolder();
let database: TestDatabase;
let open: Registry[] = [];

beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(async () => {
	await Promise.all(open.map((registry) => registry.close()));
	open = [];
	await database.close();
});
afterAll(() => folder.remove());

async function openHere(source = SAMPLE, deps: Parameters<typeof openOn>[2] = {}, sql = database.sql) {
	const registry = await openOn(sql, source, deps);
	open.push(registry);
	return registry;
}

const purge = (registry: Registry, document: string, body: unknown = request) =>
	send(registry, "POST", `/v1/authority/document/${document}:purge`, { body });

/** All that a caller sees of an answer: status, headers and body, with the requested number replaced. */
async function seen(registry: Registry, method: string, path: string, digits: string): Promise<string> {
	const place = { baseUrl: "http://localhost", instance: path, requestId: "r" };
	const shown = await send(registry, method, path).then(
		async (answer) => [answer.status, [...answer.headers], await answer.text()],
		(error: unknown) => {
			if (!(error instanceof Problem)) throw error;
			return [error.status, error.headers, toProblemDocument(error, place)];
		},
	);
	return JSON.stringify(shown).replaceAll(digits, "<number>");
}

async function findByAllRoads(registry: Registry, digits: string, name: string): Promise<string[]> {
	const found: string[] = [];
	if (registry.lookup({ digits, kind: "rnc" })) found.push("lookup");
	for (const [field, q] of Object.entries({ document: digits, name, trade_name: name, economic_activity: name })) {
		const parameters = new URLSearchParams({ field, q, limit: "100" });
		const answer = await send(registry, "GET", `/v1/authority/document:search?${parameters}`);
		if ((await answer.text()).includes(digits)) found.push(field);
	}
	return found;
}

test("a purged document is answered like one that never existed", async () => {
	const registry = await openHere();
	const never = "999999998";
	const purged = "990000003";
	expect(await findByAllRoads(registry, purged, "FARMACIA SAN ROMERO")).toEqual([
		"lookup",
		"document",
		"name",
		"trade_name",
	]);
	const status = registry.status();
	await purge(registry, purged);
	expect(await findByAllRoads(registry, purged, "FARMACIA SAN ROMERO")).toEqual([]);
	const path = (digits: string) => `/v1/authority/document/${digits}`;
	expect(await seen(registry, "GET", path(purged), purged)).toBe(await seen(registry, "GET", path(never), never));
	const search = (digits: string) => `/v1/authority/document:search?field=document&q=${digits}`;
	expect(await seen(registry, "GET", search(purged), purged)).toBe(await seen(registry, "GET", search(never), never));
	// The status must not reveal whether there was an entry to erase.
	expect(registry.status()).toEqual({ ...status, age_seconds: registry.status().age_seconds });
});

const claimsOf = (receipt: string) => Buffer.from(receipt.split(".")[1] ?? "", "base64url").toString();

test("erasing a known and an unknown number gives the same answer", async () => {
	const clock = settableClock();
	const registry = await openHere(SAMPLE, { clock });
	const answers = [];
	for (const digits of ["990000003", "990099993"]) {
		const answer = await purge(registry, digits);
		expect(answer.status).toBe(200);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		const body = await bodyOf<PurgeAnswer>(answer);
		const schema = registry.operations.find((operation) => operation.id === "purgeDocument")?.answers[200]?.schema;
		expect(schema && checkSchema(schema, body)).toEqual([]);
		answers.push(
			JSON.stringify({ ...body, receipt: claimsOf(body.receipt) })
				.replaceAll(body.purge_id, "<id>")
				.replace(/\d{4}"/, '<last four>"')
				.replace(/\*\d{4}/, "*<last four>"),
		);
	}
	expect(answers[0]).toBe(answers[1] ?? "");
});

test("the answer has a masked number, cache expiry and receipt, and a record", async () => {
	const clock = settableClock(new Date("2026-11-20T15:10:00.000Z"));
	const registry = await openHere(SAMPLE, { clock });
	const { purge_id, receipt, ...rest } = await bodyOf<PurgeAnswer>(purge(registry, "1-31-88068-1"));
	expect(rest).toEqual({
		document: "*****0681",
		status: "purged",
		purged_at: "2026-11-20T15:10:00.000Z",
		legal_basis: "arco-cancellation",
		request_reference: "ARCO-2026-00017",
		effects: { memory_index: true, database: true, history: true, change_feed: true, snapshots: "next-run" },
		tombstone: true,
		cached_copies_expire_at: "2026-11-20T15:15:00.000Z",
		_links: { self: `/v1/authority/purges/${purge_id}` },
	});
	expect(JSON.parse(claimsOf(receipt))).toMatchObject({ purge_id, document: "*****0681" });
	expect(registry.lookup({ digits: "131880681", kind: "rnc" })).toBeUndefined();

	const record = await send(registry, "GET", rest._links.self);
	const schema = registry.operations.find((operation) => operation.id === "getPurge")?.answers[200]?.schema;
	const body = await bodyOf<{ retained: { issued_invoices: string } }>(record);
	expect(schema && checkSchema(schema, body)).toEqual([]);
	expect(body).toMatchObject({ purge_id, status: "purged", tombstone: true, request_reference: "ARCO-2026-00017" });
	expect(body.retained.issued_invoices).toContain("10 years");
	expect(JSON.stringify(body)).not.toContain("0681");
});

test("a repeated erasure returns the first record, with or without hyphens", async () => {
	const registry = await openHere();
	const first = await (await purge(registry, "990000005")).json();
	const again = await (await purge(registry, "9-90-00000-5", { ...request, request_reference: "OTHER" })).json();
	expect(again).toEqual(first);
});

test("the database stores a digest and not the number", async () => {
	const registry = await openHere();
	await purge(registry, "990000005");
	const rows = await database.sql`select encode(digest, 'hex') as hex, t::text as whole from registry_tombstones t`;
	expect(rows.length).toBe(1);
	expect(rows[0]?.hex).toMatch(/^[0-9a-f]{64}$/);
	expect(rows[0]?.whole).not.toContain("990000005");
});

describe("an erased entry stays erased", () => {
	test("when the source is ingested again, by this process or after a restart", async () => {
		const path = folder.write("again.txt", toText(entries(50)));
		const registry = await openHere(path);
		await purge(registry, "990000007");
		expect(await registry.ingest()).toMatchObject({ result: "unchanged" });
		expect(registry.lookup({ digits: "990000007", kind: "rnc" })).toBeUndefined();
		folder.write("again.txt", toText(entries(51)));
		expect(await registry.ingest()).toMatchObject({ result: "ok", recordCount: 50 });
		expect(registry.status()).toMatchObject({ suppressed: 1, added: 1, removed: 0 });
		expect(await findByAllRoads(registry, "990000007", "COMERCIAL NUMERO 7")).toEqual([]);
		await registry.close();
		const restarted = await openHere(path);
		expect(restarted.lookup({ digits: "990000008", kind: "rnc" })).toBeDefined();
		expect(await findByAllRoads(restarted, "990000007", "COMERCIAL NUMERO 7")).toEqual([]);
	});

	test("when it first appears in a source after its erasure", async () => {
		const path = folder.write("later.txt", toText(entries(50)));
		const registry = await openHere(path);
		await purge(registry, "990000099");
		folder.write("later.txt", toText([...entries(50), entry({ rnc: "990000099" })]));
		await registry.ingest();
		expect(registry.lookup({ digits: "990000099", kind: "rnc" })).toBeUndefined();
	});

	test("when it is erased while it is being loaded", async () => {
		const path = folder.write("meanwhile.txt", toText(entries(60_000)));
		const registry = await openHere(path);
		folder.write("meanwhile.txt", toText(entries(60_001)));
		const ingest = registry.ingest();
		await purge(registry, "990030000");
		expect(registry.lookup({ digits: "990030000", kind: "rnc" })).toBeUndefined();
		expect(await ingest).toMatchObject({ result: "ok" });
		expect(await findByAllRoads(registry, "990030000", "COMERCIAL NUMERO 30000")).toEqual([]);
	}, 120_000);
});

test("another instance hides the entry within a second, even with nothing loaded", async () => {
	const other = connectAgain(database.url, "other");
	const here = await openHere(`${SAMPLE}.missing`);
	const there = await openHere(SAMPLE, {}, other);
	expect(there.lookup({ digits: "990000009", kind: "rnc" })).toBeDefined();
	await purge(here, "990000009");
	await until(() => there.lookup({ digits: "990000009", kind: "rnc" }) === undefined, 1_000);
	expect(await findByAllRoads(there, "990000009", "AGROPECUARIA LOS CAFETOS")).toEqual([]);
	await there.close();
	await other.end();
});

test("an instance with a dead listening connection still applies all changes", async () => {
	const other = connectAgain(database.url, "deaf");
	// Behaves like a proxy that keeps answering for a dead connection.
	const deaf = new Proxy(other, {
		get: (target, name) =>
			name === "listen" ? async () => ({ unlisten: async () => undefined }) : Reflect.get(target, name),
	});
	const here = await openHere();
	const directory = mkdtempSync(join(folder.path, "deaf-"));
	const there = await openHere(SAMPLE, { directory }, deaf);
	const document = { digits: "990000011", kind: "rnc" } as const;
	expect(there.lookup(document)).toBeDefined();
	const { purge_id } = await bodyOf<PurgeAnswer>(purge(here, document.digits));
	await until(() => there.lookup(document) === undefined);
	await until(() => existsSync(join(directory, "erasures", `${purge_id}.json`)));
	const { runId } = await here.ingest({ force: true });
	await until(() => there.runId() === runId, 20_000);
	await there.close();
	await other.end();
}, 60_000);

test("an instance whose listening connection was cut applies missed erasures", async () => {
	const other = connectAgain(database.url, "cut_off");
	const here = await openHere();
	const there = await openHere(SAMPLE, {}, other);
	await database.sql`
		select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut_off' and query like 'listen%'`;
	await purge(here, "990000010");
	await until(() => there.lookup({ digits: "990000010", kind: "rnc" }) === undefined);
	await there.close();
	await other.end();
});
