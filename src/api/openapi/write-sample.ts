/**
 * Writes a call in curl, TypeScript, Python and PHP. Each sample is complete: it needs credentials alone, which are `{{variables}}` of the guides.
 *
 * A value is written by one printer with the syntax of the language; what fits a line stands in one.
 */
import type { SampleCall } from "./sample-call";

export type CodeSample = {
	/** Name of its tab. */
	readonly tab: "curl" | "typescript" | "python" | "php";
	/** Language of the code, as fences name it. */
	readonly language: string;
	readonly code: string;
};

/** Curl for all operations, the others where the client libraries have a method. */
export function listSamples(call: SampleCall): CodeSample[] {
	const { sdk } = call.operation;
	const curl: CodeSample = { tab: "curl", language: "bash", code: toCurl(call) };
	if (sdk === null) return [curl];
	return [
		curl,
		{ tab: "typescript", language: "ts", code: toTypeScript(call, sdk) },
		{ tab: "python", language: "python", code: toPython(call, sdk) },
		{ tab: "php", language: "php", code: toPhp(call, sdk) },
	];
}

const WIDTH = 88;
/** About what stands before the arguments of a method. */
const PREFIX = 44;

/** How a language writes values. */
type Syntax = {
	readonly object: readonly [open: string, close: string];
	readonly list: readonly [open: string, close: string];
	readonly name: (name: string) => string;
	readonly text: (text: string) => string;
	readonly words: Readonly<Record<"true" | "false" | "null", string>>;
	/** Width of a step, in spaces. */
	readonly step: number;
};

const JSON_WORDS = { true: "true", false: "false", null: "null" };
const JSON_SYNTAX: Syntax = {
	...{ object: ["{", "}"], list: ["[", "]"], words: JSON_WORDS, step: 2 },
	name: (name) => `${JSON.stringify(name)}: `,
	text: (text) => JSON.stringify(text),
};
const TYPESCRIPT: Syntax = {
	...JSON_SYNTAX,
	name: (name) => `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}: `,
};
const PYTHON: Syntax = { ...JSON_SYNTAX, words: { true: "True", false: "False", null: "None" }, step: 4 };
const PHP: Syntax = {
	...{ object: ["[", "]"], list: ["[", "]"], words: JSON_WORDS, step: 4 },
	name: (name) => `${quotePhp(name)} => `,
	text: quotePhp,
};

/** A JSON value as text. */
export const formatJson = (value: unknown) => write(value, JSON_SYNTAX);

/** A value; `column` is where its last line begins, `before` what stands before it in its first line. */
function write(value: unknown, syntax: Syntax, column = 0, before = column): string {
	if (value === null || typeof value === "boolean") return syntax.words[String(value) as keyof Syntax["words"]];
	if (typeof value === "string") return syntax.text(value);
	if (typeof value !== "object") return String(value);
	const isList = Array.isArray(value);
	const [open, close] = isList ? syntax.list : syntax.object;
	const inner = column + syntax.step;
	const entries = Object.entries(value).filter(([, member]) => member !== undefined);
	const parts = entries.map(([name, member]) => {
		const named = isList ? "" : syntax.name(name);
		return named + write(member, syntax, inner, inner + named.length);
	});
	if (parts.length === 0) return open + close;
	const gap = isList || open === "[" ? "" : " ";
	const line = `${open}${gap}${parts.join(", ")}${gap}${close}`;
	if (before + line.length <= WIDTH && !line.includes("\n")) return line;
	const pad = " ".repeat(inner);
	return `${open}\n${parts.map((part) => pad + part).join(",\n")}\n${" ".repeat(column)}${close}`;
}

/** An object, without what has no value. */
const listed = (members: Readonly<Record<string, unknown>>) =>
	Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

// curl

const TOKEN = `TOKEN=$(curl -s {{base_url}}/v1/auth/token -H 'accept: text/plain' \\
  -d "grant_type=client_credentials&client_id={{client_id}}&client_secret={{client_secret}}")
`;

function toCurl(call: SampleCall): string {
	const { operation, wait } = call;
	const { method, credentials, parameters = [] } = operation;
	const needsToken = credentials.bearer === "required";
	const isKeyed = parameters.some(({ name }) => name === "Idempotency-Key");
	const credentialHeaders = [
		...(credentials.key === "required" ? [`-H "x-api-key: {{api_key}}"`] : []),
		...(needsToken ? [`-H "authorization: Bearer $TOKEN"`] : []),
	].join(" ");
	const headers = [
		...(credentialHeaders ? [credentialHeaders] : []),
		...(isKeyed ? [`-H "idempotency-key: $(uuidgen)"`] : []),
		...Object.entries(call.headers).map(([name, value]) => `-H '${name.toLowerCase()}: ${value}'`),
		...(wait === undefined ? [] : [`-H 'prefer: wait=${wait}'`]),
	];
	const isPlain = method === "GET" || (method === "POST" && call.body !== undefined);
	const file = fileOf(call);
	const options = [
		...(isPlain ? [] : [`-X ${method}`]),
		...(file === undefined ? [] : [`-o ${file}`]),
		...headers,
		...toCurlBody(call),
	];
	const address = `"${addressOf(call)}"`;
	return `${needsToken ? TOKEN : ""}${[`curl -s ${address}`, ...options].join(" \\\n  ")}\n`;
}

/** Where an answer goes that is a file; undefined for what is shown. */
const fileOf = ({ operation }: SampleCall): string | undefined =>
	FILES[operation.answers[200]?.mediaType ?? "application/json"];
const FILES: Readonly<Record<string, string>> = {
	"application/pdf": "document.pdf",
	"application/xml": "document.xml",
	"application/zip": "documents.zip",
	"application/zstd": "registry.zst",
	"text/csv": "list.csv",
};

function addressOf({ operation, path, query }: SampleCall): string {
	const filled = path.reduce(
		(text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(value)),
		operation.path,
	);
	const asked = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
	return `{{base_url}}${filled}${asked.length > 0 ? `?${asked.join("&")}` : ""}`;
}

function toCurlBody({ body }: SampleCall): string[] {
	if (!body) return [];
	const { mediaType, value } = body;
	const type = `-H 'content-type: ${mediaType}'`;
	if (mediaType === "multipart/form-data") return formOf(value, "--form-string");
	if (mediaType === "application/x-www-form-urlencoded" && typeof value !== "string") {
		return formOf(value, "--data-urlencode");
	}
	const text = typeof value === "string" ? value.replaceAll("\r\n", "\n") : write(value, JSON_SYNTAX);
	return [type, `--data-binary ${quoteShell(text)}`];
}

const formOf = (value: unknown, option: string) =>
	Object.entries(value as object).map(([name, text]) => `${option} ${quoteShell(`${name}=${text}`)}`);

const quoteShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

// Client libraries

/** Positional values, the path's parameters and then the body, and options by name. */
function argumentsOf({ path, body, query, wait }: SampleCall) {
	const content = body && (typeof body.value === "string" ? body.value.replaceAll("\r\n", "\n") : body.value);
	return {
		positional: [...path.map(([, value]) => value), ...(body ? [content] : [])],
		options: listed({ ...Object.fromEntries(Object.entries(query).map(toTyped)), wait }),
	};
}

/** Libraries take numbers of the query as numbers. */
const toTyped = ([name, value]: readonly [string, string]) =>
	[name, /^(?:0|[1-9]\d{0,11})$/.test(value) ? Number(value) : value] as const;

/** The credentials that the call needs, by their names in TypeScript. */
function credentialsOf({ operation }: SampleCall): Readonly<Record<string, string>> {
	const { key, bearer } = operation.credentials;
	return {
		baseUrl: "{{base_url}}",
		...(key === "required" ? { apiKey: "{{api_key}}" } : {}),
		...(bearer === "required" ? { clientId: "{{client_id}}", clientSecret: "{{client_secret}}" } : {}),
	};
}

/** Whether the method answers a page, over whose items one can iterate. */
function isPaged({ operation }: SampleCall): boolean {
	const properties: object = operation.answers[200]?.schema?.properties ?? {};
	const takesCursor = operation.parameters?.some((one) => one.name === "after" && one.in === "query") ?? false;
	return takesCursor && "next" in properties && ["items", "runs", "changes"].some((name) => name in properties);
}

function toTypeScript(call: SampleCall, sdk: string): string {
	const { positional, options } = argumentsOf(call);
	const parts = [...positional, ...(Object.keys(options).length > 0 ? [options] : [])];
	const method = `sello.${sdk}(${parts.map((part) => write(part, TYPESCRIPT, 0, PREFIX)).join(", ")})`;
	const client = `new Sello(${write(credentialsOf(call), TYPESCRIPT)})`;
	return `import { Sello } from "@sello/sdk";

const sello = ${client};
${toTypeScriptResult(call, method)}
`;
}

function toTypeScriptResult(call: SampleCall, method: string): string {
	const file = fileOf(call);
	if (file !== undefined) return `await (await ${method}).save(${JSON.stringify(file)});`;
	if (isPaged(call)) return `for await (const item of ${method}) console.log(item);`;
	if (!returnsContent(call)) return `await ${method};`;
	return `const result = await ${method};\nconsole.log(result);`;
}

const returnsContent = ({ operation }: SampleCall) =>
	Object.entries(operation.answers).some(([status, { schema }]) => Number(status) < 300 && schema !== undefined);

/** Python's own words that are names of parameters take an underscore, as in its library. */
const PYTHON_WORDS: ReadonlySet<string> = new Set(["as", "from"]);
const toPythonName = (name: string) => (PYTHON_WORDS.has(name) ? `${name}_` : toSnake(name));
const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toPython(call: SampleCall, sdk: string): string {
	const { positional, options } = argumentsOf(call);
	const named = (members: Readonly<Record<string, unknown>>) =>
		Object.entries(members).map(([name, value]) => `${toPythonName(name)}=${write(value, PYTHON)}`);
	const parts = [...positional.map((part) => write(part, PYTHON, 0, PREFIX)), ...named(options)];
	const method = `sello.${toSnake(sdk)}(${parts.join(", ")})`;
	return `from sello_ecf import Sello

sello = Sello(${wrap(named(credentialsOf(call)))})
${toPythonResult(call, method)}
`;
}

function toPythonResult(call: SampleCall, method: string): string {
	const file = fileOf(call);
	if (file !== undefined) return `${method}.save(${JSON.stringify(file)})`;
	if (isPaged(call)) return `for item in ${method}:\n    print(item)`;
	return returnsContent(call) ? `result = ${method}\nprint(result)` : method;
}

function toPhp(call: SampleCall, sdk: string): string {
	const { positional, options } = argumentsOf(call);
	const named = (members: Readonly<Record<string, unknown>>) =>
		Object.entries(members).map(([name, value]) => `${name}: ${write(value, PHP)}`);
	const parts = [...positional.map((part) => write(part, PHP, 0, PREFIX)), ...named(options)];
	const method = `$sello->${sdk.replace(".", "->")}(${parts.join(", ")})`;
	return `<?php
require "vendor/autoload.php";

$sello = new Sello\\Client(${wrap(named(credentialsOf(call)))});
${toPhpResult(call, method)}
`;
}

/** Arguments of a constructor, in one line if they fit. */
function wrap(parts: readonly string[]): string {
	const line = parts.join(", ");
	return line.length + 24 <= WIDTH ? line : `\n${parts.map((part) => `    ${part},\n`).join("")}`;
}

function toPhpResult(call: SampleCall, method: string): string {
	const file = fileOf(call);
	if (file !== undefined) return `${method}->save(${quotePhp(file)});`;
	if (isPaged(call)) return `foreach (${method} as $item) {\n    print_r($item);\n}`;
	return returnsContent(call) ? `$result = ${method};\nprint_r($result);` : `${method};`;
}

function quotePhp(text: string): string {
	if (text.includes("\n")) return `"${text.replace(/[\\"$]/g, "\\$&").replaceAll("\n", "\\n")}"`;
	return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
