/** The Postman collection: its form, and that it has every call of a program with its credentials. */
import { beforeAll, expect, test } from "bun:test";
import { createOpenApi, type OpenApiDocument } from "../../../../src/api/openapi";
import { toCollection } from "../../../../src/api/pages/docs/postman";
import { BASE_URL, declaredOperations, serveDeclared } from "../../support/declared-operations";

type Value = { key: string; value: string; disabled?: true };
type Request = {
	method: string;
	header: Value[];
	url: { raw: string; host: string[]; path: string[]; query?: Value[]; variable?: Value[] };
	body?: { mode: string; raw: string };
};

const operations = declaredOperations();
const variables = {
	base_url: BASE_URL,
	api_key: "ak_demo",
	client_id: "demo",
	client_secret: "demo",
	company_rnc: "9",
};
let document: OpenApiDocument;
let collection: ReturnType<typeof toCollection>;
let requests: Request[];
beforeAll(async () => {
	document = JSON.parse(JSON.stringify(await createOpenApi(operations, { baseUrl: BASE_URL })));
	collection = toCollection(document, variables);
	requests = collection.item.flatMap(({ item }) => item.map(({ request }) => request as Request));
});

test("it is a collection of the format 2.1 with every call of the libraries", () => {
	expect(collection.info.schema).toEndWith("/collection/v2.1.0/collection.json");
	expect(requests.length).toBe(operations.filter(({ sdk }) => sdk !== null).length);
	expect(requests.length).toBeGreaterThan(120);
});

test("a request's address is written as a whole and in parts, and both agree", () => {
	for (const { url } of requests) {
		expect(url.host).toEqual(["{{base_url}}"]);
		const sent = (url.query ?? []).filter(({ disabled }) => !disabled).map(({ key }) => key);
		const [address = "", query = ""] = url.raw.split("?");
		expect(address).toBe(`{{base_url}}/${url.path.join("/")}`);
		expect([...new URLSearchParams(query).keys()]).toEqual(sent);
		const named = url.path.filter((segment) => segment.startsWith(":")).map((segment) => segment.slice(1));
		expect((url.variable ?? []).map(({ key }) => key).sort()).toEqual(named.sort());
	}
});

test("every variable that a request uses is one of the collection's", () => {
	const known = new Set(["$guid", ...collection.variable.map(({ key }) => key)]);
	const used = [...JSON.stringify(collection.item).matchAll(/\{\{([^}]+)\}\}/g)].map(([, name]) => name ?? "");
	expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
	expect(used).toContain("document");
});

test("requests have the credentials that their operations need", () => {
	const byRoute = new Map(requests.map((one) => [`${one.method} ${one.url.raw.split("?")[0]}`, one]));
	const toRoute = (path: string) => path.replace(/\/\{(\w+)\}(?=\/|$)/g, "/:$1").replace(/\{(\w+)\}/g, "{{$1}}");
	for (const { method, path, sdk, credentials } of operations) {
		if (sdk === null) continue;
		const names = byRoute.get(`${method} {{base_url}}${toRoute(path)}`)?.header.map(({ key }) => key);
		expect([path, names?.includes("x-api-key")]).toEqual([path, credentials.key === "required"]);
		expect([path, names?.includes("authorization")]).toEqual([path, credentials.bearer === "required"]);
	}
});

test("bodies are JSON with the demo company; outside sandboxes nothing is filled in", () => {
	for (const { header, body } of requests) {
		const type = header.find(({ key }) => key === "content-type")?.value;
		if (type?.endsWith("json")) expect(() => JSON.parse(body?.raw ?? "")).not.toThrow();
	}
	const issue = requests.find(({ method, url }) => method === "POST" && url.raw === "{{base_url}}/v1/invoices");
	expect(JSON.parse(issue?.body?.raw ?? "")).toMatchObject({ encf: "auto", company: { rnc: "{{company_rnc}}" } });
	const outside = toCollection(document, { base_url: BASE_URL, api_key: "$SELLO_API_KEY" });
	expect(outside.variable).toContainEqual({ key: "api_key", value: "" });
});

test("the script gets one token, keeps it, and skips requests that need none", () => {
	const [{ script }] = collection.event as [{ script: { exec: string[] } }];
	const values = new Map<string, string>(collection.variable.map(({ key, value }) => [key, value]));
	const sent: { url: string; method: string }[] = [];
	const run = (authorization?: string) => {
		const store = {
			get: (name: string) => values.get(name),
			set: (name: string, value: string) => values.set(name, value),
		};
		const pm = {
			...{ collectionVariables: store, variables: store, request: { headers: { get: () => authorization } } },
			sendRequest: (request: { url: string; method: string }, done: (error: null, answer: object) => void) => {
				sent.push(request);
				done(null, { code: 200, json: () => ({ access_token: "T", expires_in: 3600 }) });
			},
		};
		new Function("pm", script.exec.join("\n"))(pm);
	};
	run();
	expect(sent.length).toBe(0);
	run("Bearer {{token}}");
	run("Bearer {{token}}");
	expect(sent).toMatchObject([{ url: `${BASE_URL}/v1/auth/token`, method: "POST" }]);
	expect(values.get("token")).toBe("T");
});

test("the service answers it with an entity tag", async () => {
	const served = serveDeclared();
	const answer = await fetch(`${served.url}/docs/sello.postman.json`);
	expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
	const etag = answer.headers.get("etag") ?? "";
	const again = await fetch(`${served.url}/docs/sello.postman.json`, { headers: { "if-none-match": etag } });
	expect(again.status).toBe(304);
	await served.stop();
});
