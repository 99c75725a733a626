/**
 * Compares two schemas and reports what breaks callers written for the older one.
 *
 * Input may only become more permissive: what fitted must still fit. Output may only guarantee more: what was guaranteed must still come.
 *
 *                          sent (input)                          read (output)
 *     type, form           fewer are accepted                    another one is returned
 *     members              removed or newly required             removed or no longer always present
 *     enum                 a value is removed                    - (callers must expect unknown values)
 *     bounds, pattern      tighter, or any other pattern         -
 *     format               changed or new                        changed
 *     further members      no longer accepted                    -
 *
 * `allOf` counts as one merged schema.
 *
 * Keywords of JSON Schema 2020-12 that our schemas do not use are ignored. References are followed; a pair under comparison is not compared
 * again, so schemas may be recursive.
 */

import { wordsOf } from "../../src/api/openapi";

export type Schema = { readonly [keyword: string]: unknown };
export type Direction = "input" | "output";
/** Returns the schema that a reference names. */
export type Resolve = (schema: Schema) => Schema;

export type Comparison = { readonly direction: Direction; readonly before: Resolve; readonly after: Resolve };
type Pair = { readonly old: Schema; readonly now: Schema; readonly place: string; readonly met: ReadonlySet<string> };

/** One sentence for each break, with its path. */
export function compareSchemas(on: Comparison, old: Schema, now: Schema, place = ""): string[] {
	return compare(on, { old, now, place, met: new Set() });
}

function compare(on: Comparison, pair: Pair): string[] {
	const key = `${pair.old.$ref} ${pair.now.$ref}`;
	const isReference = pair.old.$ref !== undefined && pair.now.$ref !== undefined;
	if (isReference && pair.met.has(key)) return [];
	const met = isReference ? new Set([...pair.met, key]) : pair.met;
	const { place } = pair;
	const [oldForms, nowForms] = [formsOf(pair.old, on.before), formsOf(pair.now, on.after)];
	const [oldForm, nowForm] = [oldForms[0], nowForms[0]];
	if (!oldForm || !nowForm || oldForms.length > 1 || nowForms.length > 1)
		return compareForms(on, { place, met }, oldForms, nowForms);
	const [old, now] = [on.before(oldForm), on.after(nowForm)];
	return [
		...compareTypes(on, old, now),
		...compareValues(on, old, now),
		...(on.direction === "input" ? compareBounds(old, now) : []),
		...compareFormat(on, old, now),
	]
		.map((sentence) => `${place || "/"}: ${sentence}`)
		.concat(compareMembers(on, { old, now, place, met }), compareItems(on, { old, now, place, met }));
}

/** The forms that a value can take: each choice, or the merged `allOf`. */
function formsOf(given: Schema, resolve: Resolve): Schema[] {
	const schema = resolve(given);
	const { allOf, ...own } = schema;
	if (Array.isArray(allOf)) {
		const parts = [own, ...allOf.filter(isSchema)].map((part) => formsOf(part, resolve).map(resolve));
		return parts.reduce((before, part) => before.flatMap((one) => part.map((other) => merge(one, other))), [{}]);
	}
	const forms = schema.anyOf ?? schema.oneOf;
	return Array.isArray(forms) ? forms.filter(isSchema) : [schema];
}

function merge(one: Schema, other: Schema): Schema {
	const properties = { ...membersOf(one), ...membersOf(other) };
	const required = [...requiredOf(one), ...requiredOf(other)];
	return { ...one, ...other, ...(Object.keys(properties).length > 0 ? { properties, required } : {}) };
}

/** Each form that was accepted must still fit one; each form that is returned must have existed. */
function compareForms(
	on: Comparison,
	{ place, met }: Pick<Pair, "place" | "met">,
	oldForms: readonly Schema[],
	nowForms: readonly Schema[],
): string[] {
	const fits = (old: Schema, now: Schema) => compare(on, { old, now, place, met }).length === 0;
	if (on.direction === "input") {
		const lost = oldForms.filter((old) => !nowForms.some((now) => fits(old, now)));
		return lost.map((form) => `${place || "/"}: the form ${nameOf(form)} is no longer taken`);
	}
	const strange = nowForms.filter((now) => !isNewEvent(on, oldForms, now) && !oldForms.some((old) => fits(old, now)));
	return strange.map((form) => `${place || "/"}: the form ${nameOf(form)} did not come before`);
}

/** Receivers ignore events that they do not know, as the document says; so a form with another `event` breaks nothing. */
function isNewEvent({ before, after }: Comparison, oldForms: readonly Schema[], form: Schema): boolean {
	const eventOf = (one: Schema) => membersOf(one).event?.const;
	const events = oldForms.map((one) => eventOf(before(one)));
	const event = eventOf(after(form));
	return event !== undefined && !events.includes(undefined) && !events.includes(event);
}

function nameOf(form: Schema): string {
	return typeof form.$ref === "string"
		? (form.$ref.split("/").at(-1) ?? "")
		: JSON.stringify(form.type ?? form.const ?? "");
}

function compareTypes({ direction }: Comparison, old: Schema, now: Schema): string[] {
	const [oldTypes, nowTypes] = [typesOf(old), typesOf(now)];
	const [given, taken] = direction === "input" ? [oldTypes, nowTypes] : [nowTypes, oldTypes];
	// No type means any type.
	if (taken === undefined) return [];
	const odd = given?.filter((type) => !taken.includes(type) && !(type === "integer" && taken.includes("number")));
	const isFit = odd?.length === 0;
	return isFit ? [] : [`its type was ${oldTypes?.join(" or ") ?? "any"} and is ${nowTypes?.join(" or ") ?? "any"}`];
}

function typesOf({ type, const: constant, enum: values }: Schema): string[] | undefined {
	if (Array.isArray(type)) return type.map(String);
	if (typeof type === "string") return [type];
	const known = constant !== undefined ? [constant] : Array.isArray(values) ? values : undefined;
	return known?.map((value) => (value === null ? "null" : typeof value));
}

function compareValues({ direction }: Comparison, old: Schema, now: Schema): string[] {
	if (direction === "output") return [];
	const [oldValues, nowValues] = [valuesOf(old), valuesOf(now)];
	if (!nowValues) return [];
	if (!oldValues) return [`only ${nowValues.join(", ")} are taken now`];
	const lost = oldValues.filter((value) => !nowValues.includes(value));
	return lost.length > 0 ? [`${lost.join(", ")} is no longer taken`] : [];
}

/** The values of an enumeration; a pattern that only lists words counts as one. */
function valuesOf({ enum: listed, const: constant, pattern }: Schema): string[] | undefined {
	if (constant !== undefined) return [JSON.stringify(constant)];
	const values = listed ?? (typeof pattern === "string" ? wordsOf(pattern) : undefined);
	return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined;
}

const AT_LEAST = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const AT_MOST = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const EXACTLY = ["pattern", "multipleOf", "uniqueItems"];

function compareBounds(old: Schema, now: Schema): string[] {
	const isTighter = (keyword: string, sign: 1 | -1) => {
		const [before, after] = [old[keyword], now[keyword]];
		return typeof after === "number" && (typeof before !== "number" || sign * (after - before) > 0);
	};
	const tighter = [
		...AT_LEAST.filter((keyword) => isTighter(keyword, 1)),
		...AT_MOST.filter((keyword) => isTighter(keyword, -1)),
		...EXACTLY.filter(
			(keyword) => now[keyword] !== undefined && now[keyword] !== false && now[keyword] !== old[keyword],
		),
	];
	return tighter.map((keyword) => `${keyword} was ${show(old[keyword])} and is ${show(now[keyword])}`);
}

function compareFormat({ direction }: Comparison, { format: old }: Schema, { format: now }: Schema): string[] {
	const isBroken = direction === "input" ? now !== undefined && now !== old : old !== undefined && now !== old;
	return isBroken ? [`format was ${show(old)} and is ${show(now)}`] : [];
}

function compareMembers(on: Comparison, { old, now, place, met }: Pair): string[] {
	const isInput = on.direction === "input";
	const [oldMembers, nowMembers] = [membersOf(old), membersOf(now)];
	const [oldRequired, nowRequired] = [requiredOf(old), requiredOf(now)];
	const names = Object.keys(oldMembers);
	const gone = names.filter((name) => !(name in nowMembers)).map((name) => `${place}/${name}: it is gone`);
	const newlyNeeded = [...nowRequired].filter((name) => isInput && !oldRequired.has(name));
	const unsure = [...oldRequired].filter((name) => !isInput && name in nowMembers && !nowRequired.has(name));
	const closed =
		isInput && old.additionalProperties !== false && now.additionalProperties === false && isObjectSchema(old);
	const inner = names.flatMap((name) => {
		const [before, after] = [oldMembers[name], nowMembers[name]];
		return before && after ? compare(on, { old: before, now: after, place: `${place}/${name}`, met }) : [];
	});
	const [oldFurther, nowFurther] = [old.additionalProperties, now.additionalProperties];
	const further =
		isSchema(oldFurther) && isSchema(nowFurther)
			? compare(on, { old: oldFurther, now: nowFurther, place: `${place}/*`, met })
			: [];
	return [
		...gone,
		...newlyNeeded.map((name) => `${place}/${name}: it is required now`),
		...unsure.map((name) => `${place}/${name}: it may be missing now`),
		...(closed ? [`${place || "/"}: further members are no longer taken`] : []),
		...inner,
		...further,
	];
}

function compareItems(on: Comparison, { old, now, place, met }: Pair): string[] {
	return isSchema(old.items) && isSchema(now.items)
		? compare(on, { old: old.items, now: now.items, place: `${place}/0`, met })
		: [];
}

function membersOf({ properties }: Schema): Readonly<Record<string, Schema>> {
	return isSchema(properties) ? (properties as Readonly<Record<string, Schema>>) : {};
}

function requiredOf({ required }: Schema): ReadonlySet<string> {
	return new Set(Array.isArray(required) ? required.map(String) : []);
}

function isObjectSchema(schema: Schema): boolean {
	return schema.type === "object" || schema.properties !== undefined;
}

function isSchema(value: unknown): value is Schema {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

const show = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
