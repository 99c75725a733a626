/**
 * Checks values against JSON Schema 2020-12 with the keywords that our documents use. It shares nothing with the library that the service checks
 * with, and an unknown keyword is an error, so that no rule passes unchecked.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** Where a value breaks a schema: the JSON pointer, the keyword and a sentence's predicate. */
export type SchemaViolation = { readonly at: string; readonly keyword: string; readonly text: string };

/** Follows a `$ref`; without one a schema is complete in itself. */
type Resolve = (schema: Schema) => Schema;

type Check = {
	readonly rule: unknown;
	readonly schema: Schema;
	readonly value: unknown;
	readonly at: string;
	readonly resolve: Resolve;
};

/** What a keyword finds: nothing, a predicate for the value itself, or violations below it. */
type Finding = string | undefined | readonly SchemaViolation[];

const ANNOTATIONS = new Set([
	...["$schema", "$id", "title", "description", "default", "example", "examples", "deprecated", "readOnly"],
	...["writeOnly", "contentEncoding", "contentMediaType", "x-recommended"],
]);
const FORMATS: Readonly<Record<string, RegExp>> = {
	uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
	uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
	date: /^\d{4}-\d{2}-\d{2}$/,
	"date-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/,
	// Part of a form; any bytes will do.
	binary: /^/,
	email: /^[^@\s]+@[^@\s]+$/,
};

/** Every violation; none when the value fits. Throws an Error for an unknown keyword. */
export function findSchemaViolations(
	schema: Schema,
	value: unknown,
	resolve: Resolve = (own) => own,
	at = "",
): SchemaViolation[] {
	const own = resolve(schema);
	return Object.entries(own).flatMap(([keyword, rule]) => {
		if (ANNOTATIONS.has(keyword)) return [];
		const check = keywords[keyword];
		if (!check) throw new Error(`the schema at ${at || "/"} has the unknown keyword ${keyword}`);
		const found = check({ rule, schema: own, value, at, resolve });
		if (found === undefined) return [];
		return typeof found === "string" ? [{ at, keyword, text: found }] : found;
	});
}

/** A violation as a sentence. */
export function describeViolation({ at, text }: SchemaViolation): string {
	return `${at || "/"} ${text}`;
}

const inside = ({ resolve, at }: Check, rule: unknown, value: unknown, step = "") =>
	findSchemaViolations(rule as Schema, value, resolve, at + step);
const fits = (check: Check, rule: unknown) => inside(check, rule, check.value).length === 0;

const forText = (holds: (text: string, rule: unknown) => boolean, text: (rule: unknown) => string) => {
	return ({ rule, value }: Check): Finding =>
		typeof value !== "string" || holds(value, rule) ? undefined : text(rule);
};
const forNumber = (holds: (value: number, rule: number) => boolean, text: string) => {
	return ({ rule, value }: Check): Finding =>
		typeof value !== "number" || holds(value, Number(rule)) ? undefined : `${text} ${rule}`;
};
const forList = (holds: (list: readonly unknown[], rule: unknown) => boolean, text: string) => {
	return ({ rule, value }: Check): Finding => (!Array.isArray(value) || holds(value, rule) ? undefined : text);
};
const forRecord = (holds: (count: number, rule: number) => boolean, text: string) => {
	return ({ rule, value }: Check): Finding =>
		!isRecord(value) || holds(Object.keys(value).length, Number(rule)) ? undefined : text;
};

const keywords: Readonly<Record<string, (check: Check) => Finding>> = {
	type: ({ rule, value }) => {
		const types = Array.isArray(rule) ? rule : [rule];
		return types.some((type) => isOfType(type, value)) ? undefined : `is not of type ${types.join(" or ")}`;
	},
	const: ({ rule, value }) => (Bun.deepEquals(rule, value) ? undefined : `is not ${JSON.stringify(rule)}`),
	enum: ({ rule, value }) =>
		(rule as unknown[]).some((one) => Bun.deepEquals(one, value)) ? undefined : `is none of ${JSON.stringify(rule)}`,
	pattern: forText(
		(text, rule) => new RegExp(String(rule), "u").test(text),
		(rule) => `does not match ${rule}`,
	),
	format: forText(
		(text, rule) => FORMATS[String(rule)]?.test(text) ?? false,
		(rule) => `is no ${rule}`,
	),
	minLength: forText(
		(text, rule) => [...text].length >= Number(rule),
		() => "is too short",
	),
	maxLength: forText(
		(text, rule) => [...text].length <= Number(rule),
		() => "is too long",
	),
	minimum: forNumber((value, rule) => value >= rule, "is less than"),
	maximum: forNumber((value, rule) => value <= rule, "is more than"),
	exclusiveMinimum: forNumber((value, rule) => value > rule, "is not above"),
	exclusiveMaximum: forNumber((value, rule) => value < rule, "is not below"),
	multipleOf: forNumber((value, rule) => value % rule === 0, "is no multiple of"),
	minItems: forList((list, rule) => list.length >= Number(rule), "has too few items"),
	maxItems: forList((list, rule) => list.length <= Number(rule), "has too many items"),
	uniqueItems: forList(
		(list, rule) => rule !== true || new Set(list.map((one) => JSON.stringify(one))).size === list.length,
		"repeats an item",
	),
	minProperties: forRecord((count, rule) => count >= rule, "has too few members"),
	maxProperties: forRecord((count, rule) => count <= rule, "has too many members"),
	required: ({ rule, value }) => {
		if (!isRecord(value)) return undefined;
		const missing = (rule as string[]).filter((name) => !Object.hasOwn(value, name));
		return missing.length === 0 ? undefined : `lacks ${missing.join(", ")}`;
	},
	items: (check) =>
		Array.isArray(check.value) ? check.value.flatMap((item, i) => inside(check, check.rule, item, `/${i}`)) : undefined,
	properties: (check) => {
		const { rule, value } = check;
		if (!isRecord(value)) return undefined;
		const present = Object.entries(rule as Record<string, Schema>).filter(([name]) => Object.hasOwn(value, name));
		return present.flatMap(([name, schema]) => inside(check, schema, value[name], `/${name}`));
	},
	patternProperties: (check) => {
		const { rule, value } = check;
		if (!isRecord(value)) return undefined;
		return Object.entries(rule as Record<string, Schema>).flatMap(([pattern, schema]) =>
			Object.keys(value)
				.filter((name) => new RegExp(pattern, "u").test(name))
				.flatMap((name) => inside(check, schema, value[name], `/${name}`)),
		);
	},
	additionalProperties: (check) => {
		const { rule, schema, value } = check;
		if (!isRecord(value) || rule === true) return undefined;
		const known = Object.keys((schema.properties as object | undefined) ?? {});
		const patterns = Object.keys((schema.patternProperties as object | undefined) ?? {});
		const more = Object.keys(value).filter(
			(name) => !known.includes(name) && !patterns.some((pattern) => new RegExp(pattern, "u").test(name)),
		);
		if (rule === false) return more.length === 0 ? undefined : `has unknown members: ${more.join(", ")}`;
		return more.flatMap((name) => inside(check, rule, value[name], `/${name}`));
	},
	allOf: (check) => (check.rule as Schema[]).flatMap((schema) => inside(check, schema, check.value)),
	anyOf: (check) => {
		const all = (check.rule as Schema[]).map((schema) => inside(check, schema, check.value));
		if (all.some((violations) => violations.length === 0)) return undefined;
		// The form with the fewest violations is most likely the intended one.
		const nearest = all.sort((a, b) => a.length - b.length)[0] ?? [];
		return `fits no form: ${nearest.map(describeViolation).join("; ")}`;
	},
	oneOf: (check) =>
		(check.rule as Schema[]).filter((schema) => fits(check, schema)).length === 1
			? undefined
			: "fits none or several forms",
	not: (check) => (fits(check, check.rule) ? "fits a forbidden form" : undefined),
	// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, checked with `if`
	then: () => undefined,
	if: (check) => (fits(check, check.rule) ? inside(check, check.schema.then, check.value) : undefined),
};

function isOfType(type: unknown, value: unknown): boolean {
	if (type === "null") return value === null;
	if (type === "array") return Array.isArray(value);
	if (type === "object") return isRecord(value);
	if (type === "integer") return Number.isInteger(value);
	return typeof value === type;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
