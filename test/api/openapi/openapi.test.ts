import { beforeAll, expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { MediaType, OperationObject, ParameterObject } from "../../../src/api/openapi";
import { createOpenApi, type OpenApiDocument, problemsOf } from "../../../src/api/openapi";
import {
	json,
	NEEDS_BEARER,
	NEEDS_BOTH,
	NEEDS_KEY_ONLY,
	type Operation,
	ProblemSchema,
	PUBLIC,
} from "../../../src/platform/operation";
import { catalogue } from "../../../src/platform/problem";
import { answersOf } from "../support/answers-of";
import { BASE_URL, declaredOperations } from "../support/declared-operations";
import { withoutFormats } from "../support/without-formats";

const operations = declaredOperations();
const before = JSON.stringify(operations);
let document: OpenApiDocument;
beforeAll(async () => {
	// What a reader gets is the text, so the text is what is judged.
	document = JSON.parse(JSON.stringify(await createOpenApi(operations, { baseUrl: BASE_URL })));
});

type Shown = { readonly name: string; readonly operation: Operation; readonly object: OperationObject };

function shown(): Shown[] {
	return operations.map((operation) => {
		const name = `${operation.method} ${operation.path}`;
		const object = document.paths[operation.path]?.[operation.method.toLowerCase()];
		if (!object) throw new Error(`${name} is not in the document`);
		return { name, operation, object };
	});
}

test("the document says which OpenAPI it is and how the two areas are versioned", () => {
	expect(document.openapi).toBe("3.1.0");
	expect(document.info).toMatchObject({ title: "Sello", version: "0.1.0-dev" });
	expect(document["x-identity-version"]).toMatch(/^1\.\d+\.\d+$/);
	expect(document.servers).toEqual([{ url: BASE_URL }]);
});

test("the document has exactly the operations of the service at their paths", () => {
	const found = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
	);
	expect(found.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort());
});

test("custom verbs stand literally in their paths", () => {
	expect(document.paths["/v1/authority/document:search"]?.get?.operationId).toBe("searchDocuments");
	expect(document.paths["/v1/authority/document/{document}:purge"]?.post?.operationId).toBe("purgeDocument");
});

test("operation ids are unique and every operation has a tag that the document lists", () => {
	const ids = shown().map(({ object }) => object.operationId);
	expect(new Set(ids).size).toBe(ids.length);
	const tags = document.tags.map((tag) => tag.name);
	for (const { object } of shown()) expect(tags).toContain(object.tags[0] ?? "");
});

test("each operation has one method in the client libraries, or says that it has none", () => {
	const names = operations.flatMap(({ sdk }) => sdk ?? []);
	expect(new Set(names).size).toBe(names.length);
	for (const name of names) expect(name).toMatch(/^[a-z][a-zA-Z]+\.[a-z][a-zA-Z]+$/);
	// Methods of a library that stand for no single operation.
	const others = ["invoices.waitFor", "events.stream", "registryEvents.stream", "webhooks.verify"];
	expect(others.filter((name) => names.some((one) => one === name))).toEqual([]);
	// Words that cannot be methods in Python.
	const reserved =
		/^(?:and|as|assert|async|await|break|class|continue|def|del|from|global|import|in|is|not|or|pass|raise|return|try|while|with|yield)$/;
	expect(names.filter((name) => reserved.test(name.split(".")[1] ?? ""))).toEqual([]);
	for (const { operation, object } of shown()) expect(object["x-sdk"]).toBe(operation.sdk ?? undefined);
});

test("every reference leads somewhere", () => {
	const broken = references(document).filter((reference) => resolve(reference) === undefined);
	expect(broken).toEqual([]);
	expect(references(document).length).toBeGreaterThan(100);
});

test("path parameters are declared as required, and no others are", () => {
	for (const { name, operation, object } of shown()) {
		const inPath = (object.parameters ?? []).filter((one) => one.in === "path");
		expect({ name, names: inPath.map((one) => one.name) }).toEqual({
			name,
			names: [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""),
		});
		expect(inPath.every((one) => one.required)).toBe(true);
	}
});

test("every parameter has a description and a schema", () => {
	for (const { name, operation, object } of shown()) {
		const keys = (all: readonly Pick<ParameterObject, "name" | "in" | "required">[]) =>
			all.map((one) => `${one.in} ${one.name} ${one.required}`);
		expect({ name, keys: keys(object.parameters ?? []) }).toEqual({ name, keys: keys(operation.parameters ?? []) });
		for (const one of object.parameters ?? []) {
			expect(one.description).not.toBe("");
			expect(Object.keys(one.schema).length).toBeGreaterThan(0);
		}
	}
});

test("the credentials and scope of each operation are declared", () => {
	const search = document.paths["/v1/authority/document:search"]?.get;
	expect(search?.security).toEqual([
		{ apiKey: ["registry:read"] },
		{ apiKey: ["registry:read"], bearer: ["registry:read"] },
		{ apiKey: ["registry:read"], oauth2: ["registry:read"] },
	]);
	for (const { operation, object } of shown()) {
		const { key, bearer, session } = operation.credentials;
		expect(object["x-scope"]).toBe(operation.scope as string);
		const isFree = object.security.length === 0 || object.security.some((set) => Object.keys(set).length === 0);
		expect(isFree).toBe(key !== "required" && bearer !== "required" && !session);
		for (const set of object.security) {
			if (key === "required") expect(set).toHaveProperty("apiKey");
			if (bearer === "required") expect("bearer" in set || "oauth2" in set).toBe(true);
			for (const scheme of Object.keys(set)) expect(document.components.securitySchemes).toHaveProperty(scheme);
		}
	}
});

test("each kind of credentials has its own description", async () => {
	const security = async (credentials: Operation["credentials"]) => {
		const { paths } = await createOpenApi([made({ credentials })], { baseUrl: BASE_URL });
		return paths["/made"]?.get?.security;
	};
	expect(await security(PUBLIC)).toEqual([]);
	expect(await security(NEEDS_KEY_ONLY)).toEqual([{ apiKey: [] }]);
	expect(await security(NEEDS_BOTH)).toEqual([
		{ apiKey: [], bearer: [] },
		{ apiKey: [], oauth2: [] },
	]);
	expect(await security(NEEDS_BEARER)).toEqual([
		{ bearer: [] },
		{ oauth2: [] },
		{ apiKey: [], bearer: [] },
		{ apiKey: [], oauth2: [] },
	]);
});

test("every body has a schema and an example that fits it", () => {
	for (const { name, operation, object } of shown()) {
		expect({ name, hasBody: object.requestBody !== undefined }).toEqual({
			name,
			hasBody: operation.body !== undefined,
		});
		if (!operation.body) continue;
		const content = object.requestBody?.content ?? {};
		expect({ name, types: Object.keys(content) }).toEqual({ name, types: [...operation.body.mediaTypes] });
		const { schema, otherForms } = operation.body;
		for (const [type, media] of Object.entries(content)) expectFit(name, otherForms?.[type]?.schema ?? schema, media);
	}
});

test("every successful JSON answer has a schema and an example that fits it", () => {
	for (const { name, operation, object } of shown()) {
		for (const [status, answer] of Object.entries(operation.answers)) {
			if (!answer.schema) continue;
			const content = answersOf(document, object)[status]?.content ?? {};
			const media = Object.entries(content).find(([type]) => /^application\/(.*\+)?json$/.test(type))?.[1];
			if (!media) throw new Error(`${name} ${status} declares no JSON`);
			expectFit(`${name} ${status}`, answer.schema, media);
		}
	}
});

test("an answer in another media type stands beside its JSON", () => {
	const xml = answersOf(document, document.paths["/v1/invoices/{docId}/xml"]?.get)["200"]?.content ?? {};
	expect(xml).toEqual({ "application/xml": { schema: { type: "string" } } });
	const page = answersOf(document, document.paths["/errors/{slug}"]?.get)["200"]?.content ?? {};
	expect(Object.keys(page)).toEqual(["text/html", "application/json"]);
});

test("every 4xx and 5xx is a problem with an example for each slug", () => {
	for (const { name, operation, object } of shown()) {
		const slugs = Object.entries(answersOf(document, object))
			.filter(([status]) => Number(status) >= 400)
			.flatMap(([status, response]) => {
				const media = response.content?.["application/problem+json"];
				expect({ name, status, schema: media?.schema }).toEqual({
					name,
					status,
					schema: { $ref: "#/components/schemas/Problem" },
				});
				return Object.keys(media?.examples ?? {}).map((slug) => `${status} ${slug}`);
			});
		const expected = problemsOf(operation).map((slug) => `${catalogue[slug].status} ${slug}`);
		expect({ name, slugs: slugs.sort() }).toEqual({ name, slugs: expected.sort() });
	}
});

test("shared refusals are declared once, and no answer twice", () => {
	const shared = Object.values(document.components.responses).map((answer) => JSON.stringify(answer));
	expect(shared.length).toBeGreaterThan(10);
	expect(new Set(shared).size).toBe(shared.length);
	const written = shown()
		.flatMap(({ object }) => Object.entries(object.responses))
		.flatMap(([status, answer]) => (Number(status) < 400 || "$ref" in answer ? [] : [JSON.stringify(answer)]));
	expect(written.filter((one, place) => written.indexOf(one) !== place || shared.includes(one))).toEqual([]);
});

test("shared refusals are named after status, slugs and limits, and are referenced", () => {
	const referred = new Map<string, string>();
	for (const { object } of shown()) {
		for (const [status, answer] of Object.entries(object.responses)) {
			if ("$ref" in answer) referred.set(answer.$ref.replace("#/components/responses/", ""), status);
		}
	}
	expect([...referred.keys()].sort()).toEqual(Object.keys(document.components.responses).sort());
	for (const [name, status] of referred) {
		const slugs = Object.keys(
			document.components.responses[name]?.content?.["application/problem+json"]?.examples ?? {},
		);
		expect(name.replace(/(-limited)?(-later)?(-page)?$/, "")).toBe([status, ...slugs].join("-"));
		expect(/-limited(-later)?(-page)?$/.test(name)).toBe(
			"RateLimit" in (document.components.responses[name]?.headers ?? {}),
		);
		expect(name).toMatch(/^[\w.-]+$/);
	}
});

test("admission and credentials add their problems to declared ones", () => {
	const { post } = document.paths["/v1/authority/document/{document}:purge"] ?? {};
	expect(Object.keys(post?.responses ?? {})).toEqual([
		"200",
		"400",
		"401",
		"403",
		"406",
		"409",
		"413",
		"415",
		"422",
		"429",
		"431",
		"500",
		"503",
	]);
	expect(document.paths["/livez"]?.get?.responses).not.toHaveProperty("401");
	expect(document.paths["/livez"]?.get?.responses).not.toHaveProperty("404");
	expect(answersOf(document, document.paths["/readyz"]?.get)["503"]?.content).toHaveProperty("application/json");
});

test("every example of a problem is a problem document of its own slug", () => {
	for (const [slug, { value }] of Object.entries(document.components.examples)) {
		expect(value).toMatchObject({ type: `${BASE_URL}/errors/${slug}` });
		expect([...Value.Errors(withoutFormats(ProblemSchema), value)]).toEqual([]);
	}
});

test("every answer has a request id, and temporary refusals have Retry-After", () => {
	for (const { name, object } of shown()) {
		const answers = answersOf(document, object);
		const responses = Object.entries(answers);
		expect({ name, silent: responses.filter(([, one]) => !one.headers?.["X-Request-Id"]) }).toEqual({
			name,
			silent: [],
		});
		expect(answers["503"]?.headers).toHaveProperty("Retry-After");
	}
});

test("schemas contain JSON Schema keywords only", () => {
	const standard = new Set(
		"$ref type properties required additionalProperties patternProperties items anyOf allOf oneOf not enum const default examples format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minProperties maxProperties title description deprecated readOnly writeOnly contentEncoding contentMediaType".split(
			" ",
		),
	);
	const strange = new Set<string>();
	const visit = (schema: unknown): void => {
		if (typeof schema !== "object" || schema === null) return;
		for (const [keyword, value] of Object.entries(schema)) {
			if (!standard.has(keyword)) strange.add(keyword);
			if (keyword === "properties" || keyword === "patternProperties") Object.values(value).forEach(visit);
			if (["items", "additionalProperties", "not"].includes(keyword)) visit(value);
			if (["anyOf", "allOf", "oneOf"].includes(keyword)) (value as unknown[]).forEach(visit);
		}
	};
	Object.values(document.components.schemas).forEach(visit);
	for (const { object } of shown()) for (const { schema } of object.parameters ?? []) visit(schema);
	expect([...strange]).toEqual([]);
});

test("a named schema is declared once and referenced", () => {
	const { Invoice, InvoiceRequest } = document.components.schemas;
	expect(InvoiceRequest).toMatchObject({ type: "object", additionalProperties: false });
	expect(Invoice).toMatchObject({ properties: { request: { $ref: "#/components/schemas/InvoiceRequest" } } });
	expect(InvoiceRequest).toMatchObject({
		properties: { type: { type: "string", enum: expect.arrayContaining(["31"]) } },
	});
});

test("problems within answers have the schema of refusals", () => {
	const { InvoiceBatchResult } = document.components.schemas;
	expect(InvoiceBatchResult).toMatchObject({
		properties: {
			results: {
				items: { anyOf: [{}, { properties: { problem: { $ref: "#/components/schemas/Problem" } } }] },
			},
		},
	});
});

test("a union of words is declared as an enum", () => {
	const { parameters = [] } = document.paths["/v1/invoices"]?.get ?? {};
	expect(parameters.find(({ name }) => name === "status")?.schema).toEqual({
		type: "string",
		enum: ["pending", "accepted", "rejected", "failed"],
	});
	const patterns = shown().flatMap(({ object }) =>
		(object.parameters ?? []).map(({ schema }) => String(schema.pattern)),
	);
	expect(patterns.filter((pattern) => /^\^\([a-z0-9|]+\)\$$/.test(pattern))).toEqual([]);
});

test("members of any name are declared with their type", () => {
	const { Company, WebhookTest } = document.components.schemas;
	const words = { type: "object", additionalProperties: { type: "string" } };
	expect(Company).toMatchObject({ properties: { metadata: words } });
	expect(WebhookTest).toMatchObject({
		properties: { deliveries: { items: { properties: { request: { properties: { headers: words } } } } } },
	});
	expect(JSON.stringify(document.components.schemas)).not.toContain("^(.*)$");
});

test("describing the operations leaves their schemas as they were", () => {
	expect(JSON.stringify(operations)).toBe(before);
});

test("a schema without a name is named after the first operation that has it", async () => {
	const schema = Type.Object({ id: Type.String() });
	const answers = { 200: { description: "It.", schema } };
	const described = await createOpenApi([made({ answers }), made({ id: "other", path: "/other", answers })], {
		baseUrl: BASE_URL,
	});
	const reference = { $ref: "#/components/schemas/MadeAnswer" };
	for (const path of ["/made", "/other"]) {
		const media = answersOf(described, described.paths[path]?.get)["200"]?.content?.["application/json"];
		expect(media).toMatchObject({ schema: reference, example: { id: expect.any(String) } });
	}
});

test("two schemas of one name are refused instead of one standing for both", async () => {
	const one = Type.Object({ a: Type.String() }, { $id: "Same" });
	const other = Type.Object({ b: Type.String() }, { $id: "Same" });
	const of = (first: TSchema, second: TSchema) =>
		createOpenApi(
			[
				made({ answers: { 200: { description: "It.", schema: first } } }),
				made({ id: "other", path: "/other", answers: { 200: { description: "It.", schema: second } } }),
			],
			{ baseUrl: BASE_URL },
		);
	await expect(of(one, other)).rejects.toThrow("two schemas have the name Same");
	await expect(of(one, Type.Object({ inside: other }))).rejects.toThrow("two schemas have the name Same");
	await expect(of(one, Type.Object({ inside: one }))).resolves.toBeDefined();
});

function made(parts: Partial<Operation>): Operation {
	return {
		id: "made",
		sdk: null,
		method: "GET",
		path: "/made",
		tag: "Made",
		summary: "Made for a test",
		credentials: PUBLIC,
		answers: { 200: { description: "It." } },
		problems: [],
		handle: () => json(200, {}),
		...parts,
	};
}

function expectFit(name: string, schema: TSchema, media: MediaType): void {
	expect({ name, hasSchema: media.schema !== undefined, hasExample: media.example !== undefined }).toEqual({
		name,
		hasSchema: true,
		hasExample: true,
	});
	const faults = [...Value.Errors(withoutFormats(schema), media.example)].map((one) => `${one.path} ${one.message}`);
	expect({ name, faults }).toEqual({ name, faults: [] });
}

function references(value: unknown): string[] {
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([key, member]) =>
		key === "$ref" && typeof member === "string" ? [member] : references(member),
	);
}

/** Source: RFC 6901. */
function resolve(reference: string): unknown {
	if (!reference.startsWith("#/")) return undefined;
	return reference
		.slice(2)
		.split("/")
		.map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"))
		.reduce<unknown>(
			(place, part) => (typeof place === "object" && place !== null ? Reflect.get(place, part) : undefined),
			document,
		);
}
