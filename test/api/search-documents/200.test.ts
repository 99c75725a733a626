/** Registry searches over HTTP: the envelope and every refusal of a parameter. */
import { beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { get, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const search = (query: string, headers = key) => get(service, `/v1/authority/document:search?${query}`, headers);
type Result = { items: Record<string, string>[]; count: number; partial: boolean; next?: string };
const find = async (query: string) => {
	const answer = await search(query);
	expect(answer.status).toBe(200);
	return (await answer.json()) as Result;
};

test("the envelope, items without payment regime, cacheable for a minute", async () => {
	const answer = await search("q=ferreteria+progreso&field=name&limit=1&type=rnc");
	expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
	expect(answer.headers.get("x-registry-run-id")).toBeTruthy();
	const result = (await answer.json()) as Result;
	expect(result.count).toBe(result.items.length);
	expect(Object.keys(result.items[0] ?? {})).toEqual(["rnc", "name", "trade_name", "economic_activity", "status"]);
});

test("accents and case do not count, on either side", async () => {
	const plain = await find("q=FERRETERIA&field=name&limit=5");
	expect(plain.count).toBe(5);
	for (const q of ["ferreter%C3%ADa", "FerreteriA", "%20ferreteria%20"]) {
		expect(await find(`q=${q}&field=name&limit=5`)).toEqual(plain);
	}
});

test("partial shows that there is more, and pages follow one another", async () => {
	const first = await find("q=99000&field=document&limit=12");
	expect([first.count, first.partial]).toEqual([12, true]);
	const second = await find(`q=99000&field=document&limit=12&after=${encodeURIComponent(first.next ?? "")}`);
	const all = await find("q=99000&field=document&limit=24");
	expect([...first.items, ...second.items]).toEqual(all.items);
	expect(all.items.map((one) => one.rnc)).toEqual(all.items.map((one) => one.rnc ?? "").sort());
});

test("no match is an empty list", async () => {
	expect(await find("q=zzzzzzzz&field=name")).toEqual({ items: [], count: 0, partial: false });
});

test("highlight shows where the words were found and changes nothing else", async () => {
	const query = "q=PROG+ferreter%C3%ADa&field=name&limit=3";
	const plain = await find(query);
	const { items, ...rest } = await find(`${query}&highlight=true`);
	expect(items.map(({ highlight, ...item }) => item)).toEqual(plain.items);
	expect(rest).toEqual({ count: plain.count, partial: plain.partial, ...(plain.next ? { next: plain.next } : {}) });
	type Marked = { name: string; highlight: { start: number; end: number }[] };
	for (const { name, highlight } of items as unknown as Marked[]) {
		expect(highlight.map(({ start, end }) => name.slice(start, end)).sort()).toEqual(["FERRETERIA", "PROG"]);
	}
	expect(await find(`${query}&highlight=false`)).toEqual(plain);
});

test("highlight marks the words that misspelt ones mean", async () => {
	const { items } = await find("q=fereteria&field=name&limit=3&mode=fuzzy&highlight=true");
	type Marked = { name: string; highlight: { start: number; end: number }[] };
	const marked = (items as unknown as Marked[]).flatMap(({ name, highlight }) =>
		highlight.map(({ start, end }) => name.slice(start, end)),
	);
	expect(marked).toEqual(Array(3).fill("FERRETERIA"));
});

describe("400", () => {
	test.each<[string, string[]]>([
		["", ["#/query/q required", "#/query/field required"]],
		["q=abc", ["#/query/field required"]],
		["q=ab&field=name", ["#/query/q too-short"]],
		["q=a..&field=name", ["#/query/q too-short"]],
		["q=%20%20a&field=name", ["#/query/q too-short"]],
		[`q=${"x".repeat(151)}&field=name`, ["#/query/q too-long"]],
		["q=12a&field=document", ["#/query/q invalid-format"]],
		["q=1-2&field=document", ["#/query/q too-short"]],
		["q=abc&field=status", ["#/query/field not-in-list"]],
		["q=abc&field=name&type=passport", ["#/query/type not-in-list"]],
		["q=abc&field=name&limit=0", ["#/query/limit invalid-format"]],
		["q=abc&field=name&limit=101", ["#/query/limit invalid-format"]],
		["q=abc&field=name&limit=1e2", ["#/query/limit invalid-format"]],
		["q=abc&field=name&limit=0x10", ["#/query/limit invalid-format"]],
		["q=abc&field=name&limit=%2B5", ["#/query/limit invalid-format"]],
		["q=abc&field=name&limit=5&limit=9", ["#/query/limit repeated"]],
		["q=abc&q=abd&field=name", ["#/query/q repeated"]],
		["q=abc&field=name&colour=x", ["#/query/colour unknown-parameter"]],
		["q=abc&field=name&after=x", ["#/query/after invalid-cursor"]],
		["q=a%00c&field=name", ["#/query/q illegal-character"]],
	])("%s", async (query, faults) => {
		await expectProblem(search(query), 400, "validation-error", faults);
	});

	test.each([
		["q=%E0%A4%A&field=name", "q"],
		["q=%FF%FE%80&field=name", "q"],
		["q=%&field=name", "q"],
		["q=abc&field=%ff", "field"],
		["q=abc&field=name&%ZZ=1", "%ZZ"],
	])("%s is invalid percent-encoding, the only violation reported", async (query, name) => {
		const problem = await expectProblem(search(query), 400, "validation-error");
		expect(problem.errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
			[`#/query/${name}`, "invalid-encoding"],
		]);
	});
});

test("a page over 1 KiB is compressed for callers that accept it, on both paths", async () => {
	for (const query of ["q=99000&field=document&limit=20", "q=ferreteria&field=name&limit=20&highlight=true"]) {
		const ask = (coding: string) =>
			fetch(`${service.url}/v1/authority/document:search?${query}`, {
				headers: { ...key, "accept-encoding": coding },
				decompress: false,
			});
		const plain = await ask("identity");
		const content = Buffer.from(await plain.arrayBuffer());
		expect(plain.headers.get("vary")).toBe("Accept-Encoding");
		for (const [asked, coding, decode] of [
			["*", "gzip", gunzipSync],
			["zstd", "zstd", zstdDecompressSync],
		] as const) {
			const coded = await ask(asked);
			expect([coded.status, coded.headers.get("content-encoding")]).toEqual([200, coding]);
			const bytes = Buffer.from(await coded.arrayBuffer());
			expect(bytes.length).toBeLessThan(content.length / 2);
			expect(decode(bytes).equals(content)).toBe(true);
			expect(coded.headers.get("etag")).toBe(plain.headers.get("etag"));
		}
	}
});

test("an answer that fits into one packet is not compressed", async () => {
	const answer = await search("q=99000&field=document&limit=1", { ...key, "accept-encoding": "gzip" });
	expect(answer.headers.get("content-encoding")).toBeNull();
});
