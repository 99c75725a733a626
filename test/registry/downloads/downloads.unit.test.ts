import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compactVerify, createLocalJWKSet, type JWK } from "jose";
import { openNumbers } from "../../../data/registry/numbers.js";
import type { Plan, Principal } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { parseTaxpayerDocument } from "../../../src/platform/values";
import { putGrant, type Registry, type RegistryEntry } from "../../../src/registry";
import type { ChangeSetText } from "../../../src/registry/changes";
import { makeDownloads } from "../../../src/registry/downloads";
import { createDigest } from "../../../src/registry/index/index";
import { buildSnapshot } from "../../../src/registry/ingest/build/build";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import {
	BASE_URL,
	bodyOf,
	columnsOf,
	directoryOf,
	entries,
	entry,
	FACTS,
	filesIn,
	openOn,
	PEPPER,
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

test("an erased number is an ordinary removal in deltas and in no other file", async () => {
	const old = await openNumbers(await bytesOf("numbers"));
	const gone = [second[30], first[20], first[10], second[650]].map((one) => one?.rnc ?? "");
	const unknown = "999999998";
	const request = { legal_basis: "arco-cancellation", request_reference: "1", requested_by: "x", reason: "y" } as const;
	for (const digits of [...gone, unknown]) {
		const document = parseTaxpayerDocument(digits);
		if (document) await registry.purge(document, request);
	}
	const erased = [...gone, unknown];
	const { files: listed } = await newList();
	for (const { name, kind } of listed) {
		const content = name.endsWith(".zst") ? await textOf(name) : (await bytesOf(name)).toString("latin1");
		const rest = kind === "delta" ? content.replace(/\{"document":"\d+","change":"removed"\}\n/g, "") : content;
		expect([name, erased.filter((digits) => new RegExp(`(?<!\\d)${digits}(?!\\d)`).test(rest))]).toEqual([name, []]);
		if (kind === "delta") expect(content).not.toContain(unknown);
	}
	const fresh = await openNumbers(await bytesOf("numbers"));
	expect(gone.map(fresh.find)).toEqual(gone.map(() => undefined));
	writeFileSync(source, toText([...second, entry({ rnc: "990000901" })]));
	expect((await registry.ingest({ force: true })).result).toBe("ok");
	const from = (kind: string, list: List) =>
		list.files.find((one) => one.kind === kind && one.persons && one.from_run_id === old.runId)?.name ?? "";
	const newest = await newList();
	const removed = (await textOf(from("delta", newest))).match(/(?<="document":")\d+(?=","change":"removed")/g);
	expect([...(removed ?? [])]).toEqual(gone.toSorted((a, b) => a.length - b.length || a.localeCompare(b)));
	for (const copy of [old, fresh]) {
		const updated = await copy.update(await bytesOf(from("numbers-delta", newest)));
		expect([...gone, "990000901"].map(updated.find)).toEqual([...gone.map(() => undefined), "ACTIVO"]);
	}
	expect(files(newest).some(({ path }) => path.includes(old.runId) && !path.includes("delta"))).toBe(false);
});

test("a chain and the deltas of 7 and 31 days lead each copy to the current entries", async () => {
	const DAY_MS = 86_400_000;
	const idOf = (run: number) => `0192ef00-0000-7000-8000-${String(run).padStart(12, "0")}`;
	/** What a run has: 100 numbers come, change and go at different paces, and run 20 brings back what run 18 had. */
	const holdings = Array.from({ length: 40 }, (_, run) => {
		const state = run === 20 ? 18 : run;
		return entries(300)
			.map((one, i) => ({ ...one, status: STATUSES[i < 100 ? Math.floor((state + i) / 9) % 4 : 0] ?? "" }))
			.filter((_, i) => i >= 100 || (state + i) % (7 + (i % 5)) !== 0);
	});
	const erasedOnes = [holdings[35]?.[3], holdings[35]?.[4]].flatMap((one) => (one ? [one.rnc] : []));
	const held = holdings.map((all, run) => {
		const shown = all.filter(({ rnc }) => run < 36 || !erasedOnes.includes(rnc));
		return new Map(shown.map((one) => [one.rnc, one]));
	});
	const sets: ChangeSetText[] = held.map((now, run) => {
		const before = held[run - 1] ?? new Map<string, RegistryEntry>();
		const gone = [...before.keys()].filter((rnc) => !now.has(rnc)).map((rnc) => `r${rnc}`);
		const come = [...now.values()]
			.filter((one) => before.get(one.rnc)?.status !== one.status)
			.map(({ rnc }) => `${before.has(rnc) ? "c" : "a"}${rnc}`);
		const changes = [...gone, ...come].filter((one) => !erasedOnes.includes(one.slice(1))).join(",");
		return { runId: idOf(run === 20 ? 18 : run), ordinal: run + 1, at: new Date(run * DAY_MS), changes };
	});
	const last = [...(held[39]?.values() ?? [])];
	const path = join(folder.path, "chain.snapshot");
	const [columns, names] = columnsOf(last);
	buildSnapshot(path, columns, names, FACTS);
	const target = join(folder.path, "chain");
	mkdirSync(target);
	const digests = erasedOnes.map((digits) => createDigest(PEPPER)(digits).toString("hex"));
	const made = await makeDownloads({
		...{ do: "downloads", path, folder: target, persons: true, runId: idOf(39), validUntil: 0, isSearched: true, sets },
		erased: { pepper: PEPPER, digests, fingerprint: "" },
		erasedNumbers: erasedOnes.map((digits) => ({ ordinal: 36, digits })),
	});
	const deltas = made.files
		.filter(({ kind }) => kind === "delta")
		.map(({ name, between }) => {
			const text = Buffer.from(Bun.zstdDecompressSync(readFileSync(join(target, name)))).toString();
			const [, ...lines] = text
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line));
			return { ...between, lines };
		});
	const apply = (
		copy: Map<string, RegistryEntry>,
		{ lines }: { lines: { document: string; entry?: RegistryEntry }[] },
	) => {
		for (const { document, entry: now } of lines) {
			if (now) copy.set(document, now);
			else copy.delete(document);
		}
	};
	const sorted = (copy: Map<string, RegistryEntry>) => [...copy.values()].sort((a, b) => a.rnc.localeCompare(b.rnc));
	for (let run = 38; run >= 38 - 29; run--) {
		const copy = new Map(held[run]);
		let at = idOf(run === 20 ? 18 : run);
		for (let steps = 0; at !== idOf(39); steps++) {
			expect(steps).toBeLessThan(31);
			const link = deltas.findLast((one) => one.fromRunId === at);
			if (!link) throw new Error(`no delta from ${at}`);
			apply(copy, link);
			at = link.toRunId ?? "";
		}
		expect([run, sorted(copy)]).toEqual([run, last]);
	}
	const whole = deltas.filter(({ toRunId, fromRunId }) => toRunId === idOf(39) && fromRunId !== idOf(38));
	expect(whole.map(({ fromRunId }) => fromRunId)).toEqual([idOf(32), idOf(8)]);
	for (const [days, delta] of whole.entries()) {
		for (let run = days === 0 ? 32 : 8; run < 39; run++) {
			const copy = new Map(held[run]);
			apply(copy, delta);
			expect([run, sorted(copy)]).toEqual([run, last]);
		}
	}
	expect(deltas.filter(({ toRunId }) => toRunId !== idOf(39))).toHaveLength(29);
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
