import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { openObjects } from "../../../src/platform/objects";
import { contextOfKeptKey } from "../../../src/platform/secrets";
import type { Registry } from "../../../src/registry";
import { writeSealed, writeState } from "../../../src/registry/edge/edge-state";
import { createTombstones } from "../../../src/registry/erasure";
import { openEdgeRegistry } from "../../../src/registry/open-edge-registry";
import { findLastGoodRun, openSnapshotDirectory } from "../../../src/registry/runs";
import { createSignature, openRegistryStore } from "../../../src/registry/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { hasS3Programs, type S3Server, sharedS3Server } from "../../support/s3-server";
import { until } from "../../support/until";
import {
	BASE_URL,
	entries,
	entry,
	envelope,
	openOn,
	PEPPER,
	settableClock,
	silentLog,
	temporaryFolder,
	toText,
} from "../build";

const folder = temporaryFolder();
const NUMBER = { digits: "990000001", kind: "rnc" } as const;
const ERASED = { digits: "990000100", kind: "rnc" } as const;
const others = entries(20, 100);
const withStatus = (status: string) => toText([entry({ rnc: NUMBER.digits, status }), ...others]);
const STORE = join(folder.path, "store");
const SOURCE = join(folder.path, "source.txt");
const FIRST_DAY = "2026-11-20";

type Host = Registry & { readonly directory: string };
let database: TestDatabase;
let builder: Host;
const clock = settableClock();
const open: Registry[] = [];

/** A host that has ingested two runs, a day apart; the tests follow its fleet in order. */
beforeAll(async () => {
	database = await openTestDatabase();
	folder.write("source.txt", withStatus("ACTIVO"));
	builder = await openHost();
	await ingest(builder, "SUSPENDIDO");
	rmSync(SOURCE);
});
afterAll(async () => {
	await Promise.all(open.map((registry) => registry.close()));
	await database.close();
	folder.remove();
});

/** A host with a folder of its own. */
async function openHost(): Promise<Host> {
	const directory = join(folder.path, `host-${open.length}`);
	const host = await openOn(database.sql, SOURCE, { clock, schedule: "0 0 1 1 *", directory, store: STORE });
	open.push(host);
	return { ...host, directory };
}

const readState = () => {
	const text = readFileSync(join(STORE, "current.json"), "utf8");
	return JSON.parse(JSON.parse(text).payload) as { runId: string; generation: number; tombstones: string[] };
};
const listPacked = (store = STORE) => readdirSync(store).filter((one) => one.endsWith(".zst"));

/** A day later. */
async function ingest(host: Registry, status: string): Promise<void> {
	clock.advanceSeconds(86_400);
	folder.write("source.txt", withStatus(status));
	expect((await host.ingest({ force: true })).result).toBe("ok");
}

const statusOn = (host: Registry, day: string) =>
	host.entryAsOf(NUMBER, day, { pointer: "/as_of", historyDays: null }).entry?.status;

test("an empty host takes the run and its history from the store, without the source", async () => {
	const countRuns = async () => (await database.sql`select 1 from registry_runs`).length;
	const runs = await countRuns();
	const second = await openHost();
	expect(second.runId()).toBe(readState().runId);
	expect(second.lookup(NUMBER)?.status).toBe("SUSPENDIDO");
	expect(statusOn(second, FIRST_DAY)).toBe("ACTIVO");
	await until(() => second.isVerified());
	expect(await countRuns()).toBe(runs);
});

test("a store of another deployment, or a damaged one, is not used", async () => {
	const { runId } = readState();
	const fetches = async (change: (copy: string) => void, pepper = PEPPER) => {
		const copy = join(folder.path, crypto.randomUUID());
		cpSync(STORE, copy, { recursive: true });
		change(copy);
		return openRegistryStore(copy, pepper).fetch(openSnapshotDirectory(`${copy}-host`), runId);
	};
	const change = (path: string, edit: (bytes: Buffer) => Buffer | string) =>
		writeFileSync(path, edit(readFileSync(path)));
	expect(await fetches(() => undefined)).toBe(true);
	expect(await fetches(() => undefined, new Uint8Array(32).fill(8))).toBe(false);
	const forge = (text: Buffer) => text.toString().replace('"signature":"', '"signature":"g');
	expect(await fetches((copy) => change(join(copy, "current.json"), forge))).toBe(false);
	for (const name of listPacked()) {
		const turn = (bytes: Buffer) => {
			bytes[bytes.length >> 1] = ~(bytes[bytes.length >> 1] ?? 0);
			return bytes;
		};
		expect([name, await fetches((copy) => change(join(copy, name), turn))]).toEqual([name, false]);
	}
});

test("a purge leaves nothing of the number in the store", async () => {
	writeFileSync(join(STORE, "note.txt"), "not ours");
	await open[1]?.purge(ERASED, {
		...{ legal_basis: "data-error", reason: "test", request_reference: "R-1", requested_by: "operator" },
	});
	await until(() => readState().tombstones.length === 1 && listPacked().length === 2);
	const name = others.find(({ rnc }) => rnc === ERASED.digits)?.name ?? "";
	for (const file of listPacked()) {
		const bytes = zstdDecompressSync(readFileSync(join(STORE, file)));
		expect([file, bytes.includes(ERASED.digits), bytes.includes(name)]).toEqual([file, false, false]);
	}
	expect(readdirSync(STORE)).toContain("note.txt");
});

test("a host without the previous run's file continues the history from the store", async () => {
	for (const one of readdirSync(builder.directory))
		if (/snapshot|history/.test(one)) rmSync(join(builder.directory, one));
	await ingest(builder, "BAJA");
	expect(builder.lookup(NUMBER)?.status).toBe("BAJA");
	expect([statusOn(builder, FIRST_DAY), statusOn(builder, "2026-11-21")]).toEqual(["ACTIVO", "SUSPENDIDO"]);
	expect(builder.lookup(ERASED)).toBeUndefined();
});

test("a node without a database follows signed states and replaces a damaged file", async () => {
	const directory = join(folder.path, "edge");
	const signature = createSignature(PEPPER);
	const sealed = envelope.seal(PEPPER, contextOfKeptKey("registry-tombstones"));
	const run = await findLastGoodRun(database.sql);
	const { digestOf } = createTombstones(database.sql, PEPPER);
	const write = (writtenAt: string, erased: string[], sign = signature.sign) => {
		const keysVersion = new Bun.CryptoHasher("sha256").update("[]").digest("hex");
		const none = { lastAttempt: undefined, nextScheduled: undefined };
		const state = writeState({ writtenAt, erased, keysVersion, run, ...none });
		writeFileSync(join(STORE, "keys.json"), signature.sign("[]"));
		writeFileSync(join(STORE, "edge.json"), writeSealed(sealed, sign(state)));
	};
	const openEdge = () =>
		openEdgeRegistry({
			...{ store: STORE, envelope, directory, baseUrl: BASE_URL, clock, log: silentLog },
			...{ onKeys: () => undefined, signal: new AbortController().signal },
		});
	const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000).toISOString();
	write(at(0), [], createSignature(new Uint8Array(32)).sign);
	const refusing = await openEdge();
	expect([refusing.isLoaded(), refusing.currentUntil()]).toEqual([false, Number.NEGATIVE_INFINITY]);
	await refusing.close();
	write(at(0), []);
	const first = await openEdge();
	expect([first.isVerified(), first.runId()]).toEqual([true, run?.runId]);
	await first.close();
	const path = openSnapshotDirectory(directory).find(run?.runId ?? "") ?? "";
	const bytes = readFileSync(path);
	const damaged = Buffer.from(bytes).fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 64);
	writeFileSync(path, damaged);
	const second = await openEdge();
	try {
		await until(() => second.isVerified());
		const replaced = openSnapshotDirectory(directory).find(run?.runId ?? "") ?? "";
		expect(readFileSync(replaced).equals(bytes)).toBe(true);
		const erased = [digestOf(NUMBER.digits).toString("hex")];
		expect(second.lookup(NUMBER)?.status).toBe("BAJA");
		write(at(1), erased);
		await until(() => second.lookup(NUMBER) === undefined);
	} finally {
		await second.close();
	}
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
		const store = openObjects(`s3://registry/fleet?endpoint=${encodeURIComponent(server.endpoint)}`);
		const path = folder.write("object", Buffer.alloc(6_000_000, "x"));
		await store.put("object", path);
		await store.putContent("text", "ñ");
		await store.putContent("bytes", new Uint8Array([0, 255, 10]));
		expect([...((await store.getBytes("bytes")) ?? [])]).toEqual([0, 255, 10]);
		expect((await store.list()).sort()).toEqual(["bytes", "object", "text"]);
		expect(await store.getText("text")).toBe("ñ");
		const copy = join(folder.path, "copy");
		expect([await store.get("object", copy), readFileSync(copy).length]).toEqual([true, 6_000_000]);
		await store.remove("object");
		expect([await store.get("object", copy), await store.getText("none"), await store.getBytes("none")]).toEqual([
			...[false, undefined, undefined],
		]);
	});
});
