import { expect, spyOn, test } from "bun:test";
import { createFinish } from "../../../src/api/server/finish-request";
import { beginRequest } from "../../../src/api/server/request-state";
import { NEEDS_KEY } from "../../../src/platform/operation";
import { msg, Problem } from "../../../src/platform/problem";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { makeOperation } from "../../platform/operation/support/call";

const operation = makeOperation({ method: "GET", path: "/v1/things", credentials: NEEDS_KEY });

function open(isDraining = false, clock = { now: 0 }) {
	const log = createLog("silent", "test");
	const warn = spyOn(log, "warn");
	// Both loggers are this one.
	Object.assign(log, { child: () => log });
	const metrics = createMetrics();
	const finish = createFinish({
		baseUrl: "https://api.example",
		log,
		metrics,
		isDraining: () => isDraining,
		now: () => clock.now,
	});
	return { finish, warn, info: spyOn(log, "info") };
}

test("refusals under overload are logged once a second, with their number", () => {
	const clock = { now: 0 };
	const { finish, warn } = open(false, clock);
	const problem = new Problem("service-unavailable", { detail: msg`Too many wait.` });
	for (const now of [5_000, 5_001, 5_999, 6_000]) {
		clock.now = now;
		finish.noteShed(operation, problem, now - 1);
	}
	const line = { operation: operation.id, status: 503, detail: "Too many wait." };
	expect(warn.mock.calls.map(([entry]) => entry as unknown)).toEqual([
		{ event: "request.shed", ...line, count: 1 },
		{ event: "request.shed", ...line, count: 3 },
	]);
});

test("a failure of the fast path is logged once a minute, with the error", () => {
	const clock = { now: 0 };
	const { finish, warn } = open(false, clock);
	const err = new TypeError("undefined is not an object");
	for (const now of [1_000, 30_000, 61_000]) {
		clock.now = now;
		finish.noteBroken(operation, err);
	}
	expect(warn.mock.calls.map(([entry]) => entry as unknown)).toEqual([
		{ event: "fast-path.failed", operation: operation.id, count: 1, err },
		{ event: "fast-path.failed", operation: operation.id, count: 2, err },
	]);
});

test("a request that failed before it had a state still gets an id", () => {
	const { finish, info } = open();
	const answer = finish.answer(new Request("http://localhost/"), undefined, new Response(null, { status: 500 }));
	expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
	expect(info.mock.calls[0]?.[0]).toMatchObject({ operation: "none", status: 500 });
});

test("an answer of a draining service asks the caller to close the connection", () => {
	const request = new Request("http://localhost/v1/things");
	const connectionOf = (isDraining: boolean) =>
		open(isDraining).finish.answer(request, beginRequest(request), new Response()).headers.get("connection");
	expect([connectionOf(false), connectionOf(true)]).toEqual([null, "close"]);
});
