/** Writes `src/console/web/api/generated.ts`: what the console's pages may call, with the types of each operation's input and answer. */
import type { OpenApiDocument, ParameterObject } from "../../src/api/openapi";
import { readCalls, readMethods, type SdkMethod } from "./methods";
import { reachable, toKey, toParameterType, toType } from "./typescript-types";

const HEAD = `/** Written by scripts/generate-sdk.ts from the OpenAPI document. Do not edit. */
`;

const SDK = "../../../sdk/typescript";

const HEADER_INPUTS = {
	idempotencyKey: "idempotencyKey: string;",
	ifMatch: "ifMatch?: string;",
	wait: "wait?: number;",
	scenario: "scenario?: string;",
} as const;

/** Takes the types of `library`, the client library's document, from there. */
export function generateConsoleTypes(document: OpenApiDocument, library: OpenApiDocument): string {
	const calls = readCalls(document);
	const shared = new Set(reachable(library, readMethods(library)));
	const own = reachable(document, calls)
		.filter((name) => !shared.has(name))
		.map((name) => `export type ${name} = ${toType(document.components.schemas[name] ?? {}, "")};\n`);
	const operations = calls.map((call) => {
		const answer = { file: "Blob", nothing: "null", page: undefined, json: undefined }[call.result.kind];
		return `\t${call.operationId}: { input: ${toInput(call)}; answer: ${answer ?? toType(call.result.schema ?? {}, "\t")} };`;
	});
	const table = calls.map(({ operationId, httpMethod, path }) => `\t${operationId}: "${httpMethod} ${path}",`);
	const types = [...own, `export interface Operations {\n${operations.join("\n")}\n}\n`].join("\n");
	const words = new Set(types.replaceAll(/\/\*[\s\S]*?\*\//g, "").split(/\W+/));
	const imported = [...shared].filter((name) => words.has(name));
	return [
		HEAD,
		`import type {\n${imported.map((name) => `\t${name},`).join("\n")}\n} from "${SDK}";\n`,
		`export type * from "${SDK}";\n`,
		types,
		`export const OPERATIONS: { readonly [Id in keyof Operations]: string } = {\n${table.join("\n")}\n};\n`,
	].join("\n");
}

function toInput({ pathParameters, query, body, takes }: SdkMethod): string {
	const group = (name: string, parameters: readonly ParameterObject[]) => {
		if (parameters.length === 0) return [];
		const members = parameters.map(
			(one) => `${toKey(one.name)}${one.required ? "" : "?"}: ${toParameterType(one.schema)}`,
		);
		return [`${name}${parameters.some(({ required }) => required) ? "" : "?"}: { ${members.join("; ")} };`];
	};
	const type = body?.isJson ? toType(body.schema ?? {}, "\t") : "string | Blob";
	const members = [
		...group("path", pathParameters),
		...group("query", query),
		...(body ? [`body${body.required ? "" : "?"}: ${type};`] : []),
		...[...takes].map((name) => HEADER_INPUTS[name]),
	];
	return members.length === 0 ? "Record<string, never>" : `{ ${members.join(" ")} }`;
}
