/** A deprecated operation over real HTTP, before and after its sunset. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createOpenApi } from "../../../src/api/openapi";
import { type App, createApp } from "../../../src/api/server/app";
import { json, NEEDS_KEY, type Operation } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { deprecatedOperation } from "../changelog/support/sample";
import { answersOf } from "../support/answers-of";

const handled: string[] = [];
const operations: Operation[] = [
	{ ...deprecatedOperation, credentials: NEEDS_KEY },
	{
		...deprecatedOperation,
		id: "getFast",
		path: "/v1/fast/{id}",
		credentials: NEEDS_KEY,
		answerAtOnce: () => ({ body: new TextEncoder().encode("{}"), headers: new Headers() }),
	},
	{
		...deprecatedOperation,
		id: "getNew",
		path: "/v1/new/{id}",
		deprecation: undefined,
		handle: () => json(200, { old: false }),
	} as Operation,
];

let now = new Date("2027-01-01T00:00:00Z");
let url = "";
let stop: () => Promise<void>;
beforeAll(() => {
	let app: App | undefined;
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: (request, self) => app?.fetch(request, self) ?? new Response(null, { status: 503 }),
	});
	url = `http://127.0.0.1:${server.port}`;
	app = createApp({
		watch: { isSilent: () => false, onSilent: () => () => undefined },
		operations,
		authenticate: async (request) => {
			handled.push(request.url);
			if (request.headers.get("x-api-key") !== "right") throw new Problem("unauthorised");
			return { environment: "sandbox", plan: "free", ownerId: null, keyId: "key", scopes: new Set() };
		},
		recognise: () => ({ environment: "sandbox", plan: "free", ownerId: null, keyId: "key", scopes: new Set() }),
		baseUrl: url,
		clock: { now: () => now },
		log: createLog("silent", "test"),
		metrics: createMetrics(),
		isDraining: () => false,
	});
	server.reload({ fetch: app.fetch, routes: app.routes });
	stop = () => server.stop(true);
});
afterAll(() => stop());

const key = { "x-api-key": "right" };
const found = (answer: Response) => ["deprecation", "sunset", "link"].map((name) => answer.headers.get(name));
const expected = () => [
	"@1796083200",
	"Wed, 31 Mar 2027 23:59:59 GMT",
	`<${url}/changelog#old-runs>; rel="deprecation"; type="text/html", <${url}/changelog#old-runs>; rel="sunset"; type="text/html", ` +
		`<${url}/v1/new/%7Bid%7D>; rel="successor-version"`,
];

test("a deprecated operation works until its sunset and declares dates and replacement", async () => {
	now = new Date("2027-03-31T23:59:59.999Z");
	const answer = await fetch(`${url}/v1/old/1`, { headers: key });
	expect(answer.status).toBe(200);
	expect(found(answer)).toEqual(expected());
});

test("a refusal has the headers too, and so has an operation with a fast path", async () => {
	now = new Date("2027-01-01T00:00:00Z");
	const refused = await fetch(`${url}/v1/old/1`);
	expect(refused.status).toBe(401);
	expect(found(refused)).toEqual(expected());
	const fast = await fetch(`${url}/v1/fast/1`, { headers: key });
	expect(fast.status).toBe(200);
	expect(found(fast)).toEqual(expected());
});

test("after its sunset it returns 410 before credentials are checked", async () => {
	now = new Date("2027-04-01T00:00:00Z");
	handled.length = 0;
	for (const [method, headers] of [
		["GET", key],
		["GET", {}],
		["HEAD", key],
	] as const) {
		const answer = await fetch(`${url}/v1/old/1`, { method, headers });
		expect(answer.status).toBe(410);
		expect(found(answer)).toEqual(expected());
		if (method === "HEAD") continue;
		expect(await answer.json()).toMatchObject({
			type: `${url}/errors/endpoint-retired`,
			status: 410,
			sunsetAt: "2027-03-31",
			replacement: "/v1/new/{id}",
		});
	}
	expect(handled).toEqual([]);
});

test("other methods of the path and other operations are unaffected", async () => {
	expect((await fetch(`${url}/v1/old/1`, { method: "POST" })).status).toBe(405);
	const answer = await fetch(`${url}/v1/new/1`, { headers: key });
	expect(answer.status).toBe(200);
	expect(found(answer)).toEqual([null, null, null]);
});

test("the OpenAPI document declares it with its headers and 410", async () => {
	const document = await createOpenApi(operations, { baseUrl: url });
	const { paths } = document;
	const old = paths["/v1/old/{id}"]?.get;
	expect(old?.deprecated).toBe(true);
	expect(Object.keys(answersOf(document, old)["200"]?.headers ?? {})).toContain("Sunset");
	expect(Object.keys(answersOf(document, old)["410"]?.content?.["application/problem+json"]?.examples ?? {})).toEqual([
		"endpoint-retired",
	]);
	expect(paths["/v1/new/{id}"]?.get).not.toHaveProperty("deprecated");
});
