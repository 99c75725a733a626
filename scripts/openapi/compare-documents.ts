/**
 * Compares two OpenAPI documents of ours, operation by operation, and tells what breaks a caller who was written for the older one.
 *
 * Broken is: an operation that is gone, another scope, a credential more; a parameter that is gone, required or takes less; a body that is
 * required, of fewer media types or takes less; a successful answer that is gone, in fewer media types, or promises less, its headers
 * included. New operations, optional parameters, further members, answers and problems are not.
 */
import { type Comparison, compareSchemas, type Resolve, type Schema } from "./compare-schemas";

/** The parts of a document that are compared. */
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
/** Of these media types a schema describes the body; a body of another one is a text, whatever was said of it. */
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

/** Every set of credentials that opened the operation must still open it. */
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
