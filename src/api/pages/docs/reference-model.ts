/** What the reference says about an operation: a plain value, from the OpenAPI document in the reader's language and the operation itself. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { limitClassOf } from "../../../identity/rate-limits";
import type { CredentialNeed, Operation } from "../../../platform/operation";
import { catalogue, type Language, type ProblemSlug, translate } from "../../../platform/problem";
import {
	type CodeSample,
	formatJson,
	listSamples,
	type OpenApiDocument,
	problemsOf,
	type ResponseObject,
	type SchemaObject,
	toSampleCall,
} from "../../openapi";

/** A parameter, or a member of a body or an answer. */
export type Member = {
	readonly name: string;
	/** Such as `string`, or `array of object`. */
	readonly type: string;
	readonly isRequired: boolean;
	readonly description: string;
	/** Limits of the value, such as `maxLength 40`. */
	readonly limits: readonly string[];
	readonly members: readonly Member[];
};

export type NamedExample = { readonly name: string; readonly code: string };

export type ReferenceEntry = {
	readonly operation: Operation;
	readonly summary: string;
	readonly description: string;
	readonly credentials: Readonly<Record<"key" | "bearer", CredentialNeed>>;
	/** Class of its rate; undefined where there is no limit. */
	readonly limit: string | undefined;
	readonly samples: readonly CodeSample[];
	/** The body of the samples; undefined without one. */
	readonly sampleBody: string | undefined;
	readonly parameters: readonly (Member & { readonly in: string })[];
	readonly body:
		| {
				readonly mediaTypes: readonly string[];
				readonly limitBytes: number;
				readonly isRequired: boolean;
				readonly members: readonly Member[];
				readonly examples: readonly NamedExample[];
		  }
		| undefined;
	readonly answers: readonly {
		readonly status: string;
		readonly description: string;
		readonly mediaTypes: readonly string[];
		readonly headers: readonly Pick<Member, "name" | "description">[];
		readonly members: readonly Member[];
		readonly example: string | undefined;
	}[];
	readonly problems: readonly {
		readonly slug: ProblemSlug;
		readonly status: number;
		readonly title: string;
		readonly cause: string;
		readonly fix: string;
	}[];
};

export function toReferenceEntry(operation: Operation, document: OpenApiDocument, language: Language): ReferenceEntry {
	const object = document.paths[operation.path]?.[operation.method.toLowerCase()];
	if (!object) throw new Error(`${operation.id} is not in the document`);
	const schemas = createReader(document);
	const { body } = operation;
	const call = toSampleCall(operation);
	const content = Object.entries(object.requestBody?.content ?? {});
	return {
		operation,
		...{ summary: object.summary, description: object.description ?? "", credentials: operation.credentials },
		limit: limitClassOf(operation),
		samples: listSamples(call),
		sampleBody: call.body && toCode(call.body.value),
		parameters: (object.parameters ?? []).map((one) => ({
			...schemas.toMember(one.name, one.schema, one.required, one.description),
			in: one.in,
		})),
		body: body && {
			mediaTypes: content.map(([mediaType]) => mediaType),
			...{ limitBytes: body.limitBytes, isRequired: body.required },
			members: schemas.membersOf(content[0]?.[1].schema ?? {}),
			examples:
				operation.id === "postInvoice"
					? listInvoiceExamples()
					: content.map(([mediaType, { example }]) => ({ name: mediaType, code: toCode(example) })),
		},
		answers: Object.entries(operation.answers).map(([status, { description }]) => {
			const found = resolveAnswer(document, object.responses[status]);
			const media = Object.entries(found?.content ?? {}).filter(([type]) => type !== "application/problem+json");
			const json = media.find(([type]) => type.endsWith("json"))?.[1];
			return {
				status,
				// The document's description also has the problems of the status.
				description: (found?.description ?? description).split("\n\n")[0] ?? "",
				mediaTypes: media.map(([type]) => type),
				headers: Object.entries(found?.headers ?? {}).flatMap(([name, header]) =>
					"$ref" in header ? [] : [{ name, description: header.description }],
				),
				members: json?.schema ? schemas.membersOf(json.schema) : [],
				example: json?.example === undefined ? undefined : toCode(json.example),
			};
		}),
		problems: problemsOf(operation).map((slug) => {
			const { status, title, cause, fix } = catalogue[slug];
			const [shown = "", why = "", how = ""] = [title, cause, fix].map((text) => translate(text, language));
			return { slug, status, title: shown, cause: why, fix: how };
		}),
	};
}

const toCode = (example: unknown) => (typeof example === "string" ? example : formatJson(example));

function resolveAnswer(
	{ components }: OpenApiDocument,
	answer: ResponseObject | { readonly $ref: string } | undefined,
): ResponseObject | undefined {
	return answer && "$ref" in answer ? components.responses[answer.$ref.split("/").at(-1) ?? ""] : answer;
}

const EXAMPLES = join(import.meta.dir, "../../../../data/examples/invoices");
/** Two for each type: the least that it needs, and everything that it takes. */
const EXAMPLE_FILE = /^\d\d-(?:minimal|everything)\.json$/;

function listInvoiceExamples(): NamedExample[] {
	return readdirSync(EXAMPLES)
		.filter((file) => EXAMPLE_FILE.test(file))
		.sort((a, b) => a.slice(0, 2).localeCompare(b.slice(0, 2)) || b.localeCompare(a))
		.map((file) => ({
			name: file.replace(".json", ""),
			code: formatJson(JSON.parse(readFileSync(join(EXAMPLES, file), "utf8"))),
		}));
}

/** Deeper members are left out; the document has them. */
const DEPTH_MAX = 5;
const LIMITS = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern", "default"] as const;

/** The members of what may be any of several objects. One is required if every object requires it. */
function unite(choices: readonly (readonly Member[])[]): Member[] {
	const objects = choices.filter((members) => members.length > 0);
	return [...Map.groupBy(objects.flat(), ({ name }) => name)].map(([name, same]) => ({
		name,
		type: [...new Set(same.flatMap(({ type }) => type.split(" | ")))].join(" | "),
		isRequired: same.length === objects.length && same.every(({ isRequired }) => isRequired),
		description: same.find(({ description }) => description !== "")?.description ?? "",
		limits: [...new Set(same.flatMap(({ limits }) => limits))],
		members: unite(same.map(({ members }) => members)),
	}));
}

function createReader({ components }: OpenApiDocument) {
	const resolve = (schema: SchemaObject): SchemaObject => {
		const { $ref, ...own } = schema;
		return typeof $ref === "string" ? { ...components.schemas[$ref.split("/").at(-1) ?? ""], ...own } : schema;
	};
	const choicesOf = (schema: SchemaObject): SchemaObject[] =>
		Array.isArray(schema.anyOf) ? schema.anyOf.map((one) => resolve(one)) : [schema];

	function typeOf(given: SchemaObject): string {
		const names = choicesOf(resolve(given)).map((schema) => {
			if (schema.const !== undefined) return JSON.stringify(schema.const);
			if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
			if (schema.type === "array") return `array of ${typeOf((schema.items ?? {}) as SchemaObject)}`;
			return `${schema.type ?? "any"}${schema.format === undefined ? "" : ` (${schema.format})`}`;
		});
		return [...new Set(names)].join(" | ");
	}

	/** Members of an object, or of the objects in a list or among choices. */
	function membersOf(given: SchemaObject, depth = 0): Member[] {
		if (depth > DEPTH_MAX) return [];
		const choices = choicesOf(resolve(given)).map((schema): Member[] => {
			if (schema.type === "array") return membersOf((schema.items ?? {}) as SchemaObject, depth);
			const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
			const properties = Object.entries((schema.properties ?? {}) as Record<string, SchemaObject>);
			return properties.map(([name, one]) => toMember(name, one, required.includes(name), undefined, depth + 1));
		});
		return unite(choices);
	}

	function toMember(name: string, given: SchemaObject, isRequired: boolean, words?: string, depth = 0): Member {
		const schema = resolve(given);
		const described = [schema, ...choicesOf(schema)].find(({ description }) => typeof description === "string");
		return {
			...{ name, isRequired, type: typeOf(given), members: membersOf(given, depth) },
			description: words ?? String(described?.description ?? ""),
			limits: choicesOf(schema).flatMap((one) =>
				LIMITS.flatMap((limit) => (one[limit] === undefined ? [] : [`${limit} ${String(one[limit])}`])),
			),
		};
	}
	return { toMember, membersOf };
}
