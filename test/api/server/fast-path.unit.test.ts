/** The fast path of look-ups differs from the slow path in speed only. */
import { beforeAll, describe, expect, test } from "bun:test";
import { createFastRoutes } from "../../../src/api/server/fast-path";
import { NEEDS_KEY, type Operation } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { newId } from "../../../src/platform/values";
import { makeOperation } from "../../platform/operation/support/call";
import { get, sharedService, type TestService } from "../../support/service";
import { until } from "../../support/until";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
	// The key is cached from here on, so that the next request takes the fast path.
	await (await lookUp(key)).body?.cancel();
});

const path = "/v1/authority/document/131880681";
const lookUp = (headers: Record<string, string>, at = path) => get(service, at, headers);
/** An `Accept` header that only the slow path parses. */
const theLongRoad = { accept: "application/json;q=0.9, */*;q=0.1" };

async function describeAnswer(answer: Response) {
	const { date, "x-request-id": requestId, ...headers } = Object.fromEntries(answer.headers);
	return { status: answer.status, headers, body: await answer.text(), hasDate: date !== undefined, requestId };
}

describe("the fast path and the slow path", () => {
	test("give the same answer with different request ids", async () => {
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

	test("answer consecutive requests with their own body and id", async () => {
		const [one, other] = await Promise.all([lookUp(key), lookUp(key, "/v1/authority/document/990000001")]);
		expect(one.headers.get("x-request-id")).not.toBe(other.headers.get("x-request-id") ?? "");
		expect(((await one.json()) as { rnc: string }).rnc).toBe("131880681");
		expect(((await other.json()) as { rnc: string }).rnc).toBe("990000001");
	});

	test("refuse the same: wrong token, unacceptable `Accept`, missing scope", async () => {
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

	test("refuse a query that a look-up does not have", async () => {
		for (const headers of [key, { ...key, ...theLongRoad }]) {
			expect([(await lookUp(headers, `${path}?x=1`)).status, (await lookUp(headers, `${path}?%zz`)).status]).toEqual([
				400, 400,
			]);
		}
	});

	test("answer a HEAD like a GET without its body", async () => {
		const answer = await fetch(`${service.url}${path}`, { method: "HEAD", headers: key });
		expect([answer.status, await answer.text()]).toEqual([200, ""]);
		expect(answer.headers.get("etag")).toBe((await lookUp(key)).headers.get("etag") ?? "");
	});

	test("refuse a verb after the number", async () => {
		for (const end of [":purge", "%3Apurge", ":"]) {
			expect((await lookUp(key, `${path}${end}`)).status).not.toBe(200);
		}
		expect((await lookUp(key)).status).toBe(200);
	});
});

describe("the two paths of a search", () => {
	const searchAt = (query: string, headers: Record<string, string> = key) =>
		get(service, `/v1/authority/document:search?${query}`, headers);
	const describeBoth = async (query: string, headers: Record<string, string> = {}) => {
		const { requestId: shortId, ...short } = await describeAnswer(await searchAt(query, { ...key, ...headers }));
		const { requestId: longId, ...long } = await describeAnswer(
			await searchAt(query, { ...key, ...headers, ...theLongRoad }),
		);
		expect(shortId).not.toBe(longId ?? "");
		return { short, long };
	};

	test("return the same page for filters, limits, spaces, accents and no results", async () => {
		const asked = [
			"q=srl&limit=3",
			"q=srl&limit=100",
			"q=s+r+l",
			"q=ferreter%C3%ADa%20el",
			"q=ferretreia",
			"q=srl&mode=fuzzy",
		];
		for (const query of [...asked, "q=srl&type=rnc&status=ACTIVO"].map((one) => `field=name&${one}`)) {
			const { short, long } = await describeBoth(query);
			expect(short.status).toBe(200);
			expect(short).toEqual(long);
		}
	});

	test("give the same next page", async () => {
		const { next } = (await (await searchAt("field=name&q=srl&limit=3")).json()) as { next: string };
		const { short, long } = await describeBoth(`field=name&q=srl&limit=2&after=${encodeURIComponent(next)}`);
		expect(JSON.parse(short.body).count).toBe(2);
		expect(short).toEqual(long);
	});

	test("give the same 304 for the same page only", async () => {
		const etag = (await searchAt("field=name&q=srl")).headers.get("etag") ?? "";
		const { short, long } = await describeBoth("field=name&q=srl", { "if-none-match": etag });
		expect([short.status, short.headers.etag]).toEqual([304, etag]);
		expect(short).toEqual(long);
		expect((await describeBoth("field=name&q=srl&limit=3", { "if-none-match": etag })).short.status).toBe(200);
	});

	test("refuse the same, with all violations at once", async () => {
		const refused = [
			"",
			"field=name",
			"q=srl",
			"field=name&q=srl&q=sa",
			"field=name&q=srl&colour=red",
			"field=name&q=%FF%FF%FF",
		];
		for (const query of [...refused, "field=name&q=srl&limit=0", "field=name&q=srl&after=x", "field=name&q=s--"]) {
			const { short, long } = await describeBoth(query);
			expect(short.status).toBe(400);
			expect({
				...short,
				body: JSON.parse(short.body),
				headers: { ...short.headers, "content-length": "" },
			}).toMatchObject({
				body: { ...JSON.parse(long.body), requestId: expect.any(String) },
				headers: { ...long.headers, "content-length": "" },
			});
		}
	});
});

test("a failure of the fast path is logged and answered by the slow path", async () => {
	const raised: unknown[] = [new TypeError("undefined is not an object"), new Problem("validation-error")];
	const broken: unknown[] = [];
	const routes = createFastRoutes({
		operations: [
			makeOperation({
				method: "GET",
				path: "/v1/things/{id}",
				credentials: NEEDS_KEY,
				answerAtOnce: () => {
					throw raised[0];
				},
			}),
		],
		recognise: () => ({ environment: "sandbox", plan: "free", ownerId: newId(), scopes: new Set() }),
		onAnswered: () => undefined,
		onBroken: (_operation, error) => broken.push(error),
		slowPath: () => new Response("by the long road"),
		isDraining: () => false,
	});
	const request = Object.assign(new Request("http://localhost/v1/things/1"), { params: { id: "1" } });
	for (const error of raised.slice()) {
		raised[0] = error;
		const answer = await routes["/v1/things/:id"]?.GET(request as never, undefined as never);
		expect(await answer?.text()).toBe("by the long road");
	}
	expect(broken).toEqual([new TypeError("undefined is not an object")]);
});

test("an operation of another shape cannot use the fast path", () => {
	const answerAtOnce = () => undefined;
	const good = makeOperation({ method: "GET", path: "/v1/things/{id}", credentials: NEEDS_KEY, answerAtOnce });
	const route = (operation: Operation) =>
		Object.keys(
			createFastRoutes({
				operations: [operation],
				recognise: () => undefined,
				onAnswered: () => undefined,
				onBroken: () => undefined,
				slowPath: () => new Response(),
				isDraining: () => false,
			}),
		);
	expect(route(good)).toEqual(["/v1/things/:id"]);
	expect(route({ ...good, path: "/v1/things:search" })).toEqual(["/v1/things:search"]);
	for (const change of [{ method: "POST" as const }, { path: "/v1/{id}/things" }, { path: "/v1/things/{id}:go" }]) {
		expect(() => route({ ...good, ...change })).toThrow("cannot use the fast path");
	}
});
