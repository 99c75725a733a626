/** Writes `src/sdk/typescript/generated.ts`: types of all requests and answers, the methods with their types, and the table that runs them. */
import type { OpenApiDocument, SchemaObject } from "../../src/api/openapi";
import { readMethods, resolve, type SdkMethod } from "./methods";

const HEAD = `/** Written by scripts/generate-sdk.ts from the OpenAPI document. Do not edit. */
import type { CallOptions } from "./client";
import type { FileResult, PageResult } from "./results";
`;

/** Header options of a method, as TypeScript. */
const HEADER_OPTIONS: Readonly<Record<string, string>> = {
	idempotencyKey: "/** A UUID v4. By default a new one for each call. */\n\t\tidempotencyKey?: string;",
	ifMatch: "/** The version that you have read, as its `ETag`. */\n\t\tifMatch?: string;",
	wait: '/** Seconds to wait for the authority\'s verdict, 1 to 25. */\n\t\twait?: number;\n\t\t/** How warnings count: `strict` refuses them, `lenient` sends all the same. */\n\t\thandling?: "strict" | "lenient";',
	scenario: "/** Sandboxes only: what the authority does, such as `reject`. */\n\t\tscenario?: string;",
};

export function generateTypeScript(document: OpenApiDocument): string {
	const methods = readMethods(document);
	const resources = Map.groupBy(methods, ({ resource }) => resource);
	const names = reachable(document, methods);
	const types = names.map((name) => {
		const schema = document.components.schemas[name] ?? {};
		return `${comment(schema.description, "")}export type ${name} = ${toType(schema, "")};\n`;
	});
	const interfaces = [...resources].map(
		([resource, own]) => `export interface ${capitalise(resource)}Methods {\n${own.map(toSignature).join("\n")}\n}\n`,
	);
	const fields = [...resources.keys()].map((resource) => `\t${resource}: ${capitalise(resource)}Methods;`);
	const table = [...resources].map(([resource, own]) => {
		return `\t${resource}: {\n${own.map((method) => `\t\t${method.verb}: ${JSON.stringify(toPlan(method))},`).join("\n")}\n\t},`;
	});
	return [
		HEAD,
		...types,
		...interfaces,
		`export interface Resources {\n${fields.join("\n")}\n}\n`,
		`/** How each method is called; see \`readPlan\` in client.ts. */\nexport const PLANS: Record<string, Record<string, string>> = {\n${table.join("\n")}\n};\n`,
	].join("\n");
}

/** How a method is called, as `readPlan` of `client.ts` reads it: `POST /v1/invoices bkti`. */
function toPlan({ httpMethod, path, body, sendsKey, sendsToken, takes, result }: SdkMethod): string {
	const flags = [
		body ? (body.isJson ? "b" : "r") : "",
		sendsKey ? "k" : "",
		sendsToken ? "t" : "",
		takes.has("idempotencyKey") ? "i" : "",
		result.kind === "page" ? "p" : result.kind === "file" ? "f" : "",
	].join("");
	const further = result.kind === "page" ? result.items : body && !body.isJson ? body.mediaType : undefined;
	return [httpMethod, path, flags || "-", further].filter((part) => part !== undefined).join(" ");
}

function toSignature(method: SdkMethod): string {
	const { verb, summary, description, pathParameters, query, body, result, takes } = method;
	const path = pathParameters.map(({ name }) => `${name}: string`);
	const bodyType = body ? (body.isJson ? toType(body.schema ?? {}, "\t") : "string | Uint8Array") : "";
	const bodies = body ? [`body${body.required ? "" : "?"}: ${bodyType}`] : [];
	const isRequired = query.some((one) => one.required);
	const members = query.map((one) => {
		const { description: text, required, schema, name } = one;
		return `${comment(text, "\t\t")}\t\t${toKey(name)}${required ? "" : "?"}: ${toParameterType(schema)};`;
	});
	const headers = [...takes].map((name) => `\t\t${HEADER_OPTIONS[name]}`);
	const raw = body && !body.isJson ? ["\t\t/** The media type of the body. */\n\t\tcontentType?: string;"] : [];
	const own = [...members, ...headers, ...raw];
	const options = own.length > 0 ? `CallOptions & {\n${own.join("\n")}\n\t}` : "CallOptions";
	const all = [...path, ...bodies, `options${isRequired ? "" : "?"}: ${options}`];
	const text = description ? `${summary}. ${description.split("\n\n")[0]}` : `${summary}.`;
	return `${comment(text, "\t")}\t${verb}(${all.join(", ")}): ${toResult(result)};`;
}

function toResult(result: SdkMethod["result"]): string {
	if (result.kind === "nothing") return "Promise<null>";
	if (result.kind === "file") return "Promise<FileResult>";
	const type = toType(result.schema ?? {}, "\t");
	if (result.kind !== "page") return `Promise<${type}>`;
	return `PageResult<${type}, ${type}["${result.items}"][number]>`;
}

export function toParameterType(schema: SchemaObject): string {
	const { pattern } = schema;
	const type = toType(schema, "\t\t");
	if (type === '"true" | "false"' || pattern === "^(true|false)$") return "boolean";
	const takesNumbers = typeof pattern === "string" && new RegExp(pattern).test("12") && !new RegExp(pattern).test("x");
	return type === "string" && takesNumbers ? "string | number" : type;
}

/** The TypeScript type of a schema; object members begin on lines with one more tab than `indent`. */
export function toType(schema: SchemaObject, indent: string): string {
	const { $ref, type, enum: values, anyOf, allOf, oneOf, items, properties, required = [] } = schema;
	if (typeof $ref === "string") return $ref.split("/").at(-1) ?? "unknown";
	if ("const" in schema) return JSON.stringify(schema.const);
	if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
	const union = (anyOf ?? oneOf) as readonly SchemaObject[] | undefined;
	if (union) return [...new Set(union.map((one) => toType(one, indent)))].join(" | ") || "never";
	if (allOf) return (allOf as readonly SchemaObject[]).map((one) => inBrackets(toType(one, indent))).join(" & ");
	if (type === "string" || type === "boolean" || type === "null") return type;
	if (type === "integer" || type === "number") return "number";
	if (type === "array") return `${inBrackets(toType((items ?? {}) as SchemaObject, indent))}[]`;
	if (type !== "object") return "unknown";
	const further = [
		...Object.values((schema.patternProperties ?? {}) as Record<string, SchemaObject>),
		...toFurther(schema),
	];
	if (!properties) return `Record<string, ${further.length > 0 ? toType(further[0] ?? {}, indent) : "unknown"}>`;
	const lines = Object.entries(properties as Record<string, SchemaObject>).map(([name, inner]) => {
		const mark = (required as readonly string[]).includes(name) ? "" : "?";
		return `${comment(inner.description, `${indent}\t`)}${indent}\t${toKey(name)}${mark}: ${toType(inner, `${indent}\t`)};`;
	});
	return lines.length === 0 ? "Record<string, unknown>" : `{\n${lines.join("\n")}\n${indent}}`;
}

const toFurther = ({ additionalProperties }: SchemaObject): SchemaObject[] =>
	typeof additionalProperties === "object" && additionalProperties !== null
		? [additionalProperties as SchemaObject]
		: [];

const isOneObject = (type: string) => /^\{[\s\S]*\}$/.test(type) && !/\} [|&] /.test(type);
const inBrackets = (type: string) => (/[|&]/.test(type) && !isOneObject(type) ? `(${type})` : type);
export const toKey = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const capitalise = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

function comment(text: unknown, indent: string): string {
	if (typeof text !== "string") return "";
	const lines = text.replaceAll("*/", "*\\/").trim().split("\n");
	if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
	return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Names of all schemas that methods need, and of the events that webhooks bring, in alphabetical order. */
export function reachable(document: OpenApiDocument, methods: readonly SdkMethod[]): string[] {
	const found = new Set<string>();
	const visit = (value: unknown): void => {
		if (Array.isArray(value)) for (const inner of value) visit(inner);
		if (typeof value !== "object" || value === null || Array.isArray(value)) return;
		const { $ref } = value as SchemaObject;
		if (typeof $ref === "string") {
			const name = $ref.split("/").at(-1) ?? "";
			if (found.has(name)) return;
			found.add(name);
			visit(resolve(document, value as SchemaObject));
		}
		for (const inner of Object.values(value)) visit(inner);
	};
	for (const { body, result, query } of methods) {
		if (!body || body.isJson) visit(body?.schema);
		if (result.kind === "json" || result.kind === "page") visit(result.schema);
		visit(query.map(({ schema }) => schema));
	}
	visit({ $ref: "#/components/schemas/WebhookEvent" });
	return [...found].sort();
}
