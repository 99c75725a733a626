import type { TSchema } from "@sinclair/typebox";

/** A schema without its formats: TypeBox refuses every value of an unregistered format. */
export function withoutFormats<T extends TSchema>(schema: T): T {
	return strip(schema) as T;
}

function strip(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(strip);
	if (typeof value !== "object" || value === null) return value;
	// TypeBox keeps a schema's kind under symbols, which Object.entries leaves out.
	const keys = Reflect.ownKeys(value).filter((key) => key !== "format" || typeof Reflect.get(value, key) !== "string");
	return Object.fromEntries(keys.map((key) => [key, strip(Reflect.get(value, key))]));
}
