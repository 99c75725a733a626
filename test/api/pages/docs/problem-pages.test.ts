/** Problems for people whose browser opens an address of the service. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../../support/service";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const open = async (path: string, headers: Record<string, string> = {}) => {
	const answer = await get(service, path, { accept: BROWSER, "accept-language": "es-DO,es;q=0.9", ...headers });
	return { answer, text: await answer.text() };
};

test("a browser gets a page in its language, with the status and the request's id", async () => {
	for (const [path, status, es, en] of [
		["/nowhere", 404, "Página no encontrada", "Page not found"],
		["/v1/links/none", 404, "Página no encontrada", "Page not found"],
		["/portal/none", 404, "Página no encontrada", "Page not found"],
		["/v1/invoices", 401, "No autenticado", "Unauthorised"],
	] as const) {
		const { answer, text } = await open(path);
		expect([path, answer.status]).toEqual([path, status]);
		expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(text).toContain('<html lang="es">');
		expect(text).toContain(`<h1>${es}</h1>`);
		expect(text).toContain(answer.headers.get("x-request-id") ?? "no id");
		expect((await open(path, { "accept-language": "en" })).text).toContain(`<h1>${en}</h1>`);
	}
});

test("programs get problem documents, whatever they accept", async () => {
	for (const [name, value] of [
		["accept", "*/*"],
		["accept", "application/json, text/html;q=0.1"],
		["x-api-key", "ak_demo_wrong"],
		["authorization", "Bearer x"],
	] as const) {
		const { answer } = await open("/v1/invoices", { [name]: value });
		expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
	}
	const posted = await fetch(`${service.url}/v1/invoices`, { method: "POST", headers: { accept: BROWSER } });
	expect(posted.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
});

test("what an address contains stays text", async () => {
	const { text } = await open("/%3Cscript%3Ealert(1)%3C/script%3E?q=%3Cscript%3E");
	expect(text).not.toContain("<script>");
});
