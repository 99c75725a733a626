/** `GET /docs/sello.postman.json`: the interface as a Postman collection, made from its OpenAPI document. Source: the collection format 2.1.0. */
import { Type } from "@sinclair/typebox";
import { type Operation, PUBLIC } from "../../../platform/operation";
import { DOCUMENTATION_TAG } from "../../html";
import type { OpenApiDocument, OperationObject, ParameterObject } from "../../openapi";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, represent } from "../../representation";
import { type DocsDeps, keepRepresentations } from "./site";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
/** The same in every release, so that an import replaces the former one. */
const COLLECTION_ID = "5e110000-0000-4000-8000-000000000001";

type Value = { readonly key: string; readonly value: string; readonly description?: string; readonly disabled?: true };
type Item = { readonly name: string; readonly request: Readonly<Record<string, unknown>> };
export type PostmanCollection = {
	readonly info: {
		readonly _postman_id: string;
		readonly name: string;
		readonly description: string;
		readonly schema: string;
	};
	readonly variable: readonly Value[];
	readonly event: readonly unknown[];
	readonly item: readonly { readonly name: string; readonly description?: string; readonly item: readonly Item[] }[];
};

export function postmanOperation(deps: DocsDeps): Operation {
	const keep = keepRepresentations();
	return {
		id: "getPostmanCollection",
		sdk: null,
		method: "GET",
		path: "/docs/sello.postman.json",
		tag: DOCUMENTATION_TAG,
		summary: "Get the Postman collection",
		description:
			"For Postman, Newman, Bruno and Insomnia. It has the demo's credentials in the sandboxes, and gets the access token itself.",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: {
			200: {
				description: "The collection, in the format 2.1.",
				schema: Type.Object({
					info: Type.Object({ name: Type.String(), schema: Type.String() }),
					item: Type.Array(Type.Unknown()),
				}),
				example: { info: { name: "Sello", schema: SCHEMA }, item: [] },
				headers: CACHE_HEADERS,
			},
			304: { description: "Not modified.", headers: CACHE_HEADERS },
		},
		problems: [],
		handle: async (call) => {
			const make = async () =>
				represent(JSON.stringify(toCollection(await deps.documentIn("en"), deps.guides.variables)), {
					"content-type": "application/json; charset=utf-8",
				});
			return answerRepresentation(call, await keep("", make));
		},
	};
}

/** Gets an access token before a request that needs one, and keeps it until a minute before it expires. */
const TOKEN_SCRIPT = [
	"const needsToken = pm.request.headers.get('authorization') === 'Bearer {{token}}';",
	"const until = Number(pm.collectionVariables.get('token_until') || 0);",
	"if (needsToken && Date.now() > until) {",
	"  const read = (name) => pm.variables.get(name);",
	"  const form = { grant_type: 'client_credentials', client_id: read('client_id'), client_secret: read('client_secret') };",
	"  const urlencoded = Object.entries(form).map(([key, value]) => ({ key, value }));",
	"  const request = { url: read('base_url') + '/v1/auth/token', method: 'POST', body: { mode: 'urlencoded', urlencoded } };",
	"  pm.sendRequest(request, (error, answer) => {",
	"    if (error || answer.code !== 200) return console.error('no access token', error || answer.json());",
	"    const { access_token, expires_in } = answer.json();",
	"    pm.collectionVariables.set('token', access_token);",
	"    pm.collectionVariables.set('token_until', String(Date.now() + (expires_in - 60) * 1000));",
	"  });",
	"}",
];

/** `variables` are those of the guides; outside the sandboxes their values are names, and are left out. */
export function toCollection(
	document: OpenApiDocument,
	variables: Readonly<Record<string, string>>,
): PostmanCollection {
	const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).flatMap(([method, operation]) =>
			// Pages, protocols of others and health checks are no calls of a program.
			operation["x-sdk"] === undefined ? [] : [{ path, method: method.toUpperCase(), operation }],
		),
	);
	const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? "");
	const given = Object.entries(variables).map(([key, value]) => ({ key, value: value.startsWith("$") ? "" : value }));
	const ofPaths = new Map(
		operations.flatMap(({ path, operation }) =>
			suffixedParameters(path, operation).map(({ name, example }) => [name, { key: name, value: toText(example) }]),
		),
	);
	return {
		info: {
			_postman_id: COLLECTION_ID,
			name: document.info.title,
			description: `${document.info.description}\n\nVersion ${document.info.version}.`,
			schema: SCHEMA,
		},
		variable: [...given, { key: "token", value: "" }, { key: "token_until", value: "0" }, ...ofPaths.values()],
		event: [{ listen: "prerequest", script: { type: "text/javascript", exec: TOKEN_SCRIPT } }],
		item: document.tags.flatMap(({ name, description }) => {
			const items = (byTag.get(name) ?? []).map(toItem);
			return items.length === 0 ? [] : [{ name, ...(description === undefined ? {} : { description }), item: items }];
		}),
	};
}

type Found = { readonly path: string; readonly method: string; readonly operation: OperationObject };

const of = ({ parameters = [] }: OperationObject, place: string) => parameters.filter((one) => one.in === place);

/** A segment such as `{id}:approve` cannot have a path variable, so a variable of the collection stands in it. */
function suffixedParameters(path: string, operation: OperationObject): ParameterObject[] {
	return of(operation, "path").filter(({ name }) => !path.split("/").includes(`{${name}}`));
}

function toItem({ path, method, operation }: Found): Item {
	const { summary, description = "" } = operation;
	const suffixed = suffixedParameters(path, operation);
	const segments = path
		.split("/")
		.slice(1)
		.map((segment) =>
			/^\{\w+\}$/.test(segment) ? `:${segment.slice(1, -1)}` : segment.replace(/\{(\w+)\}/, "{{$1}}"),
		);
	const query = of(operation, "query").map(toValue);
	const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
	const variable = of(operation, "path")
		.filter((one) => !suffixed.includes(one))
		.map(toValue);
	const body = toBody(operation);
	return {
		name: summary,
		request: {
			method,
			description,
			header: [
				...credentialsOf(operation),
				...(body ? [{ key: "content-type", value: body.mediaType }] : []),
				...of(operation, "header").map((parameter) =>
					parameter.name === "Idempotency-Key" ? { ...toValue(parameter), value: "{{$guid}}" } : toValue(parameter),
				),
			],
			url: {
				raw: `{{base_url}}/${segments.join("/")}${sent.length > 0 ? `?${sent.join("&")}` : ""}`,
				host: ["{{base_url}}"],
				path: segments,
				...(query.length > 0 ? { query } : {}),
				...(variable.length > 0 ? { variable } : {}),
			},
			...(body ? { body: body.value } : {}),
		},
	};
}

function toValue({ name, required, description, schema, example }: ParameterObject): Value {
	const value = toText(example ?? (Array.isArray(schema.enum) ? schema.enum[0] : ""));
	return { key: name, value, description, ...(required ? {} : { disabled: true as const }) };
}

const toText = (value: unknown): string =>
	typeof value === "string" ? value : value === undefined ? "" : String(value);

function credentialsOf({ security }: OperationObject): Value[] {
	const [first = {}] = security;
	return [
		...("apiKey" in first ? [{ key: "x-api-key", value: "{{api_key}}" }] : []),
		...("bearer" in first ? [{ key: "authorization", value: "Bearer {{token}}" }] : []),
	];
}

function toBody({ requestBody }: OperationObject): { readonly mediaType: string; readonly value: unknown } | undefined {
	const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
	if (mediaType === undefined) return undefined;
	const example = content?.example ?? Object.values(content?.examples ?? {}).find((one) => "value" in one)?.value;
	if (!/json$/.test(mediaType)) {
		const raw = typeof example === "string" ? example : "";
		return { mediaType, value: { mode: "raw", raw } };
	}
	const raw = JSON.stringify(withVariables(example ?? {}), null, 2);
	return { mediaType, value: { mode: "raw", raw, options: { raw: { language: "json" } } } };
}

/** With the collection's credentials; an invoice has its company, the next number and no id of its own, so that it can be sent again. */
function withVariables(example: unknown): unknown {
	if (Array.isArray(example)) return example.map(withVariables);
	if (typeof example !== "object" || example === null) return example;
	const { client_request_id: _, ...others } = example as Readonly<Record<string, unknown>>;
	if ("client_secret" in others && "grant_type" in others) {
		return { grant_type: "client_credentials", client_id: "{{client_id}}", client_secret: "{{client_secret}}" };
	}
	if ("company" in others && "lines" in others) {
		return { ...others, encf: "auto", company: { rnc: "{{company_rnc}}", name: "EMPRESA DE DEMOSTRACION SRL" } };
	}
	return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, withVariables(value)]));
}
