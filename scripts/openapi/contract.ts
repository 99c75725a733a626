/** The OpenAPI document without texts and examples, which no program depends on. */

import type { OperationObject } from "../../src/api/openapi";
import { createOpenApi } from "../../src/api/openapi";
import { BASE_URL, declaredOperations } from "../../test/api/support/declared-operations";
import type { Contract } from "./compare-documents";

/** The contract of the current code. */
export async function readContract(): Promise<Contract> {
	const document = await createOpenApi(declaredOperations(), { baseUrl: BASE_URL });
	const { info, paths, components } = document;
	const contract = {
		info: { version: info.version },
		"x-identity-version": document["x-identity-version"],
		paths: mapValues(paths, (methods) => mapValues(methods, toContract)),
		components: { schemas: strip(components.schemas, true) },
	};
	return JSON.parse(JSON.stringify(contract));
}

/** Problems are extensible, so they are left out; of headers only the names count. */
function toContract({ responses, ...operation }: OperationObject): unknown {
	const answers = Object.entries(responses).flatMap(([status, answer]) => {
		// References lead to problems.
		if (Number(status) >= 400 || "$ref" in answer) return [];
		const { headers, content } = answer;
		return [
			[status, { headers: mapValues(headers ?? {}, () => ({})), ...(content ? { content: strip(content) } : {}) }],
		];
	});
	return { ...(strip(operation) as object), responses: Object.fromEntries(answers) };
}

/** Writes one operation and one schema a line. */
export function writeContract({ info, paths, components, ...versions }: Contract): string {
	const list = (lines: readonly string[]) => `{\n${lines.map((line) => `\t\t${line}`).join(",\n")}\n\t}`;
	const operations = Object.entries(paths).map(([path, methods]) => {
		const own = Object.entries(methods).map(([method, one]) => `\t${JSON.stringify(method)}: ${JSON.stringify(one)}`);
		return `${JSON.stringify(path)}: {\n\t\t${own.join(",\n\t\t")}\n\t\t}`;
	});
	const schemas = Object.entries(components.schemas).map(
		([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`,
	);
	return `{
	"info": ${JSON.stringify(info)},
	"x-identity-version": ${JSON.stringify(versions["x-identity-version"])},
	"paths": ${list(operations)},
	"components": { "schemas": ${list(schemas)} }
}
`;
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

const SENTENCES = new Set(["description", "summary", "example", "examples", "title", "operationId"]);

/** Names of members are not keywords: a member may be called `description`. */
function strip(value: unknown, isMap = false): unknown {
	if (Array.isArray(value)) return value.map((one) => strip(one));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([name]) => isMap || !SENTENCES.has(name))
			.map(([name, inner]) => [name, strip(inner, name === "properties" && !isMap)]),
	);
}
