/**
 * Does a value fit a schema of the document? A second opinion: it shares nothing with the checks that the service itself makes, and it reads
 * the schemas as they are published.
 *
 * Source: JSON Schema 2020-12, the keywords that the document uses; an unknown one is an error, so that none is taken for held.
 */
import type { Description, Schema } from "./description";

const ANNOTATIONS = new Set(
	"title description default examples example deprecated readOnly writeOnly contentEncoding contentMediaType $id".split(
		" ",
	),
);
const FORMATS: Readonly<Record<string, RegExp>> = {
	uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
	uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
	date: /^\d{4}-\d{2}-\d{2}$/,
	"date-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/,
	// Of a part of a form; any bytes will do.
	binary: /^/,
	email: /^[^@\s]+@[^@\s]+$/,
};

/** Sentences; none when the value fits. Throws an Error for a keyword that it does not know. */
export function findSchemaFaults(api: Pick<Description, "resolve">, schema: Schema, value: unknown, at = ""): string[] {
	const own = api.resolve(schema);
	return Object.entries(own).flatMap(([keyword, rule]) => {
		if (ANNOTATIONS.has(keyword)) return [];
		const check = keywords[keyword];
		if (!check) throw new Error(`the schema at ${at || "/"} has the keyword ${keyword}, which is not known here`);
		return check({ api, rule, schema: own, value, at });
	});
}

type Question = {
	readonly api: Pick<Description, "resolve">;
	readonly rule: unknown;
	readonly schema: Schema;
	readonly value: unknown;
	readonly at: string;
};

const keywords: Readonly<Record<string, (question: Question) => string[]>> = {
	type: ({ rule, value, at }) => {
		const types = Array.isArray(rule) ? rule : [rule];
		return unless(
			types.some((type) => isOfType(type, value)),
			at,
			`is not of type ${types.join(" or ")}`,
		);
	},
	const: ({ rule, value, at }) => unless(Bun.deepEquals(rule, value), at, `is not ${JSON.stringify(rule)}`),
	enum: ({ rule, value, at }) =>
		unless(
			(rule as unknown[]).some((one) => Bun.deepEquals(one, value)),
			at,
			`is none of ${JSON.stringify(rule)}`,
		),
	pattern: ({ rule, value, at }) =>
		unless(typeof value !== "string" || new RegExp(String(rule), "u").test(value), at, `does not match ${rule}`),
	format: ({ rule, value, at }) =>
		unless(typeof value !== "string" || (FORMATS[String(rule)]?.test(value) ?? false), at, `is no ${rule}`),
	minLength: ({ rule, value, at }) =>
		unless(typeof value !== "string" || [...value].length >= Number(rule), at, "is too short"),
	maxLength: ({ rule, value, at }) =>
		unless(typeof value !== "string" || [...value].length <= Number(rule), at, "is too long"),
	minimum: ({ rule, value, at }) =>
		unless(typeof value !== "number" || value >= Number(rule), at, `is less than ${rule}`),
	maximum: ({ rule, value, at }) =>
		unless(typeof value !== "number" || value <= Number(rule), at, `is more than ${rule}`),
	exclusiveMinimum: ({ rule, value, at }) =>
		unless(typeof value !== "number" || value > Number(rule), at, `is not above ${rule}`),
	exclusiveMaximum: ({ rule, value, at }) =>
		unless(typeof value !== "number" || value < Number(rule), at, `is not below ${rule}`),
	multipleOf: ({ rule, value, at }) =>
		unless(typeof value !== "number" || value % Number(rule) === 0, at, `is no multiple of ${rule}`),
	minItems: ({ rule, value, at }) =>
		unless(!Array.isArray(value) || value.length >= Number(rule), at, "has too few items"),
	maxItems: ({ rule, value, at }) =>
		unless(!Array.isArray(value) || value.length <= Number(rule), at, "has too many items"),
	uniqueItems: ({ rule, value, at }) =>
		unless(
			rule !== true || !Array.isArray(value) || new Set(value.map((one) => JSON.stringify(one))).size === value.length,
			at,
			"repeats an item",
		),
	items: ({ api, rule, value, at }) =>
		Array.isArray(value) ? value.flatMap((item, i) => findSchemaFaults(api, rule as Schema, item, `${at}/${i}`)) : [],
	required: ({ rule, value, at }) =>
		isRecord(value)
			? (rule as string[]).filter((name) => !Object.hasOwn(value, name)).map((name) => `${at}/${name} is missing`)
			: [],
	minProperties: ({ rule, value, at }) =>
		unless(!isRecord(value) || Object.keys(value).length >= Number(rule), at, "has too few members"),
	maxProperties: ({ rule, value, at }) =>
		unless(!isRecord(value) || Object.keys(value).length <= Number(rule), at, "has too many members"),
	properties: ({ api, rule, value, at }) =>
		isRecord(value)
			? Object.entries(rule as Record<string, Schema>).flatMap(([name, schema]) =>
					Object.hasOwn(value, name) ? findSchemaFaults(api, schema, value[name], `${at}/${name}`) : [],
				)
			: [],
	patternProperties: ({ api, rule, value, at }) =>
		isRecord(value)
			? Object.entries(rule as Record<string, Schema>).flatMap(([pattern, schema]) =>
					Object.keys(value)
						.filter((name) => new RegExp(pattern, "u").test(name))
						.flatMap((name) => findSchemaFaults(api, schema, value[name], `${at}/${name}`)),
				)
			: [],
	additionalProperties: ({ api, rule, schema, value, at }) => {
		if (!isRecord(value) || rule === true) return [];
		const known = new Set(Object.keys((schema.properties as object | undefined) ?? {}));
		const patterns = Object.keys((schema.patternProperties as object | undefined) ?? {}).map(
			(one) => new RegExp(one, "u"),
		);
		const more = Object.keys(value).filter(
			(name) => !known.has(name) && !patterns.some((pattern) => pattern.test(name)),
		);
		return more.flatMap((name) =>
			rule === false
				? [`${at}/${name} is not in the schema`]
				: findSchemaFaults(api, rule as Schema, value[name], `${at}/${name}`),
		);
	},
	allOf: ({ api, rule, value, at }) => (rule as Schema[]).flatMap((schema) => findSchemaFaults(api, schema, value, at)),
	anyOf: ({ api, rule, value, at }) => {
		const all = (rule as Schema[]).map((schema) => findSchemaFaults(api, schema, value, at));
		// The form with the fewest faults is the one that was meant.
		return all.some((faults) => faults.length === 0) ? [] : (all.sort((a, b) => a.length - b.length)[0] ?? []);
	},
	oneOf: ({ api, rule, value, at }) =>
		unless(
			(rule as Schema[]).filter((schema) => findSchemaFaults(api, schema, value, at).length === 0).length === 1,
			at,
			"fits none or several forms",
		),
	not: ({ api, rule, value, at }) =>
		unless(findSchemaFaults(api, rule as Schema, value, at).length > 0, at, "fits what it must not"),
};

function unless(holds: boolean, at: string, sentence: string): string[] {
	return holds ? [] : [`${at || "/"} ${sentence}`];
}

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
