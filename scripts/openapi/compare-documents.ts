/**
 * Compares two of our OpenAPI documents, operation by operation, and reports what breaks callers written for the older one.
 *
 * Breaking: a removed operation, another scope, an additional credential; a parameter that is removed, newly required or accepts less; a
 * body
 * that is newly required, has fewer media types or accepts less; a successful answer that is removed, has fewer media types or guarantees
 * less, headers included. New operations, optional parameters, members, answers and problems do not break.
 */
import { type Comparison, compareSchemas, type Resolve, type Schema } from "./compare-schemas";

/** The compared parts of a document. */
export type Contract = {
	readonly info: { readonly version: string };
	readonly "x-identity-version": string;
	readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export type ContractOperation = {
	readonly tags: readonly string[];
	readonly security: readonly Readonly<Record<string, readonly string[]>>[];
	readonly "x-scope"?: string;
	readonly deprecated?: boolean;
	readonly parameters?: readonly ContractParameter[];
	readonly requestBody?: { readonly required: boolean; readonly content: Content };
	readonly responses: Readonly<Record<string, ContractResponse>>;
};

export type ContractParameter = {
	readonly name: string;
	readonly in: string;
	readonly required: boolean;
	readonly schema: Schema;
};
export type ContractResponse = { readonly headers?: Readonly<Record<string, unknown>>; readonly content?: Content };
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export type Area = "invoicing" | "identity";
export type Break = { readonly area: Area; readonly operation: string; readonly sentence: string };

const IDENTITY_TAG = "Registry";
/** A schema describes the body only for these media types; any other body is opaque text. */
const HAS_VALUE = /[/+]json$|^multipart\/form-data$|^application\/x-www-form-urlencoded$/;
const PROBLEM_MEDIA_TYPE = "application/problem+json";

export function compareDocuments(old: Contract, now: Contract): Break[] {
	const resolvers = { before: resolveIn(old), after: resolveIn(now) };
	return Object.entries(old.paths).flatMap(([path, methods]) =>
		Object.entries(methods).flatMap(([method, before]) => {
			const after = now.paths[path]?.[method];
			const sentences = after ? compareOperations(resolvers, before, after) : ["the operation is gone"];
			const area: Area = before.tags.includes(IDENTITY_TAG) ? "identity" : "invoicing";
			return sentences.map((sentence) => ({ area, operation: `${method.toUpperCase()} ${path}`, sentence }));
		}),
	);
}

type Resolvers = Omit<Comparison, "direction">;

function resolveIn({ components }: Contract): Resolve {
	return (schema) => {
		let found = schema;
		while (typeof found.$ref === "string") {
			const name = found.$ref.slice("#/components/schemas/".length);
			const next = components.schemas[name];
			if (!next) throw new Error(`the document has no schema ${name}`);
			found = next;
		}
		return found;
	};
}

function compareOperations(on: Resolvers, old: ContractOperation, now: ContractOperation): string[] {
	return [
		...compareCredentials(old, now),
		...compareParameters(on, old.parameters ?? [], now.parameters ?? []),
		...compareBodies(on, old.requestBody, now.requestBody),
		...compareAnswers(on, old.responses, now.responses),
	];
}

/** Every set of credentials that was sufficient must stay sufficient. */
function compareCredentials(old: ContractOperation, now: ContractOperation): string[] {
	const [oldScope, nowScope] = [old["x-scope"], now["x-scope"]];
	const scope = nowScope !== undefined && nowScope !== oldScope ? [`the scope ${nowScope} is needed now`] : [];
	const opens = (set: readonly string[]) =>
		now.security.length === 0 || now.security.some((needed) => Object.keys(needed).every((name) => set.includes(name)));
	const sets = old.security.length === 0 ? [[]] : old.security.map((set) => Object.keys(set));
	const shut = sets.filter((set) => !opens(set));
	return [...scope, ...shut.map((set) => `${set.join(" and ") || "no credential"} is no longer enough`)];
}

function compareParameters(
	on: Resolvers,
	old: readonly ContractParameter[],
	now: readonly ContractParameter[],
): string[] {
	const keyOf = ({ name, in: place }: ContractParameter) => `${place} ${name}`;
	const oldKeys = new Map(old.map((one) => [keyOf(one), one]));
	const nowKeys = new Map(now.map((one) => [keyOf(one), one]));
	const gone = [...oldKeys.keys()].filter((key) => !nowKeys.has(key)).map((key) => `${key}: the parameter is gone`);
	const others = [...nowKeys].flatMap(([key, parameter]) => {
		const before = oldKeys.get(key);
		const needed = parameter.required && !before?.required ? [`${key}: the parameter is required now`] : [];
		if (!before) return needed;
		const inner = compareSchemas({ ...on, direction: "input" }, before.schema, parameter.schema, key);
		return [...needed, ...inner];
	});
	return [...gone, ...others];
}

function compareBodies(
	on: Resolvers,
	old: ContractOperation["requestBody"],
	now: ContractOperation["requestBody"],
): string[] {
	const needed = now?.required && !old?.required ? ["a body is required now"] : [];
	if (!old) return needed;
	if (!now) return ["no body is taken any more"];
	return [...needed, ...compareContents({ ...on, direction: "input" }, old.content, now.content, "body")];
}

function compareAnswers(
	on: Resolvers,
	old: Readonly<Record<string, ContractResponse>>,
	now: Readonly<Record<string, ContractResponse>>,
): string[] {
	const good = Object.entries(old).filter(([status]) => Number(status) < 400);
	return good.flatMap(([status, before]) => {
		const after = now[status];
		if (!after) return [`the answer ${status} is gone`];
		const headers = Object.keys(before.headers ?? {}).filter((name) => !(name in (after.headers ?? {})));
		return [
			...headers.map((name) => `${status}: the header ${name} is gone`),
			...compareContents({ ...on, direction: "output" }, before.content ?? {}, after.content ?? {}, status),
		];
	});
}

function compareContents(on: Comparison, old: Content, now: Content, place: string): string[] {
	return Object.entries(old).flatMap(([mediaType, before]) => {
		if (mediaType === PROBLEM_MEDIA_TYPE) return [];
		const after = now[mediaType];
		if (!after) return [`${place}: ${mediaType} is gone`];
		const isValue = HAS_VALUE.test(mediaType);
		return isValue && before.schema && after.schema ? compareSchemas(on, before.schema, after.schema, place) : [];
	});
}
