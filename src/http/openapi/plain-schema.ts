/** Turns the schemas that the service checks with into the plain JSON Schema of the document. */
import type { SchemaObject } from "./document";

/** Keywords that only our own checks read. */
const HOUSE_KEYWORDS = new Set(["$id", "faultCode", "faultDetail"]);
/** Where a schema holds further schemas. Source: JSON Schema 2020-12, core, section 10.3. */
const ONE = new Set(["items", "additionalProperties", "not", "propertyNames", "contains", "if", "then", "else"]);
const LIST = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);
const MAP = new Set(["properties", "patternProperties", "$defs"]);

/**
 * All named schemas of the document: those given, and those that stand inside them with an `$id`, which move out and leave a
 * reference. Throws an Error when two different schemas have one `$id`.
 */
export function toComponents(schemas: Readonly<Record<string, SchemaObject>>): Record<string, SchemaObject> {
	const components = new Map<string, SchemaObject>();
	const move = (name: string, schema: SchemaObject) => {
		const plain = toPlain(schema);
		const other = components.get(name);
		if (other && JSON.stringify(other) !== JSON.stringify(plain)) throw new Error(`two schemas are called ${name}`);
		components.set(name, plain);
	};

	const visit = (schema: unknown): unknown => {
		if (!isObject(schema)) return schema;
		if (typeof schema.$id !== "string") return toPlain(schema);
		move(schema.$id, schema);
		return referTo(schema.$id);
	};

	const toPlain = (schema: SchemaObject): SchemaObject => {
		const values = onlyConstants(schema.anyOf);
		const entries = Object.entries(schema).filter(([keyword]) => !HOUSE_KEYWORDS.has(keyword));
		if (values) {
			const rest = entries.filter(([keyword]) => keyword !== "anyOf");
			return { ...values, ...Object.fromEntries(rest) };
		}
		return Object.fromEntries(
			entries.map(([keyword, value]) => {
				if (keyword === "$ref" && typeof value === "string") return [keyword, referTo(value).$ref];
				if (ONE.has(keyword)) return [keyword, visit(value)];
				if (LIST.has(keyword) && Array.isArray(value)) return [keyword, value.map(visit)];
				if (MAP.has(keyword) && isObject(value)) {
					return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visit(one)]))];
				}
				return [keyword, value];
			}),
		);
	};

	for (const [name, schema] of Object.entries(schemas)) move(name, schema);
	return Object.fromEntries(components);
}

/** One schema without our own keywords, for places that cannot hold a name. */
export function toPlainSchema(schema: SchemaObject): SchemaObject {
	const { only } = toComponents({ only: schema });
	if (!only) throw new Error("a schema vanished while it was rewritten");
	return only;
}

function referTo(name: string): { $ref: string } {
	return { $ref: name.startsWith("#/") ? name : `#/components/schemas/${name}` };
}

/** A choice of constants reads better as an enumeration. */
function onlyConstants(options: unknown): SchemaObject | undefined {
	if (!Array.isArray(options) || options.length === 0) return undefined;
	if (!options.every((option) => isObject(option) && "const" in option)) return undefined;
	const types = new Set(options.map((option: SchemaObject) => option.type));
	const values = options.map((option: SchemaObject) => option.const);
	const [type] = types;
	return types.size === 1 ? { type, enum: values } : { enum: values };
}

function isObject(value: unknown): value is SchemaObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
