import { beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { Value } from "@sinclair/typebox/value";
import { PublicAuthorityStatus } from "../../../src/authority/status";
import { get, sharedService, type TestService } from "../../support/service";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

const page = async (headers: Record<string, string> = {}) => {
	const answer = await get(service, "/status", { accept: "text/html", ...headers });
	return { answer, text: await answer.text() };
};

test("the page is public and has no script, and its policy allows its style only", async () => {
	const { answer, text } = await page();
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("public, max-age=1");
	const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? "";
	const digest = createHash("sha256").update(style).digest("base64");
	expect(answer.headers.get("content-security-policy")).toBe(
		`default-src 'none'; style-src 'sha256-${digest}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
	);
	expect(text).not.toMatch(/<script|javascript:| on\w+=| style=|https?:\/\//i);
	expect(style).toContain("prefers-color-scheme: dark");
});

test("each service has a chart with title and description, and a table", async () => {
	const { text } = await page({ "accept-language": "en" });
	const names = [...text.matchAll(/<svg [^>]*role="img" aria-labelledby="t-([\w-]+) d-\1">/g)].map((match) => match[1]);
	expect(names).toContain("overall");
	expect(names.length).toBe(11);
	for (const name of names) {
		expect(text).toMatch(new RegExp(`<title id="t-${name}">[^<]+</title><desc id="d-${name}">[^<]+</desc>`));
	}
	expect(text).toContain("<summary>As a table</summary>");
	expect(text.match(/<th scope="row">Reception<\/th>/g)?.length).toBeGreaterThanOrEqual(2);
});

test("the language is the reader's: Spanish unless English is preferred", async () => {
	for (const [header, language] of [
		["", "es"],
		["fr", "es"],
		["es-DO,en;q=0.8", "es"],
		["en-GB,en;q=0.9,es;q=0.5", "en"],
	] as const) {
		const { answer, text } = await page(header ? { "accept-language": header } : {});
		expect([header, text.includes(`<html lang="${language}">`)]).toEqual([header, true]);
		expect(answer.headers.get("content-language")).toBe(language);
		expect(answer.headers.get("vary")).toBe("Accept, Accept-Language, Accept-Encoding");
	}
});

test("programs get JSON without any data of tenants", async () => {
	const answer = await get(service, "/status", { accept: "application/json" });
	expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
	const record = (await answer.json()) as PublicAuthorityStatus;
	expect([...Value.Errors(PublicAuthorityStatus, record)]).toEqual([]);
	expect(Object.keys(record)).not.toContain("queue");
	expect(Object.keys(record)).not.toContain("verdictLatency");
	expect(record.history.services.every(({ states }) => states.length === 96)).toBe(true);
});

test("the page says how the service and its registry are", async () => {
	const { text } = await page();
	expect(text).toMatch(
		/<title>Sello (funciona con (normalidad|limitaciones)|no está disponible) · Estado de Sello<\/title>/,
	);
	expect(text).toContain("El registro de contribuyentes está al día");
	expect(text).toMatch(/Comparado con el archivo de la Administración el <time datetime="[^"]+Z">/);
	const english = await page({ "accept-language": "en" });
	expect(english.text).toContain("The taxpayer registry is up to date");
});
