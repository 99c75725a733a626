/**
 * A judge of JSON Schema 2020-12, as far as our documents use it; written for the tests, apart from the library that the service
 * checks with. A keyword that it does not know is an error, so that nothing is passed over.
 */
type Schema = Readonly<Record<string, unknown>>;

const ANNOTATIONS = new Set(["$schema", "$id", "title", "description", "examples", "default", "x-recommended"]);

/** Where a value breaks a schema, each as `pointer keyword`. */
export function judgeSchema(schema: Schema, value: unknown, at = ""): string[] {
	return Object.keys(schema).flatMap((keyword) => {
		if (ANNOTATIONS.has(keyword)) return [];
		const rule = RULES[keyword];
		if (!rule) throw new Error(`the judge does not know the keyword ${keyword}, at ${at}`);
		const verdict = rule(schema[keyword], value, at, schema);
		return verdict === false ? [`${at} ${keyword}`] : verdict === true ? [] : verdict;
	});
}

type Rule = (rule: unknown, value: unknown, at: string, schema: Schema) => boolean | string[];

const fits = (schema: unknown, value: unknown) => judgeSchema(schema as Schema, value).length === 0;
const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);
const forText = (judge: (rule: unknown, text: string) => boolean): Rule => {
	return (rule, value) => typeof value !== "string" || judge(rule, value);
};
const forList = (judge: (rule: number, list: readonly unknown[]) => boolean): Rule => {
	return (rule, value) => !Array.isArray(value) || judge(Number(rule), value);
};
const forNumber = (judge: (rule: number, number: number) => boolean): Rule => {
	return (rule, value) => typeof value !== "number" || judge(Number(rule), value);
};

const RULES: Readonly<Record<string, Rule>> = {
	type: (rule, value) => {
		if (rule === "object") return isObject(value);
		if (rule === "array") return Array.isArray(value);
		if (rule === "integer") return Number.isInteger(value);
		return typeof value === rule;
	},
	const: (rule, value) => value === rule,
	enum: (rule, value) => (rule as unknown[]).includes(value),
	pattern: forText((rule, text) => new RegExp(String(rule), "u").test(text)),
	minLength: forText((rule, text) => [...text].length >= Number(rule)),
	maxLength: forText((rule, text) => [...text].length <= Number(rule)),
	minItems: forList((rule, list) => list.length >= rule),
	maxItems: forList((rule, list) => list.length <= rule),
	minimum: forNumber((rule, number) => number >= rule),
	maximum: forNumber((rule, number) => number <= rule),
	maxProperties: (rule, value) => !isObject(value) || Object.keys(value).length <= Number(rule),
	required: (rule, value) => !isObject(value) || (rule as string[]).every((name) => name in value),
	items: (rule, value, at) =>
		!Array.isArray(value) || value.flatMap((item, index) => judgeSchema(rule as Schema, item, `${at}/${index}`)),
	properties: (rule, value, at) =>
		!isObject(value) ||
		Object.entries(rule as Record<string, Schema>).flatMap(([name, schema]) =>
			name in value ? judgeSchema(schema, value[name], `${at}/${name}`) : [],
		),
	patternProperties: (rule, value, at) =>
		!isObject(value) ||
		Object.entries(rule as Record<string, Schema>).flatMap(([pattern, schema]) =>
			Object.keys(value)
				.filter((name) => new RegExp(pattern, "u").test(name))
				.flatMap((name) => judgeSchema(schema, value[name], `${at}/${name}`)),
		),
	additionalProperties: (rule, value, _, { properties = {}, patternProperties = {} }) => {
		if (rule !== false || !isObject(value)) return true;
		const patterns = Object.keys(patternProperties as object).map((pattern) => new RegExp(pattern, "u"));
		const isKnown = (name: string) => name in (properties as object) || patterns.some((pattern) => pattern.test(name));
		return Object.keys(value).every(isKnown);
	},
	anyOf: (rule, value) => (rule as unknown[]).some((schema) => fits(schema, value)),
	allOf: (rule, value, at) => (rule as Schema[]).flatMap((schema) => judgeSchema(schema, value, at)),
	not: (rule, value) => !fits(rule, value),
	// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
	then: () => true,
	if: (rule, value, at, schema) => !fits(rule, value) || judgeSchema((schema as { then: Schema }).then, value, at),
};
