import { afterAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { createApp, type ServerDeps } from "../../../src/api/server/app";
import { createDeadline } from "../../../src/api/server/invoke-operation";
import { connect } from "../../../src/platform/database";
import { json, NEEDS_BOTH, NEEDS_KEY, type Operation, type Principal, readJson } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { createMetrics, mergeMetrics } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { makeOperation, makeRule } from "../../platform/operation/support/call";
import { until } from "../../support/until";
import { captureLog } from "../support/log";

const BASE_URL = "https://api.example";
const JSON_HEADERS = { "content-type": "application/json" };
const caller: Principal = {
	environment: "sandbox",
	plan: "free",
	ownerId: newId(),
	tenantId: newId(),
	keyId: newId(),
	scopes: new Set(["invoices:read"]),
};

const away = connect({ url: "postgres://unused@127.0.0.1:1/nothing", name: "away", connectionsMax: 1 });
afterAll(() => away.end({ timeout: 0 }));

const gate = Promise.withResolvers<void>();
const operations: readonly Operation[] = [
	makeOperation({ id: "getThing", method: "GET", path: "/v1/things/{id}", handle: ({ params }) => json(200, params) }),
	makeOperation({
		id: "getPlenty",
		method: "GET",
		path: "/v1/plenty/{id}",
		isPlenty: true,
		handle: ({ params }) => {
			if (params.id === "none") throw new Problem("not-found");
			return json(200, params);
		},
	}),
	makeOperation({ id: "deleteThing", method: "DELETE", path: "/v1/things/{id}" }),
	makeOperation({
		id: "searchThings",
		method: "GET",
		path: "/v1/thing:search",
		handle: () => json(200, { found: "search" }),
	}),
	makeOperation({
		id: "purgeThing",
		method: "POST",
		path: "/v1/things/{id}:purge",
		handle: ({ params }) => json(200, { purged: params.id }),
	}),
	makeOperation({
		id: "postThing",
		method: "POST",
		path: "/v1/things",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		body: makeRule(),
		handle: async (call) => json(201, await readJson(call)),
	}),
	makeOperation({
		id: "whoAmI",
		method: "GET",
		path: "/v1/me",
		credentials: NEEDS_KEY,
		scope: "invoices:read",
		handle: ({ principal, requestId, remoteAddress }) =>
			json(200, { keyId: principal?.keyId, requestId, remoteAddress }),
	}),
	makeOperation({
		id: "echo",
		method: "POST",
		path: "/v1/echo",
		body: makeRule(),
		handle: async (call) => json(200, await readJson(call)),
	}),
	makeOperation({
		id: "defect",
		method: "GET",
		path: "/v1/defect",
		handle: () => {
			throw new Error("select secrets from /srv/sello");
		},
	}),
	makeOperation({
		id: "database",
		method: "GET",
		path: "/v1/database",
		handle: async () => json(200, await away`select 1`),
	}),
	makeOperation({
		id: "slow",
		method: "GET",
		path: "/v1/slow",
		handle: async () => {
			await gate.promise;
			return json(200, {});
		},
	}),
	makeOperation({
		id: "xml",
		method: "GET",
		path: "/v1/xml",
		answers: { 200: { description: "XML.", mediaType: "application/xml", schema: Type.String() } },
		handle: () => new Response("<a/>", { headers: { "content-type": "application/xml" } }),
	}),
];

type Guard = ServerDeps["authenticate"];
/** The guard of these tests: the key "right" belongs to the caller, any other is refused. */
const guard: Guard = async (request, credentials) => {
	if (credentials.key === "ignored") return undefined;
	if (request.headers.get("x-api-key") !== "right")
		throw new Problem("unauthorised", { headers: { "www-authenticate": "Bearer" } });
	return caller;
};

function open(change: Partial<ServerDeps> = {}) {
	const { log, lines } = captureLog();
	const metrics = createMetrics();
	const app = createApp({
		watch: { isSilent: () => false, onSilent: () => () => undefined },
		operations,
		authenticate: guard,
		recognise: (apiKey) => (apiKey === "right" ? caller : undefined),
		baseUrl: BASE_URL,
		clock: systemClock,
		log,
		metrics,
		isDraining: () => false,
		...change,
	});
	const send = async (path: string, init: RequestInit = {}) => app.fetch(new Request(`http://sello.test${path}`, init));
	return { app, lines, metrics, send };
}

const { send, lines, app, metrics } = open();
const slugOf = async (response: Response) =>
	((await response.json()) as { type: string }).type.slice(`${BASE_URL}/errors/`.length);
const answer = async (path: string, init: RequestInit = {}) => {
	const response = await send(path, init);
	return [response.status, response.status < 400 ? await response.json() : await slugOf(response)];
};

/** A body that fails the request when it is read. */
function untouchable() {
	const seen = { isRead: false };
	const stream = new ReadableStream<Uint8Array>(
		{
			pull() {
				seen.isRead = true;
				throw new Error("the body was read");
			},
		},
		{ highWaterMark: 0 },
	);
	return { stream, seen };
}

describe("routing", () => {
	test("finds operations by exact path, custom verbs included", async () => {
		expect(await answer("/v1/things/7")).toEqual([200, { id: "7" }]);
		expect(await answer("/v1/things/a%2Fb%20c")).toEqual([200, { id: "a/b c" }]);
		expect(await answer("/v1/thing:search")).toEqual([200, { found: "search" }]);
		expect(await answer("/v1/thing%3Asearch?q=x")).toEqual([200, { found: "search" }]);
		expect(await answer("/v1/things/7:purge", { method: "POST" })).toEqual([200, { purged: "7" }]);
		expect(await answer("/v1/things/7%3Apurge", { method: "POST" })).toEqual([200, { purged: "7" }]);
	});

	test("does not match similar paths", async () => {
		for (const path of [
			"/",
			"/v1",
			"/v1/thingXYZ",
			"/v1/thing",
			"/v1/thing:searchX",
			"/v1/things/7/",
			"/v1/things/%zz",
			"//v1/things/7",
		]) {
			expect([path, await answer(path)]).toEqual([path, [404, "not-found"]]);
		}
	});

	test("lists the allowed methods", async () => {
		const response = await send("/v1/things/7", { method: "PATCH" });
		expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, DELETE"]);
		expect(await slugOf(response)).toBe("method-not-allowed");
		const erase = await send("/v1/things/7", { method: "POST" });
		expect([erase.status, erase.headers.get("allow")]).toEqual([405, "GET, HEAD, DELETE"]);
		for (const method of ["OPTIONS", "PROPFIND"]) expect((await send("/v1/things/7", { method })).status).toBe(405);
		const head = await send("/v1/things/7", { method: "HEAD" });
		expect([head.status, await head.text()]).toEqual([200, ""]);
		const { length } = await (await send("/v1/things/7")).text();
		expect([length > 0, head.headers.get("content-length")]).toEqual([true, String(length)]);
	});

	test("refuses an address of more than 8 KiB", async () => {
		const room = 8 * 1_024 - "http://sello.test/v1/things/".length;
		expect((await send(`/v1/things/${"a".repeat(room)}`)).status).toBe(200);
		const response = await send(`/v1/things/${"a".repeat(room + 1)}`);
		expect(response.status).toBe(413);
		expect(await response.json()).toMatchObject({ type: `${BASE_URL}/errors/payload-too-large`, limitBytes: 8_192 });
	});
});

describe("the order of refusals", () => {
	const body = JSON.stringify({ name: "x" });
	const right = { ...JSON_HEADERS, "x-api-key": "right" };
	const wrong = { ...JSON_HEADERS, "x-api-key": "wrong", accept: "text/html" };

	test("an unknown path comes before method, credential, scope and Accept", async () => {
		expect(await answer("/v1/nothing", { method: "PATCH", headers: wrong })).toEqual([404, "not-found"]);
		expect(await answer("/v1/things", { method: "PATCH", headers: wrong })).toEqual([405, "method-not-allowed"]);
		expect(await answer("/v1/things", { method: "POST", headers: wrong, body })).toEqual([401, "unauthorised"]);
		expect(await answer("/v1/things", { method: "POST", headers: { ...right, accept: "text/html" }, body })).toEqual([
			403,
			"insufficient-scope",
		]);
		expect(await answer("/v1/me", { headers: { ...right, accept: "text/html" } })).toEqual([406, "not-acceptable"]);
	});

	test("the guard's headers reach the caller", async () => {
		expect((await send("/v1/me")).headers.get("www-authenticate")).toBe("Bearer");
		const forbidden = await send("/v1/things", { method: "POST", headers: right, body });
		expect(await forbidden.json()).toMatchObject({ status: 403, requiredScopes: ["invoices:write"] });
	});

	test("no refusal reads the body", async () => {
		for (const [path, method, headers, status] of [
			["/v1/nothing", "POST", right, 404],
			["/v1/things", "PUT", right, 405],
			["/v1/things", "POST", wrong, 401],
			["/v1/things", "POST", right, 403],
			["/v1/echo", "POST", { ...JSON_HEADERS, accept: "text/html" }, 406],
			["/v1/echo", "POST", { ...JSON_HEADERS, "content-length": "9999" }, 413],
		] as const) {
			const { stream, seen } = untouchable();
			const response = await send(path, { method, headers, body: stream });
			expect([path, method, response.status, seen.isRead]).toEqual([path, method, status, false]);
		}
	});

	test("Accept is judged by what the operation offers", async () => {
		expect((await send("/v1/xml", { headers: { accept: "application/xml" } })).status).toBe(200);
		expect((await send("/v1/things/7", { headers: { accept: "application/xml" } })).status).toBe(406);
	});
});

describe("a request's id", () => {
	test("is the caller's own when it has the form of one", async () => {
		for (const id of ["12345678", "order_77.retry-2", "a".repeat(64)]) {
			expect((await send("/v1/things/7", { headers: { "x-request-id": id } })).headers.get("x-request-id")).toBe(id);
		}
	});

	test("is a new one otherwise", async () => {
		const seen = new Set<string>();
		for (const id of [
			undefined,
			"",
			"short",
			"a".repeat(65),
			"with space",
			'quote"d-id',
			"<script>1234",
			"12345678, 12345678",
		]) {
			const response = await send("/v1/things/7", { headers: id === undefined ? {} : { "x-request-id": id } });
			const answered = response.headers.get("x-request-id") ?? "";
			expect(answered).toMatch(/^[0-9a-f-]{36}$/);
			seen.add(answered);
		}
		expect(seen.size).toBe(8);
	});

	test("is the same in the header, in the problem, in the call and in the log", async () => {
		const headers = { "x-request-id": "order-0001", "x-api-key": "right" };
		expect(await (await send("/v1/me", { headers })).json()).toMatchObject({ requestId: "order-0001" });
		const problem = await send("/v1/nothing", { headers });
		expect([problem.headers.get("x-request-id"), await problem.json()]).toMatchObject([
			"order-0001",
			{ requestId: "order-0001" },
		]);
		expect(lines.filter((line) => line.requestId === "order-0001" && line.msg === "request")).toHaveLength(2);
	});
});

describe("the log line of a request", () => {
	const levelOf = (requestId: string) => lines.find((line) => line.requestId === requestId)?.level;

	test("is at info, except for successful answers of frequent operations", async () => {
		const ask = (path: string, requestId: string) =>
			send(path, { headers: { "x-request-id": requestId, "x-api-key": "right" } });
		await ask("/v1/things/7", "line-of-thing");
		await ask("/v1/plenty/7", "line-of-plenty");
		await ask("/v1/plenty/none", "line-of-no-plenty");
		expect(["line-of-thing", "line-of-plenty", "line-of-no-plenty"].map(levelOf)).toEqual(["info", "debug", "info"]);
	});
});

describe("a problem", () => {
	test("is a document of RFC 9457 whose status is that of the answer", async () => {
		const response = await send("/v1/nothing?q=secret");
		expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
		expect(response.headers.get("x-content-type-options")).toBe("nosniff");
		expect(await response.json()).toEqual({
			type: `${BASE_URL}/errors/not-found`,
			title: "Not found",
			status: 404,
			detail: "There is no resource at this address that you can access.",
			instance: "/v1/nothing",
			requestId: response.headers.get("x-request-id"),
		});
	});

	test("of a body is raised by the operation itself", async () => {
		const post = (body: string) => answer("/v1/echo", { method: "POST", headers: JSON_HEADERS, body });
		expect(await post('{"name":"x"}')).toEqual([200, { name: "x" }]);
		expect(await post("{")).toEqual([400, "malformed-json"]);
		expect(await post("")).toEqual([400, "malformed-json"]);
		expect(await post("{}")).toEqual([400, "validation-error"]);
		expect(
			await answer("/v1/echo", {
				method: "POST",
				headers: { "content-type": "application/x-www-form-urlencoded" },
				body: "name=x",
			}),
		).toEqual([415, "unsupported-media-type"]);
	});

	test("hides a defect from the caller and keeps it for the log", async () => {
		const response = await send("/v1/defect");
		const text = await response.text();
		expect(response.status).toBe(500);
		expect(JSON.parse(text)).toMatchObject({ type: `${BASE_URL}/errors/internal-error`, instance: "/v1/defect" });
		for (const word of ["select", "secrets", "/srv", "Error:", "at ", ".ts"]) expect(text).not.toContain(word);
		const line = lines.find((one) => one.level === "error" && one.requestId === response.headers.get("x-request-id"));
		expect(line?.err).toMatchObject({ message: "select secrets from /srv/sello" });
	});

	test("is service-unavailable while the database cannot be reached", async () => {
		const response = await send("/v1/database");
		expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
		expect(await slugOf(response)).toBe("service-unavailable");
	});

	test("is an internal error when the guard itself breaks", async () => {
		const broken = open({ authenticate: () => Promise.reject(new TypeError("guard")) });
		const response = await broken.send("/v1/me");
		expect([response.status, await slugOf(response)]).toEqual([500, "internal-error"]);
	});
});

describe("what is counted and logged", () => {
	test("every request has one line with operation and caller, without its URL", async () => {
		const own = open();
		await own.send("/v1/things/00112345678?document=00112345678");
		await own.send("/v1/me", { headers: { "x-api-key": "right" } });
		await own.send("/v1/me", { headers: { "x-api-key": "wrong" } });
		await own.send("/v1/nothing/00112345678");
		expect(
			own.lines.map(({ method, operation, status, tenantId, keyId }) => ({
				method,
				operation,
				status,
				tenantId,
				keyId,
			})),
		).toEqual([
			{ method: "GET", operation: "getThing", status: 200, tenantId: undefined, keyId: undefined },
			{ method: "GET", operation: "whoAmI", status: 200, tenantId: caller.tenantId, keyId: caller.keyId },
			{ method: "GET", operation: "whoAmI", status: 401, tenantId: undefined, keyId: undefined },
			{ method: "GET", operation: "none", status: 404, tenantId: undefined, keyId: undefined },
		]);
		expect(JSON.stringify(own.lines)).not.toContain("00112345678");
		expect(JSON.stringify(own.lines)).not.toContain("right");
		const text = await mergeMetrics([await own.metrics.share()]);
		expect(text).toContain('sello_http_requests_total{operation="whoAmI",status="401"} 1');
		expect(text).toContain('sello_http_request_seconds_count{operation="getThing"} 1');
	});

	test("requests in flight are counted, including refused and unrouted ones", async () => {
		const slow = send("/v1/slow");
		await until(() => app.inFlight() === 1);
		for (const path of ["/v1/nothing", "/v1/defect", "/v1/me", "/%76%31/things/7", `/${"a".repeat(9_000)}`])
			await send(path);
		expect(app.inFlight()).toBe(1);
		gate.resolve();
		expect((await slow).status).toBe(200);
		expect(app.inFlight()).toBe(0);
		expect(await mergeMetrics([await metrics.share()])).toContain('operation="slow"');
	});
});

describe("over a real connection", () => {
	test("the client's address reaches operations; a draining service closes connections", async () => {
		let isDraining = false;
		const served = open({ isDraining: () => isDraining });
		using server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (request, self) => served.app.fetch(request, self),
		});
		const me = async () => fetch(new URL("/v1/me", server.url), { headers: { "x-api-key": "right" } });
		const open1 = await me();
		expect(await open1.json()).toMatchObject({ remoteAddress: "127.0.0.1" });
		expect(open1.headers.get("connection")).not.toBe("close");
		isDraining = true;
		expect((await me()).headers.get("connection")).toBe("close");
		expect((await fetch(new URL("/v1/nothing", server.url))).headers.get("connection")).toBe("close");
	});

	test("a chunked body without end is cut at the limit and refused with a problem", async () => {
		const served = open();
		using server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (request, self) => served.app.fetch(request, self),
		});
		let sent = 0;
		const body = new ReadableStream<Uint8Array>({
			async pull(controller) {
				await Bun.sleep(0);
				sent += 512;
				if (sent > 64 * 1_024 * 1_024) controller.close();
				else controller.enqueue(new Uint8Array(512).fill(0x20));
			},
		});
		const response = await fetch(new URL("/v1/echo", server.url), { method: "POST", headers: JSON_HEADERS, body });
		expect(response.status).toBe(413);
		expect(await response.json()).toMatchObject({ type: `${BASE_URL}/errors/payload-too-large`, limitBytes: 1_024 });
		expect(sent).toBeLessThan(16 * 1_024 * 1_024);
	});
});

describe("while the database is silent", () => {
	/** Never answers, like an operation whose statement gets no response. */
	const waiting = makeOperation({
		id: "waiting",
		method: "GET",
		path: "/v1/waiting",
		handle: () => new Promise(() => {}),
	});
	const tenants = makeOperation({ id: "tenants", method: "GET", path: "/v1/tenants", credentials: NEEDS_BOTH });
	const found = new Set<() => void>();
	const onSilent = (notify: () => void) => {
		found.add(notify);
		return () => found.delete(notify);
	};

	test("waiting requests are answered when it falls silent", async () => {
		const { send: ask } = open({ operations: [waiting], watch: { isSilent: () => false, onSilent } });
		const answered = ask("/v1/waiting", { headers: { "x-api-key": "right" } });
		await until(() => found.size > 0);
		for (const notify of found) notify();
		const response = await answered;
		expect({ status: response.status, slug: await slugOf(response) }).toEqual({
			status: 503,
			slug: "service-unavailable",
		});
	});

	test("a request that waits too long gets 503 with Retry-After", async () => {
		const { send: ask } = open({ operations: [waiting], deadline: createDeadline(40, 5) });
		const response = await ask("/v1/waiting", { headers: { "x-api-key": "right" } });
		expect({ status: response.status, slug: await slugOf(response) }).toEqual({
			status: 503,
			slug: "service-unavailable",
		});
		expect(response.headers.get("retry-after")).toBe("5");
	});

	test("operations of tenants are refused at once, others continue", async () => {
		const watch = { isSilent: () => true, onSilent };
		const { send: ask } = open({ operations: [...operations, tenants], watch });
		const headers = { "x-api-key": "right" };
		expect((await ask("/v1/tenants", { headers })).status).toBe(503);
		expect((await ask("/v1/xml", { headers })).status).toBe(200);
	});
});
