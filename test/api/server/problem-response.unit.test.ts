import { expect, test } from "bun:test";
import { toProblemResponse } from "../../../src/api/server/problem-response";
import { Problem } from "../../../src/platform/problem";
import { captureLog } from "../support/log";

const place = { baseUrl: "https://api.example", instance: "/v1/things", requestId: "request-1" };

async function answer(error: unknown) {
	const { log, lines } = captureLog();
	const response = toProblemResponse(error, place, log);
	return {
		status: response.status,
		headers: response.headers,
		body: (await response.json()) as Record<string, unknown>,
		lines,
	};
}

test("a problem is answered with its headers and not logged as a failure", async () => {
	const { status, headers, body, lines } = await answer(
		new Problem("rate-limit-exceeded", { headers: { "retry-after": "17" } }),
	);
	expect(status).toBe(429);
	expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
	expect(headers.get("cache-control")).toBe("no-store");
	expect(headers.get("retry-after")).toBe("17");
	expect(body).toMatchObject({
		type: "https://api.example/errors/rate-limit-exceeded",
		status: 429,
		requestId: "request-1",
	});
	expect(lines).toEqual([]);
});

test("an unreachable database is service-unavailable with Retry-After of a second", async () => {
	for (const code of [
		"ECONNREFUSED",
		"ECONNRESET",
		"CONNECTION_CLOSED",
		"CONNECT_TIMEOUT",
		"57P01",
		"57P03",
		"53300",
		"08006",
	]) {
		const { status, headers, body, lines } = await answer(Object.assign(new Error("10.0.0.5:5432 refused"), { code }));
		expect([code, status, headers.get("retry-after")]).toEqual([code, 503, "1"]);
		expect(body).toMatchObject({ type: "https://api.example/errors/service-unavailable" });
		expect(JSON.stringify(body)).not.toContain("10.0.0.5");
		expect(lines.map(({ level }) => level)).toEqual(["warn"]);
	}
});

test("a database that cannot work is service-unavailable and logged as an error", async () => {
	for (const code of ["53100", "53200", "58030", "25006"]) {
		const failure = Object.assign(new Error('could not extend file "base/5/18015"'), { code });
		const { status, headers, body, lines } = await answer(failure);
		expect([code, status, headers.get("retry-after")]).toEqual([code, 503, "5"]);
		expect(JSON.stringify(body)).not.toContain("base/5");
		expect(lines.map(({ level }) => level)).toEqual(["error"]);
	}
});

test("a cancelled statement is service-unavailable and not a defect", async () => {
	for (const code of ["57014", "55P03", "40001", "40P01"]) {
		const failure = Object.assign(new Error("canceling statement: select * from secrets"), { code });
		const { status, headers, body, lines } = await answer(failure);
		expect([code, status, headers.get("retry-after")]).toEqual([code, 503, "1"]);
		expect(JSON.stringify(body)).not.toContain("secrets");
		expect(lines.map(({ level }) => level)).toEqual(["warn"]);
	}
});

test("any other error is logged completely and answered without details", async () => {
	const odd = [
		Object.assign(new Error("duplicate key value: select * from secrets"), { code: "23505" }),
		new TypeError("secrets is undefined"),
		"secrets thrown as a text",
		null,
		undefined,
		{ status: 200, message: "secrets" },
	];
	for (const error of odd) {
		const { status, body, lines } = await answer(error);
		expect(status).toBe(500);
		expect(body).toMatchObject({
			type: "https://api.example/errors/internal-error",
			title: "Internal error",
			instance: "/v1/things",
		});
		expect(JSON.stringify(body)).not.toContain("secrets");
		expect(lines.map(({ level, requestId }) => [level, requestId])).toEqual([["error", "request-1"]]);
	}
});
