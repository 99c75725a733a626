import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Contract, type ContractOperation, compareDocuments } from "../../../scripts/openapi/compare-documents";
import { readContract, writeContract } from "../../../scripts/openapi/contract";
import { findUnpaid, mayBreak } from "../../../scripts/openapi/versions";

const json = (schema: Record<string, unknown>) => ({ "application/json": { schema } });
const operation: ContractOperation = {
	tags: ["Invoices"],
	security: [{ apiKey: ["a"] }, { apiKey: ["a"], bearer: ["a"] }],
	"x-scope": "a",
	parameters: [{ name: "limit", in: "query", required: false, schema: { type: "integer", maximum: 100 } }],
	requestBody: { required: true, content: { ...json({ $ref: "#/components/schemas/Thing" }), "text/csv": {} } },
	responses: {
		200: { headers: { ETag: {} }, content: { ...json({ $ref: "#/components/schemas/Thing" }), "application/xml": {} } },
		202: {},
		400: { content: { "application/problem+json": { schema: {} } } },
	},
};
const thing = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };

function contract(post: ContractOperation | undefined, schema: Record<string, unknown> = thing): Contract {
	return {
		info: { version: "1.0.0" },
		"x-identity-version": "1.0.0",
		paths: { "/v1/things": post ? { post } : {} },
		components: { schemas: { Thing: schema } },
	};
}

const breaksOf = (now: Contract) => compareDocuments(contract(operation), now).map(({ sentence }) => sentence);
const { 202: _, ...without202 } = operation.responses;

test.each<[string, Partial<ContractOperation>, string]>([
	["another scope", { "x-scope": "b" }, "the scope b is needed now"],
	["a credential more", { security: [{ apiKey: ["a"], bearer: ["a"] }] }, "apiKey is no longer enough"],
	["a parameter that is gone", { parameters: [] }, "query limit: the parameter is gone"],
	[
		"a required parameter more",
		{ parameters: [...(operation.parameters ?? []), { name: "x", in: "header", required: true, schema: {} }] },
		"header x: the parameter is required now",
	],
	[
		"a parameter that takes less",
		{ parameters: [{ name: "limit", in: "query", required: false, schema: { type: "integer", maximum: 50 } }] },
		"query limit: maximum was 100 and is 50",
	],
	["no body", { requestBody: undefined as never }, "no body is taken any more"],
	["a media type less", { requestBody: { required: true, content: json(thing) } }, "body: text/csv is gone"],
	["a successful answer that is gone", { responses: without202 }, "the answer 202 is gone"],
	[
		"a header that is gone",
		{ responses: { ...operation.responses, 200: { content: operation.responses[200]?.content ?? {} } } },
		"200: the header ETag is gone",
	],
	[
		"a form of the answer that is gone",
		{ responses: { ...operation.responses, 200: { headers: { ETag: {} }, content: json(thing) } } },
		"200: application/xml is gone",
	],
])("%s breaks", (_name, over, sentence) => {
	expect(breaksOf(contract({ ...operation, ...over }))).toEqual([sentence]);
});

test("an operation that is gone breaks, and a body that becomes required", () => {
	expect(breaksOf(contract(undefined))).toEqual(["the operation is gone"]);
	const optional = { ...operation, requestBody: { required: false, content: operation.requestBody?.content ?? {} } };
	const found = compareDocuments(contract(optional), contract(operation));
	expect(found.map(({ sentence }) => sentence)).toEqual(["a body is required now"]);
});

test("what is new beside the old breaks nothing", () => {
	const more: ContractOperation = {
		...operation,
		security: [...operation.security, {}],
		parameters: [...(operation.parameters ?? []), { name: "after", in: "query", required: false, schema: {} }],
		responses: { ...operation.responses, 201: {}, 409: {} },
	};
	const now = contract(more, { ...thing, properties: { ...thing.properties, b: { type: "string" } } });
	expect(breaksOf({ ...now, paths: { ...now.paths, "/v1/others": { get: operation } } })).toEqual([]);
});

test("a schema is followed to its name, for who sends it and for who reads it", () => {
	const narrower = { ...thing, properties: { a: { type: "string", maxLength: 1 } }, required: [] };
	expect(breaksOf(contract(operation, narrower)).sort()).toEqual([
		"200/a: it may be missing now",
		"body/a: maxLength was absent and is 1",
	]);
});

test("a break needs a major version of its area, or a minor one before 1.0", () => {
	expect(mayBreak("1.2.3", "2.0.0")).toBe(true);
	expect(mayBreak("1.2.3", "1.9.0")).toBe(false);
	expect(mayBreak("2.0.0", "1.0.0")).toBe(false);
	expect(mayBreak("0.1.0-dev", "0.1.0")).toBe(false);
	expect(mayBreak("0.1.0-dev", "0.2.0-dev")).toBe(true);
	expect(mayBreak("0.1.0-dev", "1.0.0")).toBe(true);
	const old = contract(operation);
	const registry = { ...operation, tags: ["Registry"] };
	const before = { ...old, paths: { "/v1/things": { post: operation, get: registry } } };
	const now = { ...old, "x-identity-version": "2.0.0", paths: {} };
	expect(findUnpaid(compareDocuments(before, now), before, now)).toMatchObject([{ area: "invoicing" }]);
});

test("the current interface breaks nothing that was released", async () => {
	const now = await readContract();
	expect(JSON.parse(writeContract(now))).toEqual(now);
	const released: Contract = JSON.parse(readFileSync("data/openapi/last-release.json", "utf8"));
	expect(findUnpaid(compareDocuments(released, now), released, now)).toEqual([]);
	expect(Object.keys(now.paths).length).toBeGreaterThan(50);
});

test("a body of lines may change its media type from JSON to text", () => {
	const inLines = (schema: Record<string, unknown>): Contract => {
		return contract({ ...operation, requestBody: { required: true, content: { "application/x-ndjson": { schema } } } });
	};
	expect(compareDocuments(inLines(thing), inLines({ type: "string" }))).toEqual([]);
});
