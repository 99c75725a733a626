import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import type { Registry, RegistryDeps } from "../../../src/registry";
import { openStoreObjects } from "../../../src/registry/store/objects";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { hasS3Programs, type S3Server, sharedS3Server } from "../../support/s3-server";
import { until } from "../../support/until";
import { entries, entry, openOn, settableClock, temporaryFolder, toText } from "../build";

const folder = temporaryFolder();
const NUMBER = { digits: "990000001", kind: "rnc" } as const;
const others = entries(20, 100);
const withStatus = (status: string) => toText([entry({ rnc: NUMBER.digits, status }), ...others]);
let database: TestDatabase;
let clock = settableClock();
let open: Registry[] = [];
let hosts = 0;
let fleet = "";

beforeEach(async () => {
	database = await openTestDatabase();
	clock = settableClock();
	fleet = crypto.randomUUID();
});
afterEach(async () => {
	await Promise.all(open.map((registry) => registry.close()));
	open = [];
	await database.close();
});
afterAll(() => folder.remove());

const storePath = () => join(folder.path, `store-${fleet}`);
const sourcePath = () => join(folder.path, `${fleet}.txt`);
const writeSource = (text: Uint8Array) => folder.write(`${fleet}.txt`, text);

/** A host with a folder of its own. */
async function openHost(deps: Partial<RegistryDeps> = {}): Promise<Registry & { readonly directory: string }> {
	const directory = join(folder.path, `host-${hosts++}`);
	const host = await openOn(database.sql, sourcePath(), {
		...{ clock, schedule: "0 0 1 1 *", directory, store: storePath() },
		...deps,
	});
	open.push(host);
	return { ...host, directory };
}

const readState = () => {
	const text = readFileSync(join(storePath(), "current.json"), "utf8");
	return JSON.parse(JSON.parse(text).payload) as { runId: string; generation: number; tombstones: string[] };
};

const countRuns = async () => (await database.sql`select 1 from registry_runs`).length;

/** A day later. */
async function ingest(host: Registry, status: string): Promise<void> {
	clock.advanceSeconds(86_400);
	writeSource(withStatus(status));
	expect((await host.ingest({ force: true })).result).toBe("ok");
}

test("an empty host takes the run and its history from the store, without the source", async () => {
	writeSource(withStatus("ACTIVO"));
	const first = await openHost();
	await ingest(first, "SUSPENDIDO");
	rmSync(sourcePath());
	const runs = await countRuns();
	const second = await openHost();
	expect(second.runId()).toBe(readState().runId);
	expect(second.lookup(NUMBER)?.status).toBe("SUSPENDIDO");
	const asked = { pointer: "/as_of", historyDays: null };
	expect(second.entryAsOf(NUMBER, "2026-11-20", asked).entry?.status).toBe("ACTIVO");
	await until(() => second.isVerified());
	expect(await countRuns()).toBe(runs);
});

test("a store of another deployment, or a damaged one, is not used", async () => {
	writeSource(withStatus("ACTIVO"));
	// An open host would repair the store.
	await (await openHost()).close();
	rmSync(sourcePath());
	const state = readFileSync(join(storePath(), "current.json"), "utf8");
	writeFileSync(join(storePath(), "current.json"), state.replace(/"signature":"./, '"signature":"g'));
	expect((await openHost()).isLoaded()).toBe(false);
	writeFileSync(join(storePath(), "current.json"), state);
	const name = readdirSync(storePath()).find((one) => one.endsWith("snapshot.zst")) ?? "";
	const bytes = readFileSync(join(storePath(), name));
	bytes[bytes.length >> 1] = ~(bytes[bytes.length >> 1] ?? 0);
	writeFileSync(join(storePath(), name), bytes);
	expect((await openHost()).isLoaded()).toBe(false);
});

test("a purge leaves nothing of the number in the store", async () => {
	writeSource(withStatus("ACTIVO"));
	const hostsOfRun = [await openHost(), await openHost()];
	await ingest(hostsOfRun[0] as Registry, "SUSPENDIDO");
	await hostsOfRun[1]?.purge(NUMBER, {
		...{ legal_basis: "data-error", reason: "test", request_reference: "R-1", requested_by: "operator" },
	});
	await until(() => readState().tombstones.length === 1);
	writeFileSync(join(storePath(), "note.txt"), "not ours");
	await until(() => readdirSync(storePath()).filter((one) => one.endsWith(".zst")).length === 2);
	const name = entry({ rnc: NUMBER.digits }).name;
	for (const file of readdirSync(storePath()).filter((one) => one.endsWith(".zst"))) {
		const bytes = zstdDecompressSync(readFileSync(join(storePath(), file)));
		expect([file, bytes.includes(NUMBER.digits), bytes.includes(name)]).toEqual([file, false, false]);
	}
	const third = await openHost();
	expect(third.runId()).toBe(readState().runId);
	expect(third.lookup(NUMBER)).toBeUndefined();
});

test("a host without the previous run's file continues the history from the store", async () => {
	writeSource(withStatus("ACTIVO"));
	const host = await openHost();
	for (const name of readdirSync(host.directory)) if (/snapshot|history/.test(name)) rmSync(join(host.directory, name));
	await ingest(host, "SUSPENDIDO");
	const asked = { pointer: "/as_of", historyDays: null };
	expect(host.entryAsOf(NUMBER, "2026-11-20", asked).entry?.status).toBe("ACTIVO");
});

const hasServer = hasS3Programs();
describe.skipIf(!hasServer)("in a bucket", () => {
	const before = { ...process.env };
	let server: S3Server;
	beforeAll(async () => {
		server = await sharedS3Server();
		await server.makeBucket("registry", { hasLock: false });
		Object.assign(process.env, server.credentials);
	}, 120_000);
	afterAll(() => {
		for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
			if (before[name] === undefined) delete process.env[name];
			else process.env[name] = before[name];
		}
	});

	test("objects are written, listed, read and removed", async () => {
		const store = openStoreObjects(`s3://registry/fleet?endpoint=${encodeURIComponent(server.endpoint)}`);
		const path = folder.write("object", Buffer.alloc(6_000_000, "x"));
		await store.put("object", path);
		await store.putText("text", "ñ");
		expect((await store.list()).sort()).toEqual(["object", "text"]);
		expect(await store.getText("text")).toBe("ñ");
		const copy = join(folder.path, "copy");
		expect([await store.get("object", copy), readFileSync(copy).length]).toEqual([true, 6_000_000]);
		await store.remove("object");
		expect([await store.get("object", copy), await store.getText("none")]).toEqual([false, undefined]);
	});
});
