/** Writes `src/console/web/api/generated.ts`: what the console's pages may call, with the types of each operation's input and answer. */
import type { OpenApiDocument, ParameterObject } from "../../src/api/openapi";
import { readCalls, type SdkMethod } from "./methods";
import { reachable, toKey, toParameterType, toType } from "./typescript-types";

const HEAD = `/** Written by scripts/generate-sdk.ts from the OpenAPI document. Do not edit. */
`;

const HEADER_INPUTS = {
	idempotencyKey: "idempotencyKey: string;",
	ifMatch: "ifMatch?: string;",
	wait: "wait?: number;",
	scenario: "scenario?: string;",
} as const;

/** Descriptions are left out: they are in the client library's types, and nothing reads them here. */
export function generateConsoleTypes(document: OpenApiDocument): string {
	const calls = readCalls(document);
	const types = reachable(document, calls).map(
		(name) => `export type ${name} = ${toType(withoutTexts(document.components.schemas[name] ?? {}), "")};\n`,
	);
	const operations = calls.map((call) => {
		const answer = call.result.kind === "file" ? "Blob" : call.result.kind === "nothing" ? "null" : toAnswer(call);
		return `\t${call.operationId}: { input: ${toInput(call)}; answer: ${answer} };`;
	});
	const table = calls.map(({ operationId, httpMethod, path }) => `\t${operationId}: "${httpMethod} ${path}",`);
	return [
		HEAD,
		...types,
		`export interface Operations {\n${operations.join("\n")}\n}\n`,
		`export const OPERATIONS: { readonly [Id in keyof Operations]: string } = {\n${table.join("\n")}\n};\n`,
	].join("\n");
}

function toAnswer({ result }: SdkMethod): string {
	return toType(withoutTexts(result.schema ?? {}), "\t");
}

function toInput({ pathParameters, query, body, takes }: SdkMethod): string {
	const group = (name: string, parameters: readonly ParameterObject[]) => {
		if (parameters.length === 0) return [];
		const members = parameters.map(
			(one) => `${toKey(one.name)}${one.required ? "" : "?"}: ${toParameterType(one.schema)}`,
		);
		return [`${name}${parameters.some(({ required }) => required) ? "" : "?"}: { ${members.join("; ")} };`];
	};
	const type = body?.isJson ? toType(withoutTexts(body.schema ?? {}), "\t") : "string | Blob";
	const members = [
		...group("path", pathParameters),
		...group("query", query),
		...(body ? [`body${body.required ? "" : "?"}: ${type};`] : []),
		...[...takes].map((name) => HEADER_INPUTS[name]),
	];
	return members.length === 0 ? "Record<string, never>" : `{ ${members.join(" ")} }`;
}

/** A schema without descriptions; members of that name stay. */
function withoutTexts<T>(schema: T): T {
	const visit = (value: unknown, isMap: boolean): unknown => {
		if (Array.isArray(value)) return value.map((one) => visit(one, false));
		if (typeof value !== "object" || value === null) return value;
		const entries = Object.entries(value).filter(
			([key, inner]) => isMap || key !== "description" || typeof inner !== "string",
		);
		return Object.fromEntries(
			entries.map(([key, inner]) => [
				key,
				visit(inner, !isMap && (key === "properties" || key === "patternProperties")),
			]),
		);
	};
	return visit(schema, false) as T;
}
