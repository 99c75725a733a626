import { expect, test } from "bun:test";
import { authorityRoutes, explainCode, placeRoutes } from "../../../src/authority/codes";
import { explainAll } from "../../../src/authority/codes/dictionary";
import { BUSINESS_RULES } from "../../../src/authority/rules/check-rules";
import { checkSchema, OperationTable } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";

const table = new OperationTable([...authorityRoutes({ baseUrl: "https://api.example" }), ...placeRoutes()]);

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
	const url = new URL(path, "http://localhost");
	const match = table.find("GET", url.pathname);
	if (match.found !== "operation") throw new Error(`nothing at ${path}`);
	const { operation, params } = match;
	const request = new Request(url.href, { headers });
	return operation.handle({ request, url, requestId: "r", remoteAddress: "", params, operation });
}

test("a known code is explained with cause, fix, fields and the address of its page", async () => {
	const response = await get("/v1/authority/codes/614");
	expect(response.headers.get("content-language")).toBe("en");
	expect(await response.json()).toEqual({
		code: "614",
		known: true,
		title: "Referenced eNCF not issued",
		title_es: "El eNCF modificado no ha sido emitido",
		category: "reference",
		sequenceConsumed: true,
		retryable: false,
		cause: "A debit/credit note refers to a document the authority has not accepted.",
		fix: "Issue and get acceptance of the referenced document, then issue the note with a new eNCF.",
		fields: ["/reference/encf"],
		source: "observed",
		docs: "https://api.example/docs/authority-codes#614",
	});
});

test("texts are Spanish for callers that request it", async () => {
	const response = await get("/v1/authority/codes/1209", { "accept-language": "es-DO,es;q=0.9,en;q=0.5" });
	expect([response.headers.get("content-language"), response.headers.get("vary")]).toEqual(["es", "Accept-Language"]);
	expect(await response.json()).toMatchObject({ title: "El e-NCF ya fue utilizado", retryable: false });
});

test("an unknown code comes back as it is", async () => {
	for (const code of ["9999", "0614", "E-7", "toString", "__proto__"]) {
		const response = await get(`/v1/authority/codes/${code}`);
		expect([response.status, await response.json()]).toEqual([200, { code, known: false }]);
	}
});

test("what cannot be a code is a validation error that points at the path", async () => {
	for (const path of ["%3Cscript%3E", "a%20b", "%00", "1".repeat(21)]) {
		const problem = await get(`/v1/authority/codes/${path}`).catch((error) => error);
		expect(problem).toBeInstanceOf(Problem);
		expect([problem.slug, problem.faults[0].pointer]).toEqual(["validation-error", "#/path/code"]);
	}
});

test("the places are the authority's 582, and a copy of them is not sent again", async () => {
	const response = await get("/v1/places");
	const { items, count } = (await response.json()) as { items: { code: string; level: string }[]; count: number };
	expect([items.length, count]).toEqual([582, 582]);
	expect(items.filter(({ level }) => level === "province")).toHaveLength(32);
	expect(items.find(({ code }) => code === "030001")).toMatchObject({ level: "municipality", provinceCode: "030000" });
	const again = await get("/v1/places", { "if-none-match": response.headers.get("etag") ?? "" });
	expect(again.status).toBe(304);
});

test("the list holds every code once: the verdicts, then the remarks by number", async () => {
	const body = (await (await get("/v1/authority/codes")).json()) as { items: { code: string }[] };
	const codes = body.items.map((item) => item.code);
	expect(codes.slice(0, 8)).toEqual(["0", "1", "2", "3", "4", "004", "64", "75"]);
	expect(codes.at(-1)).toBe("3243");
	expect(new Set(codes).size).toBe(codes.length);
	expect(body).toMatchObject({ count: codes.length, partial: false, next: null });
	expect<unknown>(body.items[0]).toEqual({ ...explainCode("0"), docs: "https://api.example/docs/authority-codes#0" });
});

test("answers and examples fit the schemas that they are documented with", async () => {
	for (const operation of table.operations) {
		const answer = operation.answers[200];
		if (!answer?.schema) throw new Error(`${operation.id} has no schema`);
		expect(checkSchema(answer.schema, answer.example)).toEqual([]);
		const body = await (await get(operation.path.replace("{code}", "64"))).json();
		expect(checkSchema(answer.schema, body)).toEqual([]);
	}
});

test("every code has a text in both languages and points into the request", () => {
	for (const { code } of explainAll()) {
		const [english, spanish] = [explainCode(code), explainCode(code, "es")];
		if (!english.known || !spanish.known) throw new Error(`${code} is not known`);
		for (const text of [english.title, english.cause, english.fix, spanish.cause, spanish.fix])
			expect(text).not.toBe("");
		expect(english.cause).not.toBe(spanish.cause);
		expect(spanish.title).toBe(english.title_es);
		for (const field of english.fields) expect(field).toStartWith("/");
	}
});

test("a current answer is not sent again, and each language has its own tag", async () => {
	for (const path of ["/v1/authority/codes", "/v1/authority/codes/614", "/v1/authority/codes/9999"]) {
		const etag = (await get(path)).headers.get("etag") ?? "";
		expect(etag).toMatch(/^"[\w-]{22}"$/);
		const again = await get(path, { "if-none-match": etag });
		expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
	}
	const [english, spanish] = await Promise.all([
		get("/v1/authority/codes"),
		get("/v1/authority/codes", { "accept-language": "es" }),
	]);
	expect(english.headers.get("etag")).not.toBe(spanish.headers.get("etag"));
});

test("every number that a business rule gives is explained", () => {
	const numbers = BUSINESS_RULES.flatMap((rule) => rule.number ?? []);
	expect(numbers.length).toBeGreaterThan(5);
	expect(numbers.filter((number) => !explainCode(number).known)).toEqual([]);
});
