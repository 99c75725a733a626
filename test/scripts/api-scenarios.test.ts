/** The API scenarios themselves: they find broken answers, accept good ones and generate what they claim. */
import { expect, test } from "bun:test";
import { aim } from "../../scripts/scenarios/api/aim";
import { expectedStatus, promisedNeeds, type State } from "../../scripts/scenarios/api/credential-matrix";
import { type ApiOperation, readDescription } from "../../scripts/scenarios/api/description";
import { listJsonCases } from "../../scripts/scenarios/api/json-corpus";
import { checkAnswer, type Expectation, LEAK_WORDS } from "../../scripts/scenarios/api/oracle";
import { createValueMaker } from "../../scripts/scenarios/api/random-value";
import { HIDDEN_ID, listRawCases, playRawCase } from "../../scripts/scenarios/api/raw-cases";
import { openWire } from "../../scripts/scenarios/api/wire";
import { createOpenApi } from "../../src/api/openapi";
import { BASE_URL, declaredOperations } from "../api/support/declared-operations";
import { createChance } from "../support/chance";
import { describeViolation, findSchemaViolations } from "../support/json-schema";

const api = readDescription(
	JSON.parse(JSON.stringify(await createOpenApi(declaredOperations(), { baseUrl: BASE_URL }))),
);
const operationOf = (name: string): ApiOperation => {
	const found = api.operations.find((one) => one.name === name);
	if (!found) throw new Error(`${name} is not described`);
	return found;
};
const look = operationOf("GET /v1/authority/document/{document}");

type Parts = { status?: number; headers?: Record<string, string>; problem?: Record<string, unknown> };

/** A correct refusal with the given changes. */
function judgeRefusal({ status = 404, headers = {}, problem = {} }: Parts, expected: Expectation = {}): string[] {
	const body = JSON.stringify({
		...{ type: `${BASE_URL}/errors/document-not-found`, title: "Document not found", status, detail: "No entry." },
		...{ instance: "/v1/authority/document/1", requestId: "r-12345678", ...problem },
	});
	const good = { "content-type": "application/problem+json; charset=utf-8", "x-request-id": "r-12345678" };
	return checkAnswer(api, look, { status, headers: { ...good, ...headers }, body }, expected);
}

test("a refusal as documented is no violation", () => {
	expect(judgeRefusal({})).toEqual([]);
});

test.each<[string, Parts, string]>([
	["a slug that is not documented", { problem: { type: `${BASE_URL}/errors/not-found` } }, "not documented"],
	["a status that is not documented", { status: 409 }, "not documented"],
	["another status in the body", { problem: { status: 400 } }, "the body says 400"],
	["a word of the inside", { problem: { detail: "at node_modules/x" } }, "reveals internals"],
	["no type", { problem: { type: undefined } }, "lacks type"],
	["a detail that is no text", { problem: { detail: 5 } }, "/detail is not of type string"],
	["plain JSON", { headers: { "content-type": "application/json" } }, "comes as application/json"],
	["another request's id", { headers: { "x-request-id": "r-87654321" } }, "different requests"],
	[
		"401 without a challenge",
		{ status: 401, problem: { type: `${BASE_URL}/errors/unauthorised` } },
		"WWW-Authenticate",
	],
	[
		"503 without Retry-After",
		{ status: 503, problem: { type: `${BASE_URL}/errors/service-unavailable` } },
		"Retry-After",
	],
	["500", { status: 500, problem: { type: `${BASE_URL}/errors/internal-error` } }, "500 for a request alone"],
])("a refusal with %s is found", (_, parts, sentence) => {
	expect(judgeRefusal(parts).join("; ")).toContain(sentence);
});

test("valid JSON that is called malformed is found", () => {
	const malformed = { status: 400, problem: { type: `${BASE_URL}/errors/malformed-json` } };
	expect(judgeRefusal(malformed, { isJson: true })).toContain("good JSON is called malformed");
	const nowhere = { problem: { type: `${BASE_URL}/errors/not-found` } };
	expect(judgeRefusal(nowhere, { mayBeElsewhere: true })).toEqual([]);
});

test("an answer must be documented and fit its media type and schema", () => {
	const health = operationOf("GET /livez");
	const headers = { "content-type": "application/json; charset=utf-8", "x-request-id": "r-12345678" };
	const judge = (body: string, more: Record<string, string> = {}, status = 200, expected: Expectation = {}) =>
		checkAnswer(api, health, { status, headers: { ...headers, ...more }, body }, expected).join("; ");
	expect(judge('{"status":"ok"}')).toBe("");
	expect(judge("{}")).toContain("lacks status");
	expect(judge("<a/>")).toContain("no JSON");
	expect(judge('{"status":"ok"}', { "content-type": "text/html" })).toContain("media type");
	expect(judge('{"status":"ok"}', {}, 201)).toContain("201 is not documented");
	expect(judge('{"status":"ok"}', {}, 200, { mustBeRefused: true })).toContain("must be refused");
	expect(judge('{"status":"ok"}', { "x-request-id": "" })).toContain("X-Request-Id");
	expect(checkAnswer(api, health, { status: 0, why: "the connection ended" })).toEqual(["the connection ended"]);
});

test("at least thirty internal words count as leaks", () => {
	expect(new Set(LEAK_WORDS).size).toBeGreaterThanOrEqual(30);
});

test("random values fit their schemas for every body of the service", () => {
	const make = createValueMaker(api, 7);
	const chance = createChance(7);
	for (const { name, body } of api.operations) {
		for (const { schema } of body?.content.values() ?? []) {
			if (!schema) continue;
			for (let i = 0; i < 20; i++) {
				const value = make(schema, chance);
				expect({
					name,
					value,
					faults: findSchemaViolations(schema, value, api.resolve).map(describeViolation),
				}).toEqual({ name, value, faults: [] });
			}
		}
	}
});

test("the corpus is large, has no duplicates and agrees with a JSON parser", () => {
	const cases = listJsonCases();
	expect(cases.length).toBeGreaterThanOrEqual(300);
	const utf8 = new TextDecoder("utf-8", { fatal: true });
	const parses = (bytes: Buffer) => {
		try {
			JSON.parse(utf8.decode(bytes));
			return true;
		} catch {
			return false;
		}
	};
	// JSON that is refused nevertheless: invalid Unicode, repeated members, too deep.
	const strict = /^(unfit text|duplicate member|depth):/;
	const wrong = cases.filter(
		({ name, bytes, verdict }) => verdict !== "either" && !strict.test(name) && parses(bytes) !== (verdict === "json"),
	);
	expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("the same seed gives the same requests, for every operation", () => {
	const caller = {
		...{ rnc: "990000009", name: "X", tenantId: "t", clientId: "c", clientSecret: "s", apiKey: "k", token: "t" },
		headers: { authorization: "Bearer t" },
	};
	const shots = (seed: number) => {
		const chance = createChance(seed);
		const make = createValueMaker(api, seed);
		const ids = ["01920000-0000-7000-8000-000000000000"];
		return api.operations.map(
			(operation) => aim({ operation, caller, chance, make, ids, rncs: ["990000010"] }).request,
		);
	};
	const texts = (seed: number) =>
		shots(seed).map(({ method, target, body }) =>
			`${method} ${target} ${body?.length}`.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "…"),
		);
	expect(texts(3)).toEqual(texts(3));
	expect(texts(3)).not.toEqual(texts(4));
}, 60_000);

test("a listener that accepts a smuggled request is found", async () => {
	const gullible = Bun.listen({
		hostname: "127.0.0.1",
		port: 0,
		socket: {
			// Answers anything that looks like a request, at any position.
			data(socket, data) {
				for (const id of data.toString("latin1").match(new RegExp(HIDDEN_ID, "g")) ?? [])
					socket.write(`HTTP/1.1 200 OK\r\nX-Request-Id: ${id}\r\nContent-Length: 0\r\n\r\n`);
				socket.end();
			},
		},
	});
	const host = `127.0.0.1:${gullible.port}`;
	const cases = listRawCases(host, {});
	expect(cases.length).toBeGreaterThanOrEqual(60);
	const smuggling = cases.filter(({ name }) => name === "a length and chunks");
	const outcomes = await Promise.all(smuggling.map((one) => playRawCase(`http://${host}`, one, 5_000)));
	gullible.stop(true);
	expect(outcomes.map(({ statuses, bodies }) => [statuses, bodies.includes(HIDDEN_ID)])).toEqual([[[200], true]]);
});

test("a cut connection is reported, and a closed kept one is reopened", async () => {
	let count = 0;
	const listener = Bun.listen({
		hostname: "127.0.0.1",
		port: 0,
		socket: {
			data(socket) {
				if (++count < 3) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
				socket.end();
			},
		},
	});
	const wire = openWire(`http://127.0.0.1:${listener.port}`);
	const ask = () => wire.send({ method: "GET", target: "/", headers: [] });
	expect((await ask()).status).toBe(204);
	expect((await ask()).status).toBe(204);
	expect(await ask()).toMatchObject({ status: 0 });
	wire.close();
	listener.stop(true);
});

test("the answer to each state of credentials is defined for every operation", () => {
	for (const operation of api.operations) {
		const { name, key, bearer } = operation;
		expect({ name, needs: promisedNeeds(operation) }).toEqual({ name, needs: { key, bearer } });
	}
	const state = (key: State["key"], bearer: State["bearer"], scopes?: readonly string[]): State => ({
		name: "",
		headers: {},
		key,
		bearer,
		...(scopes ? { scopes } : {}),
	});
	const both = { key: "required", bearer: "required" } as const;
	expect(expectedStatus(both, "a:b", state("good", "absent"))).toBe(401);
	expect(expectedStatus(both, "a:b", state("bad", "good"))).toBe(401);
	expect(expectedStatus(both, "a:b", state("foreign", "foreign"))).toBe(401);
	expect(expectedStatus(both, "a:b", state("good", "good", ["c:d"]))).toBe(403);
	expect(expectedStatus(both, "a:b", state("good", "good"))).toBeUndefined();
	expect(expectedStatus({ key: "required", bearer: "ignored" }, "a:b", state("good", "bad"))).toBeUndefined();
	expect(expectedStatus({ key: "optional", bearer: "required" }, "a:b", state("bad", "good"))).toBe(401);
});
