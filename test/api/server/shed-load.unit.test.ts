/** Load shedding: an overloaded operation refuses before it checks anything; otherwise it works as usual. */
import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { createShedRoutes } from "../../../src/api/server/shed-load";
import { NEEDS_BOTH, type Operation } from "../../../src/platform/operation";
import { msg, Problem } from "../../../src/platform/problem";
import { newId } from "../../../src/platform/values";
import { makeOperation } from "../../platform/operation/support/call";

const full = new Problem("service-unavailable", { detail: msg`Full.`, headers: { "retry-after": "1" } });
const state = { isFull: false, isDraining: false, refused: 0 };

const operation: Operation = {
	...makeOperation({ method: "POST", path: "/v1/things" }),
	credentials: NEEDS_BOTH,
	refuseAtOnce: () => (state.isFull ? full : undefined),
};
const server = Bun.serve({
	port: 0,
	hostname: "127.0.0.1",
	routes: createShedRoutes({
		operations: [operation],
		baseUrl: "https://api.example",
		onRefused: () => {
			state.refused++;
		},
		slowPath: async (request) => new Response(`taken on: ${await request.text()}`),
		isDraining: () => state.isDraining,
	}),
	fetch: () => new Response("elsewhere"),
});
afterAll(() => server.stop(true));

const ask = (change: Partial<typeof state>, init: RequestInit = {}) => {
	Object.assign(state, { isFull: false, isDraining: false }, change);
	return fetch(new URL("/v1/things?x=1", server.url), { method: "POST", body: "{}", ...init });
};

test("without overload, and for other methods, the slow path is used", async () => {
	expect(await (await ask({})).text()).toBe("taken on: {}");
	expect(await (await ask({ isFull: true }, { method: "GET", body: null })).text()).toBe("elsewhere");
});

test("an overloaded operation gets a counted problem document with Retry-After", async () => {
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

test("a draining service uses the slow path", async () => {
	expect(await (await ask({ isFull: true, isDraining: true })).text()).toStartWith("taken on");
});

const body = "x".repeat(3_000_000);
const head = "POST /v1/things HTTP/1.1\r\nHost: x\r\n";
test.each([
	["with its head", [`${head}Content-Length: 9\r\n\r\n{"a":"b"}`]],
	["after its head", [`${head}Content-Length: 9\r\n\r\n`, `{"a":"b"}`]],
	["in pieces", [`${head}Content-Length: 9\r\n\r\n{"`, `a":`, `"b"}`]],
	["without its length", [`${head}Transfer-Encoding: chunked\r\n\r\n`, "4\r\n{}", "{}\r\n0\r\n\r\n"]],
	["as a great one", [`${head}Content-Length: ${body.length}\r\n\r\n`, body]],
])("a body that comes %s is thrown away, and the connection stays good", async (_, pieces) => {
	Object.assign(state, { isFull: true, isDraining: false });
	const before = state.refused;
	await using caller = await openCaller();
	for (const [i, piece] of pieces.entries()) {
		await caller.send(piece);
		// The refusal comes before the body is complete.
		if (i === 0) await caller.untilAnswers(1);
	}
	await caller.send(`${head}Content-Length: 2\r\n\r\n{}`);
	await caller.untilAnswers(2);
	expect(state.refused).toBe(before + 2);
	state.isFull = false;
	await caller.send(`${head}Content-Length: 2\r\n\r\n{}`);
	await caller.untilAnswers(3);
	expect(caller.statuses()).toEqual([503, 503, 200]);
	expect(caller.text()).toEndWith("taken on: {}");
});

/** A connection that is written to piece by piece. Throws when the other side closes it. */
async function openCaller() {
	const socket = connect({ host: "127.0.0.1", port: server.port ?? 0, noDelay: true });
	await once(socket, "connect");
	let text = "";
	const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
	return {
		statuses,
		text: () => text,
		send: (piece: string) =>
			new Promise<void>((done, fail) => socket.write(piece, (error) => (error ? fail(error) : done()))),
		async untilAnswers(count: number): Promise<void> {
			// The end of an answer: each is a document or this text.
			while (statuses().length < count || !/(?:\}|\{\})$/.test(text)) {
				const [piece] = (await Promise.race([once(socket, "data"), once(socket, "close").then(() => [undefined])])) as [
					Buffer | undefined,
				];
				if (piece === undefined) throw new Error(`closed after ${text}`);
				text += piece.toString();
			}
		},
		[Symbol.asyncDispose]: async () => {
			socket.destroy();
		},
	};
}

test("only a POST without path parameters can shed load", () => {
	const deps = { baseUrl: "", onRefused: () => undefined, slowPath: () => new Response(), isDraining: () => false };
	for (const change of [{ method: "GET" as const }, { path: "/v1/things/{id}" }, { path: "/v1/things:batch" }])
		expect(() => createShedRoutes({ ...deps, operations: [{ ...operation, ...change }] })).toThrow("cannot shed load");
});
