/** The road of refusals: what is full says so before it looks at anybody, and what is not full is asked as ever. */
import { afterAll, expect, test } from "bun:test";
import { routeRefusals } from "../../src/http/refuse-at-once";
import { NEEDS_BOTH, type Operation } from "../../src/operation";
import { Problem } from "../../src/problem";
import { newId } from "../../src/values";
import { makeOperation } from "../operation/support/call";

const full = new Problem("service-unavailable", { detail: "Full.", headers: { "retry-after": "1" } });
const state = { isFull: false, isDraining: false, refused: 0 };

const operation: Operation = {
	...makeOperation({ method: "POST", path: "/v1/things" }),
	credentials: NEEDS_BOTH,
	refuseAtOnce: () => (state.isFull ? full : undefined),
};
const server = Bun.serve({
	port: 0,
	hostname: "127.0.0.1",
	routes: routeRefusals({
		operations: [operation],
		baseUrl: "https://api.example",
		onRefused: () => {
			state.refused++;
		},
		takeOn: async (request) => new Response(`taken on: ${await request.text()}`),
		isDraining: () => state.isDraining,
	}),
	fetch: () => new Response("elsewhere"),
});
afterAll(() => server.stop(true));

const ask = (change: Partial<typeof state>, init: RequestInit = {}) => {
	Object.assign(state, { isFull: false, isDraining: false }, change);
	return fetch(new URL("/v1/things?x=1", server.url), { method: "POST", body: "{}", ...init });
};

test("what has room takes the long road, and so do other methods", async () => {
	expect(await (await ask({})).text()).toBe("taken on: {}");
	expect(await (await ask({ isFull: true }, { method: "GET", body: null })).text()).toBe("elsewhere");
});

test("what is full is a problem document with when to come again, and is counted", async () => {
	const before = state.refused;
	const answer = await ask({ isFull: true });
	expect(answer.status).toBe(503);
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "application/problem+json; charset=utf-8",
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
		"retry-after": "1",
	});
	expect(await answer.json()).toMatchObject({
		type: "https://api.example/errors/service-unavailable",
		...{ status: 503, detail: "Full.", instance: "/v1/things" },
		requestId: answer.headers.get("x-request-id") ?? "",
	});
	expect(state.refused).toBe(before + 1);
});

test("the caller's request id is kept", async () => {
	const requestId = newId();
	const answer = await ask({ isFull: true }, { headers: { "x-request-id": requestId } });
	expect(answer.headers.get("x-request-id")).toBe(requestId);
});

test("great bodies, bodies of unknown length and the time of draining are the long road's", async () => {
	expect(await (await ask({ isFull: true, isDraining: true })).text()).toStartWith("taken on");
	expect(await (await ask({ isFull: true }, { body: "x".repeat(300_000) })).text()).toStartWith("taken on");
	const pieces = new ReadableStream({
		start(stream) {
			stream.enqueue(new TextEncoder().encode("{}"));
			stream.close();
		},
	});
	expect(await (await ask({ isFull: true }, { body: pieces })).text()).toBe("taken on: {}");
});

test("only a POST without parameters in its path can refuse so", () => {
	const deps = { baseUrl: "", onRefused: () => undefined, takeOn: () => new Response(), isDraining: () => false };
	for (const change of [{ method: "GET" as const }, { path: "/v1/things/{id}" }, { path: "/v1/things:batch" }])
		expect(() => routeRefusals({ ...deps, operations: [{ ...operation, ...change }] })).toThrow(
			"cannot refuse at once",
		);
});
