import { afterAll, beforeAll, expect, test } from "bun:test";
import { request } from "node:http";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { chooseCoding } from "../../../src/platform/operation";
import { type Served, serveDeclared } from "../support/declared-operations";

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

type Raw = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: Buffer };

/** The raw answer; `fetch` requests and removes codings itself. */
function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Raw> {
	const { hostname, port } = new URL(served.url);
	return new Promise((resolve, reject) => {
		request({ hostname, port, path, method, headers }, (answer) => {
			const chunks: Buffer[] = [];
			answer.on("data", (chunk: Buffer) => chunks.push(chunk));
			answer.on("end", () =>
				resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
			);
		})
			.on("error", reject)
			.end();
	});
}

const CODINGS = [
	["gzip", gunzipSync],
	["zstd", zstdDecompressSync],
] as const;
const TEXTS = [
	...[
		"/openapi.json",
		"/docs",
		"/docs/es",
		"/docs/en/first-invoice",
		"/docs/en/first-invoice.md",
		"/docs/explorer",
		"/llms.txt",
		"/llms-full.txt",
		"/docs/webhooks",
		"/docs/verify",
		"/docs/authority-codes",
		"/docs/assets/swagger-ui.css",
	],
	...["/docs/assets/swagger-ui-bundle.js", "/changelog", "/v1/changelog", "/changelog.atom", "/changelog.json"],
	"/v1/schemas/31",
];

test.each<[string | null, string | undefined]>([
	[null, undefined],
	["", undefined],
	["gzip", "gzip"],
	["GZIP", "gzip"],
	["x-gzip", "gzip"],
	["gzip, deflate, br", "gzip"],
	["gzip, deflate, br, zstd", "zstd"],
	["zstd;q=0.5, gzip;q=0.8", "gzip"],
	["zstd;q=0, gzip;q=0.001", "gzip"],
	["*", "gzip"],
	["*;q=0.1, zstd;q=0", "gzip"],
	["*;q=0", undefined],
	["gzip;q=0", undefined],
	["identity", undefined],
	["identity, gzip;q=0.5", undefined],
	["identity;q=0.5, gzip ; q=0.5", "gzip"],
	["br, deflate", undefined],
	["gzip;q=2", undefined],
	["gzip;level=9", undefined],
	["gzip zstd", undefined],
	["  ,, gzip ,", "gzip"],
])("Accept-Encoding %p chooses %p", (header, coding) => {
	expect(chooseCoding(header)).toBe(coding as never);
});

test.each(TEXTS)("%s is compressed completely for callers that accept it, with its own ETag", async (path) => {
	const plain = await ask(path);
	expect([plain.status, plain.headers["content-encoding"]]).toEqual([200, undefined]);
	expect(String(plain.headers.vary)).toContain("Accept-Encoding");
	expect(plain.headers["access-control-allow-origin"]).toBe("*");
	const tags = new Set([plain.headers.etag]);
	for (const [coding, decode] of CODINGS) {
		const coded = await ask(path, { "accept-encoding": coding });
		expect([coded.status, coded.headers["content-encoding"]]).toEqual([200, coding]);
		expect(coded.headers["content-type"]).toBe(plain.headers["content-type"]);
		expect(coded.headers.vary).toBe(plain.headers.vary);
		expect(Number(coded.headers["content-length"])).toBe(coded.body.length);
		expect(coded.body.length).toBeLessThan(plain.body.length);
		expect(decode(coded.body).equals(plain.body)).toBe(true);
		tags.add(coded.headers.etag);
	}
	expect(tags.size).toBe(3);
});

test("an ETag matches its own coding only", async () => {
	for (const coding of ["identity", "gzip", "zstd"]) {
		const { headers } = await ask("/openapi.json", { "accept-encoding": coding });
		const etag = String(headers.etag);
		const known = await ask("/openapi.json", { "accept-encoding": coding, "if-none-match": etag });
		expect([known.status, known.headers.etag]).toEqual([304, etag]);
		expect(known.headers.vary).toBe("Accept-Language, Accept-Encoding");
		expect([known.headers["content-encoding"], known.body.length]).toEqual([undefined, 0]);
		const other = coding === "gzip" ? "zstd" : "gzip";
		const unknown = await ask("/openapi.json", { "accept-encoding": other, "if-none-match": etag });
		expect([unknown.status, unknown.headers["content-encoding"]]).toEqual([200, other]);
	}
});

test("HEAD has the headers of GET", async () => {
	for (const coding of ["identity", "gzip", "zstd"]) {
		const sent = { "accept-encoding": coding };
		const [got, head] = [await ask("/openapi.json", sent), await ask("/openapi.json", sent, "HEAD")];
		expect([head.status, head.body.length]).toEqual([200, 0]);
		for (const name of ["content-length", "content-encoding", "content-type", "etag", "vary", "cache-control"]) {
			expect([coding, name, head.headers[name]]).toEqual([coding, name, got.headers[name]]);
		}
	}
});

test("compressed and small contents are sent unchanged", async () => {
	for (const path of ["/docs/assets/favicon-32x32.png", "/docs/assets/start-docs.js"]) {
		const answer = await ask(path, { "accept-encoding": "gzip, zstd" });
		expect([path, answer.headers["content-encoding"], answer.headers.vary]).toEqual([path, undefined, undefined]);
	}
});

test("a refusal, which may contain the caller's text, is never compressed", async () => {
	const answer = await ask(`/v1/schemas/${"x".repeat(2_000)}`, { "accept-encoding": "gzip, zstd" });
	expect([answer.status, answer.headers["content-encoding"]]).toEqual([404, undefined]);
});

test("only documents that any cache may keep are open to pages of any site", async () => {
	for (const path of ["/livez", "/v1/invoices", "/v1/authority/document/990000001"]) {
		expect([path, (await ask(path)).headers["access-control-allow-origin"]]).toEqual([path, undefined]);
	}
});
