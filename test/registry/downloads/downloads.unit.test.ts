import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compactVerify, createLocalJWKSet, type JWK } from "jose";
import { openNumbers } from "../../../data/registry/numbers.js";
import type { Plan, Principal } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { parseTaxpayerDocument } from "../../../src/platform/values";
import { putGrant, type Registry, type RegistryEntry } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import {
	BASE_URL,
	bodyOf,
	directoryOf,
	entries,
	entry,
	filesIn,
	openOn,
	send,
	temporaryFolder,
	toText,
} from "../build";

type Listed = { name: string; kind: string; bytes: number; sha256: string; from_run_id?: string; persons: boolean };
type List = {
	run_id: string | null;
	valid_until: string | null;
	files: Listed[];
	count: number;
	manifest: string | null;
};

const LIST = "/v1/authority/registry/downloads";
const OWNER = "0192f0c0-7a00-7b11-9c22-334455667788";
const STATUSES = ["ACTIVO", "SUSPENDIDO", "DADO DE BAJA", "CESE TEMPORAL"];
const person = (i: number) => entry({ rnc: String(99_900_000_000 + 7 * i), name: `PERSONA ${i}, HIJO` });
const first: RegistryEntry[] = [
	...entries(600).map((one, i) => ({ ...one, status: STATUSES[i % STATUSES.length] ?? "" })),
	...Array.from({ length: 400 }, (_, i) => person(i)),
];
/** One removed, one changed and one added of each length. */
const second: RegistryEntry[] = [
	...first.filter((_, i) => i !== 10 && i !== 700),
	entry({ rnc: "990000900", name: "NUEVA SRL" }),
	person(900),
].map((one) => (one === first[20] || one === first[720] ? { ...one, name: "OTRO", status: "SUSPENDIDO" } : one));

const folder = temporaryFolder();
let database: TestDatabase;
let registry: Registry;
const source = join(folder.path, "registry.txt");

beforeAll(async () => {
	database = await openTestDatabase();
	writeFileSync(source, toText(first));
	registry = await openOn(database.sql, source);
	await database.sql.begin((tx) => putGrant(tx, { ownerId: OWNER, terms: "T-1", grantedAt: new Date() }));
});
afterAll(async () => {
	await registry.close();
	await database.close();
	folder.remove();
});

const as = (plan: Plan, ownerId: string | null = OWNER): Principal => {
	return { environment: "sandbox", plan, ownerId, scopes: new Set(["registry:read"]) };
};
const list = (principal = as("enterprise")) => bodyOf<List>(send(registry, "GET", LIST, { principal }));
const fetchFile = (name: string, headers: Record<string, string> = {}, principal = as("enterprise")) =>
	send(registry, "GET", `${LIST}/${name}`, { headers, principal });
const bytesOf = async (name: string) => Buffer.from(await (await fetchFile(name)).arrayBuffer());
const textOf = async (name: string) => Buffer.from(Bun.zstdDecompressSync(await bytesOf(name))).toString();

async function slugOf(answer: Promise<Response>): Promise<string> {
	const error = await answer.catch((one: unknown) => one);
	if (!(error instanceof Problem)) throw new Error(`expected a problem, got ${error}`);
	return error.slug;
}

test("plans and grants decide which files are listed and answered", async () => {
	const kinds = async (plan: Plan, owner?: string | null) =>
		[...new Set((await list(as(plan, owner))).files.map(({ name }) => name))].sort();
	expect(await kinds("free")).toEqual([]);
	expect(await kinds("starter", null)).toEqual(["numbers-companies"]);
	expect(await kinds("starter")).toEqual(["numbers", "numbers-companies"]);
	expect(await kinds("enterprise", null)).toEqual([
		"numbers-companies",
		"taxpayers-companies.csv.zst",
		"taxpayers-companies.parquet",
	]);
	expect(await slugOf(fetchFile("numbers", {}, as("enterprise", null)))).toBe("not-found");
	expect(await slugOf(fetchFile("taxpayers.parquet", {}, as("business")))).toBe("not-found");
	expect(await slugOf(fetchFile("numbers-companies", {}, as("demo")))).toBe("not-found");
});

test("the manifest signs the list with a registry key", async () => {
	const { manifest, count, ...listed } = await list();
	const keys = await bodyOf<{ keys: JWK[] }>(send(registry, "GET", "/.well-known/registry-keys.json"));
	const { payload, protectedHeader } = await compactVerify(manifest ?? "", createLocalJWKSet(keys));
	expect(protectedHeader.typ).toBe("registry-downloads+jwt");
	expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ iss: BASE_URL, iat: expect.any(Number), ...listed });
	expect([count, (await list(as("free"))).manifest]).toEqual([listed.files.length, null]);
	const changed = manifest?.replace(/.(?=\.[^.]*$)/, (last) => (last === "A" ? "B" : "A")) ?? "";
	expect(compactVerify(changed, createLocalJWKSet(keys))).rejects.toThrow();
});

test("each file has the listed size and digest, and answers parts of it", async () => {
	for (const { name, bytes, sha256 } of (await list()).files) {
		const answer = await fetchFile(name);
		const content = Buffer.from(await answer.arrayBuffer());
		const digest = createHash("sha256").update(content);
		expect([content.length, digest.copy().digest("hex")]).toEqual([bytes, sha256]);
		expect(answer.headers.get("repr-digest")).toBe(`sha-256=:${digest.digest("base64")}:`);
		const etag = answer.headers.get("etag") ?? "";
		expect(etag).toBe(`"${sha256}"`);
		const part = await fetchFile(name, { range: "bytes=5-", "if-range": etag });
		expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 5-${bytes - 1}/${bytes}`]);
		expect(Buffer.from(await part.arrayBuffer())).toEqual(content.subarray(5));
		expect((await fetchFile(name, { range: "bytes=5-", "if-range": '"other"' })).status).toBe(200);
		expect((await fetchFile(name, { "if-none-match": etag })).status).toBe(304);
		expect(await slugOf(fetchFile(name, { range: `bytes=${bytes}-` }))).toBe("range-not-satisfiable");
	}
});

test("CSV and Parquet hold every entry once", async () => {
	const path = join(folder.path, "taxpayers.parquet");
	writeFileSync(path, await bytesOf("taxpayers.parquet"));
	const rows = await parquetReadObjects({
		file: await asyncBufferFromFile(path),
		compressors: { ZSTD: (bytes) => Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>) },
	});
	const sorted = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).sort();
	expect(sorted(rows)).toEqual(sorted(first));
	const csv = await textOf("taxpayers.csv.zst");
	expect(csv.startsWith("rnc,name,trade_name,economic_activity,status,payment_regime\n")).toBe(true);
	expect(csv).toContain('\n99900000000,"PERSONA 0, HIJO",EJEMPLO,VENTA AL POR MENOR,ACTIVO,NORMAL\n');
	expect(csv.split("\n")).toHaveLength(first.length + 2);
	const companies = await textOf("taxpayers-companies.csv.zst");
	expect(companies.split("\n")).toHaveLength(602);
	expect(companies).not.toMatch(/^\d{11},/m);
});

test("the till's file equals the registry for every number", async () => {
	const numbers = await openNumbers(await bytesOf("numbers"));
	expect([numbers.count, numbers.runId]).toEqual([first.length, registry.runId() ?? ""]);
	expect(numbers.validUntil.getTime()).toBeGreaterThan(Date.now() + 7 * 86_400_000);
	expectSame(numbers.find, first);
	const companies = await openNumbers(await bytesOf("numbers-companies"));
	expectSame(companies.find, first.slice(0, 600));
	const damaged = await bytesOf("numbers");
	damaged[200] = (damaged[200] ?? 0) ^ 1;
	expect(openNumbers(damaged)).rejects.toThrow("damaged");
});

/** Every number and its neighbours. */
function expectSame(find: (number: string) => string | undefined, all: readonly RegistryEntry[]) {
	const statusOf = new Map(all.map(({ rnc, status }) => [rnc, status === "CESE TEMPORAL" ? "OTHER" : status]));
	const wrong = all.flatMap(({ rnc }) =>
		[-1, 0, 1]
			.map((step) => String(Number(rnc) + step).padStart(rnc.length, "0"))
			.filter((number) => find(number) !== statusOf.get(number)),
	);
	expect(wrong).toEqual([]);
	for (const odd of ["", "1", "000000000", "99999999999", "1234567890", "abcdefghi"]) expect(find(odd)).toBeUndefined();
}

test("a delta leads from an earlier run to the new one, also at the till", async () => {
	const before = await openNumbers(await bytesOf("numbers"));
	const runBefore = registry.runId() ?? "";
	writeFileSync(source, toText(second));
	expect((await registry.ingest({ force: true })).result).toBe("ok");
	const { files } = await newList();
	const from = (kind: string) => files.find((one) => one.kind === kind && one.persons)?.name ?? "";
	expect(from("delta")).toBe(`delta-${runBefore}-${registry.runId()}.ndjson.zst`);
	const lines = (await textOf(from("delta")))
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(lines[0]).toEqual({ from_run_id: runBefore, run_id: registry.runId(), changes: 6, count: 1_000 });
	const copy = new Map(first.map((one) => [one.rnc, one]));
	for (const { document, change, entry: now } of lines.slice(1)) {
		if (change === "removed") copy.delete(document);
		else copy.set(document, now);
	}
	const byNumber = (all: Iterable<RegistryEntry>) => [...all].sort((a, b) => a.rnc.localeCompare(b.rnc));
	expect(byNumber(copy.values())).toEqual(byNumber(second));
	expectSame((await before.update(await bytesOf(from("numbers-delta")))).find, second);
	expectSame((await openNumbers(await bytesOf("numbers"))).find, second);
});

test("an erased number is in no file, and a till's copy learns that it is outdated", async () => {
	const old = await openNumbers(await bytesOf("numbers"));
	const gone = [second[30], first[20], first[10], second[650]].map((one) => one?.rnc ?? "");
	const request = { legal_basis: "arco-cancellation", request_reference: "1", requested_by: "x", reason: "y" } as const;
	for (const digits of gone) {
		const document = parseTaxpayerDocument(digits);
		if (document) await registry.purge(document, request);
	}
	const { files: listed } = await newList();
	for (const { name } of listed) {
		const content = name.endsWith(".zst") ? await textOf(name) : (await bytesOf(name)).toString("latin1");
		expect([name, gone.filter((digits) => new RegExp(`(?<!\\d)${digits}(?!\\d)`).test(content))]).toEqual([name, []]);
	}
	const fresh = await openNumbers(await bytesOf("numbers"));
	expect(gone.map(fresh.find)).toEqual(gone.map(() => undefined));
	writeFileSync(source, toText([...second, entry({ rnc: "990000901" })]));
	expect((await registry.ingest({ force: true })).result).toBe("ok");
	const delta = (await newList()).files.find(
		({ kind, from_run_id }) => kind === "numbers-delta" && from_run_id === old.runId,
	);
	expect(old.update(await bytesOf(`${delta?.name}`.replace("-companies", "")))).rejects.toThrow(
		"download the file again",
	);
	expect((await fresh.update(await bytesOf(`${delta?.name}`.replace("-companies", "")))).find("990000901")).toBe(
		"ACTIVO",
	);
	expect(files(await newList()).some(({ path }) => path.includes(old.runId) && !path.includes("delta"))).toBe(false);
});

const files = (_: List) => filesIn(join(directoryOf(database.sql), "downloads"));

/** The list once all its files are those of the run in use. */
async function newList(): Promise<List> {
	for (;;) {
		const found = await list();
		const isNew = found.run_id === registry.runId();
		const isCleared = files(found).every(({ path }) => path.includes(`/${registry.runId()}_`));
		if (isNew && isCleared) return found;
		await Bun.sleep(20);
	}
}
