/** Registry look-ups over HTTP: the answer and its cache headers. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { uuid } from "../support/tenants";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const lookUp = (document: string, headers = key) => get(service, `/v1/authority/document/${document}`, headers);

test("an entry, to a caller with only a key", async () => {
	const answer = await lookUp("131880681");
	expect(answer.status).toBe(200);
	expect(await answer.text()).toBe(
		'{"rnc":"131880681","name":"FERRETERIA EL PROGRESO SRL","trade_name":"EL PROGRESO","economic_activity":"VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA","status":"ACTIVO","payment_regime":"NORMAL"}',
	);
	const runId = answer.headers.get("x-registry-run-id") ?? "";
	expect(runId).toMatch(uuid);
	expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
	expect(answer.headers.get("etag")).toMatch(/^W\/"[0-9a-z]+"$/);
	expect(answer.headers.get("x-registry-stale")).toBeNull();
	expect(answer.headers.get("x-request-id")).toMatch(uuid);
});

test("hyphens are optional", async () => {
	const plain = await (await lookUp("131880681")).text();
	for (const form of ["1-31-88068-1", "131-88068-1", "1%2D31880681", "131880681%20"]) {
		expect(await (await lookUp(form)).text()).toBe(plain);
	}
});
