/**
 * Lets `@elysiajs/swagger` collect what the operations declare: parameters, and the schema of each body and answer.
 *
 * The plugin reads the routes of an application. Ours are coarser than the real paths (`src/api/server/app.ts`), so it gets an application that never
 * listens: one stand-in route per operation, named after its id, and every schema as a named model. Three quirks of the framework decide the rest:
 *  - it writes an `$id` into a model without one, so it gets copies;
 *  - an inline schema loses its `additionalProperties`, a model does not, so all are models;
 *  - body and answers share one list of media types, so only the references are used.
 */
import swagger from "@elysiajs/swagger";
import { type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Operation, Parameter } from "../../platform/operation";
import type { Reference, SchemaObject } from "./document";

export type Collected = {
	/** By name, still with the `$id`s of TypeBox. */
	readonly schemas: Readonly<Record<string, SchemaObject>>;
	/** By operation id. */
	readonly operations: ReadonlyMap<string, CollectedOperation>;
};

export type CollectedOperation = {
	readonly parameters: readonly CollectedParameter[];
	readonly body: Reference | undefined;
	readonly answers: Readonly<Record<string, Reference>>;
};

export type CollectedParameter = { readonly name: string; readonly in: string; readonly schema: SchemaObject };

type PluginDocument = {
	readonly paths: Record<string, { readonly post?: PluginOperation } | undefined>;
	readonly components: { readonly schemas: Record<string, SchemaObject> };
};
type PluginContent = { readonly "application/json": { readonly schema: Reference } };
type PluginOperation = {
	readonly parameters?: readonly CollectedParameter[];
	readonly requestBody?: { readonly content: PluginContent };
	readonly responses?: Record<string, { readonly content?: PluginContent }>;
};

const COLLECTED_AT = "/collected";

/** Collects the declarations of all operations as plain JSON. */
export async function collectSchemas(operations: readonly Operation[], named: NamedSchemas): Promise<Collected> {
	const models = Object.fromEntries([...named.byName].map(([name, schema]) => [name, { ...schema }]));
	const app = new Elysia().use(swagger({ specPath: COLLECTED_AT })).model(models);
	for (const operation of operations) {
		app.route("POST", standInPath(operation), () => "", toHooks(operation, named));
	}
	const response = await app.handle(new Request(`http://localhost${COLLECTED_AT}`));
	if (!response.ok) throw new Error(`collecting the operations' schemas failed: ${await response.text()}`);
	const document = (await response.json()) as PluginDocument;
	return {
		schemas: document.components.schemas,
		operations: new Map(operations.map((operation) => [operation.id, readCollected(document, operation)])),
	};
}

function standInPath(operation: Operation): string {
	return `/operations/${operation.id}`;
}

function toHooks({ parameters = [], body, answers }: Operation, named: NamedSchemas) {
	const group = (place: Parameter["in"]) => {
		const all = parameters.filter((parameter) => parameter.in === place);
		return all.length > 0 ? Type.Object(Object.fromEntries(all.map((one) => [one.name, toMember(one)]))) : undefined;
	};
	const response = Object.fromEntries(
		Object.entries(answers).flatMap(([status, { schema }]) => (schema ? [[status, named.nameOf(schema)]] : [])),
	);
	return {
		headers: group("header"),
		params: group("path"),
		query: group("query"),
		...(body ? { body: named.nameOf(body.schema) } : {}),
		...(Object.keys(response).length > 0 ? { response } : {}),
	};
}

function toMember({ schema, required }: Parameter): TSchema {
	return required ? schema : Type.Optional(schema);
}

function readCollected(document: PluginDocument, operation: Operation): CollectedOperation {
	const collected = document.paths[standInPath(operation)]?.post;
	if (!collected) throw new Error(`the operation ${operation.id} was not collected`);
	const answers = Object.entries(collected.responses ?? {}).flatMap(([status, { content }]) =>
		content ? [[status, content["application/json"].schema] as const] : [],
	);
	return {
		parameters: collected.parameters ?? [],
		body: collected.requestBody?.content["application/json"].schema,
		answers: Object.fromEntries(answers),
	};
}

/** Every schema of bodies and answers by its name in the document. */
export type NamedSchemas = {
	readonly byName: ReadonlyMap<string, TSchema>;
	readonly nameOf: (schema: TSchema) => string;
};

/**
 * Names each schema by its `$id`, or after the first operation that uses it. Throws an Error if two different schemas have the same name, because one
 * would silently replace the other.
 */
export function nameSchemas(operations: readonly Operation[]): NamedSchemas {
	const byName = new Map<string, TSchema>();
	const names = new Map<TSchema, string>();
	const add = (schema: TSchema | undefined, fallback: string) => {
		if (!schema || names.has(schema)) return;
		const name = schema.$id ?? fallback;
		const other = byName.get(name);
		if (other && JSON.stringify(other) !== JSON.stringify(schema)) throw new Error(`two schemas have the name ${name}`);
		names.set(schema, name);
		byName.set(name, other ?? schema);
	};
	for (const operation of operations) {
		const title = operation.id.charAt(0).toUpperCase() + operation.id.slice(1);
		add(operation.body?.schema, `${title}Request`);
		const answers = Object.entries(operation.answers);
		const isOne = new Set(answers.flatMap(([, { schema }]) => schema ?? [])).size === 1;
		for (const [status, { schema }] of answers) add(schema, `${title}Answer${isOne ? "" : status}`);
	}
	return {
		byName,
		nameOf: (schema) => {
			const name = names.get(schema);
			if (name === undefined) throw new Error("no operation uses this schema");
			return name;
		},
	};
}
