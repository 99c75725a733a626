/** Random values that fit a schema, mostly near its limits. */
import fc from "fast-check";
import type { Chance } from "../../../test/support/chance";
import type { Description, Schema } from "./description";

const DEPTH_MAX = 6;
const SAMPLES = 40;
const ITEMS_MAX = 3;

export type ValueMaker = (schema: Schema, chance: Chance) => unknown;

export function createValueMaker(api: Pick<Description, "resolve">, seed: number): ValueMaker {
	/** Generating texts for a pattern is slow, so some are cached. */
	const texts = new Map<string, readonly string[]>();
	const textsFor = (pattern: string): readonly string[] => {
		const known = texts.get(pattern);
		if (known) return known;
		const found = fc.sample(fc.stringMatching(new RegExp(pattern, "u")), { seed, numRuns: SAMPLES });
		texts.set(pattern, found);
		return found;
	};

	const make = (given: Schema, chance: Chance, depth: number): unknown => {
		const schema = api.resolve(given);
		const { examples, enum: values, anyOf, oneOf, allOf } = schema;
		if ("const" in schema) return schema.const;
		if (Array.isArray(values)) return chance.pick(values);
		if (Array.isArray(examples) && examples.length > 0 && chance.percent(40))
			return structuredClone(chance.pick(examples));
		if ("default" in schema && chance.percent(30)) return structuredClone(schema.default);
		const forms = anyOf ?? oneOf;
		if (Array.isArray(forms)) return make(chance.pick(forms as Schema[]), chance, depth);
		if (Array.isArray(allOf)) return Object.assign({}, ...(allOf as Schema[]).map((one) => make(one, chance, depth)));
		const type = Array.isArray(schema.type) ? chance.pick(schema.type) : schema.type;
		if (type === "object") return makeObject(schema, chance, depth);
		if (type === "array") {
			const least = Number(schema.minItems ?? 0);
			const most = Math.min(Number(schema.maxItems ?? ITEMS_MAX), Math.max(least, depth > DEPTH_MAX ? 0 : ITEMS_MAX));
			const items = Array.from({ length: chance.whole(least, most) }, () =>
				make((schema.items ?? {}) as Schema, chance, depth + 1),
			);
			return schema.uniqueItems === true ? withoutRepeats(items) : items;
		}
		if (type === "integer" || type === "number") return makeNumber(schema, chance);
		if (type === "boolean") return chance.percent(50);
		if (type === "null") return null;
		if (type === "string") return makeText(schema, chance);
		return chance.pick([null, 0, "x", [], {}]);
	};

	function makeObject(schema: Schema, chance: Chance, depth: number): Record<string, unknown> {
		const required = new Set((schema.required as string[] | undefined) ?? []);
		const made: Record<string, unknown> = {};
		const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
		for (const [name, member] of members)
			if (required.has(name) || (depth <= DEPTH_MAX && chance.percent(35)))
				made[name] = make(member, chance, depth + 1);
		for (const [name, member] of members)
			if (Object.keys(made).length < Number(schema.minProperties ?? 0)) made[name] ??= make(member, chance, depth + 1);
		return made;
	}

	function makeText(schema: Schema, chance: Chance): string {
		if (typeof schema.pattern === "string") {
			const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
			const fitting = textsFor(schema.pattern).filter(
				(text) => [...text].length >= Number(minLength) && [...text].length <= Number(maxLength),
			);
			return chance.pick(fitting.length > 0 ? fitting : textsFor(schema.pattern));
		}
		if (schema.format === "uuid") return crypto.randomUUID();
		if (schema.format === "uri") return "https://hooks.client.example/sello";
		if (schema.format === "date-time") return "2026-11-20T14:20:00.118Z";
		if (schema.format === "date") return "2026-11-20";
		const least = Number(schema.minLength ?? 0);
		const most = Math.min(Number(schema.maxLength ?? 60), least + 200);
		const length = chance.pick([least, most, chance.whole(least, most)]);
		return Array.from({ length }, () => chance.pick([..."abc XYZ019-_.é"])).join("");
	}
	return (schema, chance) => make(schema, chance, 0);
}

function withoutRepeats(items: readonly unknown[]): unknown[] {
	return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function makeNumber(schema: Schema, chance: Chance): number {
	const least = Number(
		schema.minimum ?? (schema.exclusiveMinimum === undefined ? -5 : Number(schema.exclusiveMinimum) + 1),
	);
	const most = Number(schema.maximum ?? Math.max(least, 1_000));
	const whole = chance.pick([least, most, chance.whole(Math.ceil(least), Math.floor(most))]);
	return schema.type === "number" && chance.percent(30) ? Math.min(most, whole + 0.5) : whole;
}
