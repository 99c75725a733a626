/** While nothing was ever loaded: the answer to everything is that it is unknown, and never that something is not there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type RegistryService, startRegistryService } from "../../support/registry-service";
import { until } from "../../support/until";

let service: RegistryService;
let officer: Readonly<Record<string, string>>;
let source: Bun.Server<undefined>;
beforeAll(async () => {
	source = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("oops", { status: 500 }) });
	service = await startRegistryService(`http://127.0.0.1:${source.port}/rnc.zip`);
	officer = await service.createOfficer();
}, 120_000);
afterAll(async () => {
	await service?.stop();
	await source?.stop(true);
}, 120_000);

const ask = (path: string, body?: unknown) =>
	fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: { ...officer, "content-type": "application/json" },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});

describe("503 with Retry-After, for no cache to keep:", () => {
	test.each<{ name: string; path: string; body?: unknown }>([
		{ name: "a look-up", path: "/v1/authority/document/990000001" },
		{ name: "a look-up of an unknown number", path: "/v1/authority/document/999999999" },
		{ name: "a search", path: "/v1/authority/document:search?q=990&field=document" },
		{ name: "a search by name", path: "/v1/authority/document:search?q=ferreteria&field=name" },
		{ name: "a smart search", path: "/v1/authority/document:search?q=ferreteria&field=name&mode=smart" },
		{ name: "a suggestion", path: "/v1/authority/document:suggest?q=fe" },
		{ name: "a batch", path: "/v1/authority/document:batch", body: { documents: ["990000001"] } },
		{ name: "a match", path: "/v1/authority/document:match", body: { names: ["Ferretería El Progreso"] } },
		{ name: "the changes", path: "/v1/authority/registry/changes" },
	])("$name", async ({ path, body }) => {
		const answer = await ask(path, body);
		expect(answer.status).toBe(503);
		expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(await answer.json()).toMatchObject({ type: `${service.url}/errors/registry-unavailable`, status: 503 });
	});
});

test("an invalid request is refused first", async () => {
	expect((await ask("/v1/authority/document/123")).status).toBe(400);
	expect((await ask("/v1/authority/document:search?q=a&field=name")).status).toBe(400);
	expect((await ask("/v1/authority/documentXYZ?q=abc&field=name")).status).toBe(404);
	expect((await fetch(`${service.url}/v1/authority/document/990000001`)).status).toBe(401);
});

test("the status reports that nothing was ingested and why", async () => {
	let status: Record<string, unknown> = {};
	await until(async () => {
		const answer = await ask("/v1/authority/registry/status");
		expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
		status = (await answer.json()) as Record<string, unknown>;
		return status.last_attempt !== null;
	});
	expect(status).toEqual({
		...{ last_ingest: null, record_count: 0, source_etag: null, source_sha256: null },
		...{ age_seconds: null, stale: true, run_id: null, added: null, changed: null, removed: null, suppressed: 0 },
		next_scheduled: expect.stringMatching(/T04:00:00\.000Z$/),
		last_attempt: { at: expect.any(String), result: "failed" },
	} as never);
});

test("an erasure is taken, and the process is not ready", async () => {
	const body = {
		...{ legal_basis: "data-error", request_reference: "X-1", requested_by: "dpo@example.do", reason: "Test" },
	};
	expect((await ask("/v1/authority/document/990000001:purge", body)).status).toBe(200);
	expect((await ask("/readyz")).status).toBe(503);
	expect((await ask("/livez")).status).toBe(200);
});
