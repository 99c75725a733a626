/** Registry look-ups over HTTP: who may, what caches are told, and the problems' own headers. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectProblem, expectUnauthorised } from "../support/problem";
import { KEY_OF_NOBODY, tenantA, tenantB, uuid } from "../support/tenants";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const lookUp = (document: string, headers = key) => get(service, `/v1/authority/document/${document}`, headers);

test("an entry, for the key alone", async () => {
	const answer = await lookUp("131880681");
	expect(answer.status).toBe(200);
	expect(await answer.text()).toBe(
		'{"rnc":"131880681","name":"FERRETERIA EL PROGRESO SRL","trade_name":"EL PROGRESO","economic_activity":"VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA","status":"ACTIVO","payment_regime":"NORMAL"}',
	);
	const runId = answer.headers.get("x-registry-run-id") ?? "";
	expect(runId).toMatch(uuid);
	expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
	expect(answer.headers.get("etag")).toBe(`W/"${runId}"`);
	expect(answer.headers.get("x-registry-stale")).toBeNull();
	expect(answer.headers.get("x-request-id")).toMatch(uuid);
});

test("hyphens are optional", async () => {
	const plain = await (await lookUp("131880681")).text();
	for (const form of ["1-31-88068-1", "131-88068-1", "1%2D31880681", "131880681%20"]) {
		expect(await (await lookUp(form)).text()).toBe(plain);
	}
});

test("304 for a caller who has it", async () => {
	const etag = (await lookUp("131880681")).headers.get("etag") ?? "";
	const answer = await lookUp("131880681", { ...key, "if-none-match": etag });
	expect([answer.status, await answer.text()]).toEqual([304, ""]);
	expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
});

test("400 for a number of another form; problems are not for caches", async () => {
	for (const document of ["1", "12345678", "1234567890", "123456789012", "abc", "131.880.681", "131880681;x=1"]) {
		await expectProblem(lookUp(document), 400, "invalid-document-format");
	}
});

test("404 for a number that nobody has", async () => {
	for (const document of ["999999999", "99999999999"]) {
		await expectProblem(lookUp(document), 404, "document-not-found");
	}
});

test("401 without a key, and a token does not stand for one", async () => {
	const { token } = await tenantA();
	await expectUnauthorised(lookUp("131880681", {}));
	await expectUnauthorised(lookUp("131880681", { "x-api-key": KEY_OF_NOBODY }));
	await expectUnauthorised(lookUp("131880681", { authorization: `Bearer ${token}` }));
});

test("401 when a token comes along that is none, or another owner's", async () => {
	await expectUnauthorised(lookUp("131880681", { ...key, authorization: "Bearer x" }));
	await expectUnauthorised(lookUp("131880681", { ...key, authorization: `Bearer ${(await tenantB()).token}` }));
	expect((await lookUp("131880681", { ...(await tenantA()).headers })).status).toBe(200);
});

test("403 without the scope", async () => {
	const other = { "x-api-key": await service.createKey({ scopes: ["company:write"] }) };
	const problem = await expectProblem(lookUp("131880681", other), 403, "insufficient-scope");
	expect(problem.requiredScopes).toEqual(["registry:read"]);
});
