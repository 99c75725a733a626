/** Turns the schemas that validate requests into the plain JSON Schema of the document. */
import type { Reference, SchemaObject } from "./document";

export type SchemaWriter = {
	/** Adds a schema under a name. Throws an Error if a different one has it. */
	readonly add: (name: string, schema: SchemaObject) => void;
	/** The schema as plain JSON; nested schemas with an `$id` become named ones, and references take their place. */
	readonly toPlain: (schema: SchemaObject) => SchemaObject;
	readonly named: () => Record<string, SchemaObject>;
};

/** Keywords that only our validation uses. */
const HOUSE_KEYWORDS = new Set(["$id", "faultCode", "faultDetail", "ownPattern"]);
/** Keywords with nested schemas. Source: JSON Schema 2020-12, core, section 10.3. */
const ONE = new Set(["items", "additionalProperties", "not", "propertyNames", "contains", "if", "then", "else"]);
const LIST = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);
const MAP = new Set(["properties", "patternProperties", "$defs"]);

export function createSchemaWriter(): SchemaWriter {
	const all = new Map<string, SchemaObject>();

	function add(name: string, schema: SchemaObject): void {
		const plain = toPlain(schema);
		const other = all.get(name);
		if (other && JSON.stringify(other) !== JSON.stringify(plain)) throw new Error(`two schemas have the name ${name}`);
		all.set(name, plain);
	}

	function visit(schema: unknown): unknown {
		if (!isObject(schema)) return schema;
		if (typeof schema.$id !== "string") return toPlain(schema);
		add(schema.$id, schema);
		return referTo(schema.$id);
	}

	function toPlain(schema: SchemaObject): SchemaObject {
		const entries = Object.entries(withoutAnyName(withEnumeration(schema)));
		return Object.fromEntries(
			entries
				.filter(([keyword]) => !HOUSE_KEYWORDS.has(keyword))
				// A released member states in its description what a later pattern refuses: generated clients keep what they accept.
				.filter(([keyword]) => keyword !== "pattern" || schema.ownPattern !== true)
				.map(([keyword, value]) => [keyword, inside(keyword, value)]),
		);
	}

	function inside(keyword: string, value: unknown): unknown {
		if (keyword === "$ref" && typeof value === "string") return referTo(value).$ref;
		if (ONE.has(keyword)) return visit(value);
		if (LIST.has(keyword) && Array.isArray(value)) return value.map(visit);
		if (MAP.has(keyword) && isObject(value)) {
			return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, visit(schema)]));
		}
		return value;
	}

	return { add, toPlain, named: () => Object.fromEntries(all) };
}

export function referTo(name: string): Reference {
	return { $ref: name.startsWith("#/") ? name : `#/components/schemas/${name}` };
}

/** A union of constants, or a pattern of words, becomes an `enum`, for which client generators create a type. */
function withEnumeration(schema: SchemaObject): SchemaObject {
	const { anyOf, ...others } = schema;
	const constants = onlyConstants(anyOf);
	if (constants) return { ...constants, ...others };
	const { pattern, ...besides } = schema;
	const words = typeof pattern === "string" ? wordsOf(pattern) : undefined;
	return words ? { ...besides, enum: words } : schema;
}

/** The words of a pattern such as `^(in|out)$`; undefined for other patterns. */
export function wordsOf(pattern: string): string[] | undefined {
	return /^\^\(([\w-]+(?:\|[\w-]+)*)\)\$$/.exec(pattern)?.[1]?.split("|");
}

/** TypeBox writes a record with a pattern that every name matches, which client generators read as members of any type. */
const ANY_NAME = "^(.*)$";

function withoutAnyName(schema: SchemaObject): SchemaObject {
	const { patternProperties, ...others } = schema;
	if (!isObject(patternProperties) || Object.keys(patternProperties).join() !== ANY_NAME) return schema;
	return { ...others, additionalProperties: patternProperties[ANY_NAME] };
}

/** Type and values of a union of constants; undefined for other unions. */
function onlyConstants(options: unknown): SchemaObject | undefined {
	if (!Array.isArray(options) || options.length === 0) return undefined;
	if (!options.every((option) => isObject(option) && "const" in option)) return undefined;
	const types = new Set(options.map((option: SchemaObject) => option.type));
	const values = options.map((option: SchemaObject) => option.const);
	return types.size === 1 ? { type: [...types][0], enum: values } : { enum: values };
}

function isObject(value: unknown): value is SchemaObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
