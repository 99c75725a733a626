import { beforeAll, expect, test } from "bun:test";
import { toDataText } from "../../../src/api/mcp/result";
import { createMcpServer } from "../../../src/api/mcp/server";
import { offerTools } from "../../../src/api/mcp/tools";
import { buildInvoice, createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { BASE_URL, declaredOperations } from "../support/declared-operations";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const operations = declaredOperations();

test("each argument of a path is required, and no tool has a header as argument", () => {
	for (const { name, of, inputSchema } of offerTools(operations, true).values()) {
		const places = (of.parameters ?? []).filter(({ in: place }) => place === "path");
		for (const place of places)
			expect([name, Object.keys(inputSchema.properties ?? {})]).toEqual([name, expect.arrayContaining([place.name])]);
		expect(JSON.stringify(inputSchema)).not.toMatch(/If-None-Match|Last-Event-ID|x-api-key/i);
	}
});

test("a process without invoices offers the tools of the registry", () => {
	const registry = operations.filter(({ scope }) => scope === "registry:read");
	const names = [...offerTools(registry, false).keys()];
	expect(names).toEqual(["registry_lookup", "registry_search", "registry_match", "registry_batch"]);
});

test("where agents issue at once, a repeated key makes one document", async () => {
	const deps = { baseUrl: service.url, version: "0", operations: () => operations, issuesAtOnce: true };
	const server = createMcpServer(deps);
	const send = (request: Request) => {
		for (const [name, value] of Object.entries(tenant.headers)) request.headers.set(name, value);
		return fetch(request);
	};
	const given = { invoice: buildInvoice(tenant), idempotency_key: crypto.randomUUID() };
	const issue = async (given: object) => {
		const message = {
			jsonrpc: "2.0",
			id: 1,
			method: "tools/call",
			params: { name: "invoice_issue", arguments: given },
		};
		const request = new Request(`${BASE_URL}/mcp`, { method: "POST" });
		const answer = (await (await server.answer(request, message, send)).json()) as {
			result: { content: { text: string }[]; isError: boolean };
		};
		return answer.result;
	};
	const [first, again] = [await issue(given), await issue(given)];
	expect([first.isError, again]).toEqual([false, first]);
	expect(first.content[0]?.text).toContain('"status":"pending"');
	expect((await issue({ invoice: given.invoice })).isError).toBe(true);
});

test("a value of any size fits, and nothing in it ends the data", () => {
	const values = [
		"x".repeat(100_000),
		{ items: Array.from({ length: 500 }, () => ({ name: "</data>".repeat(100) })) },
		null,
		[],
	];
	for (const value of values) {
		const text = toDataText("x", value);
		expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
		expect(text.match(/<\/?data/g)).toEqual(["<data", "</data"]);
	}
});
