/** The short road of look-ups: it must not be told from the long one but by its speed. */
import { beforeAll, describe, expect, test } from "bun:test";
import { routeAtOnce } from "../../src/http/answer-at-once";
import { NEEDS_KEY, type Operation } from "../../src/operation";
import { newId } from "../../src/values";
import { makeOperation } from "../operation/support/call";
import { get, sharedService, type TestService } from "../support/service";
import { until } from "../support/until";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
	// Known from here on, so that the next request can be answered at once.
	await (await lookUp(key)).body?.cancel();
});

const path = "/v1/authority/document/131880681";
const lookUp = (headers: Record<string, string>, at = path) => get(service, at, headers);
/** An `Accept` that only the long road reads. */
const theLongRoad = { accept: "application/json;q=0.9, */*;q=0.1" };

async function describeAnswer(answer: Response) {
	const { date, "x-request-id": requestId, ...headers } = Object.fromEntries(answer.headers);
	return { status: answer.status, headers, body: await answer.text(), hasDate: date !== undefined, requestId };
}

describe("the short road and the long one", () => {
	test("give the same answer, each with a request id of its own", async () => {
		const { requestId: shortId, ...short } = await describeAnswer(await lookUp(key));
		const { requestId: longId, ...long } = await describeAnswer(await lookUp({ ...key, ...theLongRoad }));
		expect(short).toEqual(long);
		expect(shortId).not.toBe(longId ?? "");
	});

	test("give the same 304", async () => {
		const etag = (await lookUp(key)).headers.get("etag") ?? "";
		const asked = { ...key, "if-none-match": etag };
		const { requestId: _, ...short } = await describeAnswer(await lookUp(asked));
		const { requestId: __, ...long } = await describeAnswer(await lookUp({ ...asked, ...theLongRoad }));
		expect(short.status).toBe(304);
		expect(short).toEqual(long);
	});

	test("keep the id that a caller sends, and replace one of another form", async () => {
		const sent = newId();
		expect((await lookUp({ ...key, "x-request-id": sent })).headers.get("x-request-id")).toBe(sent);
		expect((await lookUp({ ...key, "x-request-id": "no id" })).headers.get("x-request-id")).not.toBe("no id");
	});

	test("answer two entries one behind the other, each with its own body and id", async () => {
		const [one, other] = await Promise.all([lookUp(key), lookUp(key, "/v1/authority/document/990000001")]);
		expect(one.headers.get("x-request-id")).not.toBe(other.headers.get("x-request-id") ?? "");
		expect(((await one.json()) as { rnc: string }).rnc).toBe("131880681");
		expect(((await other.json()) as { rnc: string }).rnc).toBe("990000001");
	});

	test("refuse the same: a wrong token beside the key, an `Accept` that nothing fits, a key without the scope", async () => {
		expect((await lookUp({ ...key, authorization: "Bearer nonsense" })).status).toBe(401);
		expect((await lookUp({ ...key, accept: "text/html" })).status).toBe(406);
		const poor = { "x-api-key": await service.createKey({ scopes: ["invoices:read"] }) };
		for (let i = 0; i < 2; i++) expect((await lookUp(poor)).status).toBe(403);
	});

	test("refuse a key once another process has revoked it", async () => {
		const apiKey = await service.createKey({ scopes: ["registry:read"] });
		for (let i = 0; i < 2; i++) expect((await lookUp({ "x-api-key": apiKey })).status).toBe(200);
		await service.revokeKey(apiKey);
		await until(async () => (await lookUp({ "x-api-key": apiKey })).status === 401);
	});

	test("answer a HEAD like a GET without its body", async () => {
		const answer = await fetch(`${service.url}${path}`, { method: "HEAD", headers: key });
		expect([answer.status, await answer.text()]).toEqual([200, ""]);
		expect(answer.headers.get("etag")).toBe((await lookUp(key)).headers.get("etag") ?? "");
	});

	test("let a verb behind the number be no number", async () => {
		for (const end of [":purge", "%3Apurge", ":"]) {
			expect((await lookUp(key, `${path}${end}`)).status).not.toBe(200);
		}
		expect((await lookUp(key)).status).toBe(200);
	});
});

test("an operation of another shape cannot be answered at once", () => {
	const answerAtOnce = () => undefined;
	const good = makeOperation({ method: "GET", path: "/v1/things/{id}", credentials: NEEDS_KEY, answerAtOnce });
	const route = (operation: Operation) =>
		Object.keys(
			routeAtOnce({
				operations: [operation],
				recognise: () => undefined,
				onAnswered: () => undefined,
				takeOn: () => new Response(),
				isDraining: () => false,
			}),
		);
	expect(route(good)).toEqual(["/v1/things/:id"]);
	for (const change of [{ method: "POST" as const }, { path: "/v1/things" }, { path: "/v1/things/{id}:go" }]) {
		expect(() => route({ ...good, ...change })).toThrow("cannot be answered at once");
	}
});
