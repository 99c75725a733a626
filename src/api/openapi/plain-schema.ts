/** Turns the schemas that the service checks with into the plain JSON Schema of the document. */
import type { Reference, SchemaObject } from "./document";

export type SchemaWriter = {
	/** Takes a schema in under a name. Throws an Error when another one has it. */
	readonly add: (name: string, schema: SchemaObject) => void;
	/** The schema as the document shows it; what has an `$id` in it moves to the named ones and leaves a reference. */
	readonly toPlain: (schema: SchemaObject) => SchemaObject;
	/** All named schemas so far. */
	readonly named: () => Record<string, SchemaObject>;
};

/** Keywords that only our own checks read. */
const HOUSE_KEYWORDS = new Set(["$id", "faultCode", "faultDetail"]);
/** Where a schema holds further schemas. Source: JSON Schema 2020-12, core, section 10.3. */
const ONE = new Set(["items", "additionalProperties", "not", "propertyNames", "contains", "if", "then", "else"]);
const LIST = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);
const MAP = new Set(["properties", "patternProperties", "$defs"]);

export function createSchemaWriter(): SchemaWriter {
	const all = new Map<string, SchemaObject>();

	function add(name: string, schema: SchemaObject): void {
		const plain = toPlain(schema);
		const other = all.get(name);
		if (other && JSON.stringify(other) !== JSON.stringify(plain)) throw new Error(`two schemas are called ${name}`);
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

/** A choice of constants, or a pattern of words, is told as an enumeration: generators of clients make a type of its values. */
function withEnumeration(schema: SchemaObject): SchemaObject {
	const { anyOf, ...others } = schema;
	const constants = onlyConstants(anyOf);
	if (constants) return { ...constants, ...others };
	const { pattern, ...besides } = schema;
	const words = typeof pattern === "string" ? wordsOf(pattern) : undefined;
	return words ? { ...besides, enum: words } : schema;
}

/** The words that a pattern lets through: `^(in|out)$`; undefined for a pattern of another kind. */
export function wordsOf(pattern: string): string[] | undefined {
	return /^\^\(([\w-]+(?:\|[\w-]+)*)\)\$$/.exec(pattern)?.[1]?.split("|");
}

/** How TypeBox writes a record: a pattern for its names that all of them fit. Generators read members by a pattern as members of any kind. */
const ANY_NAME = "^(.*)$";

function withoutAnyName(schema: SchemaObject): SchemaObject {
	const { patternProperties, ...others } = schema;
	if (!isObject(patternProperties) || Object.keys(patternProperties).join() !== ANY_NAME) return schema;
	return { ...others, additionalProperties: patternProperties[ANY_NAME] };
}

/** Of constants alone the type and the values; undefined where another form is among them. */
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
