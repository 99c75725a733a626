import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { type Fault, type Message, msg, nameOfSegment, pointerSegment } from "../problem";
import { isLongerThan, isShorterThan } from "../values";

/** Violations that are looked for; the answer lists fewer and counts the rest. */
const FAULTS_MAX = 1_000;
const UNKNOWN_MEMBER = msg`The member is not known here; free data goes to \`metadata\` where there is one.`;

/** The JSON types other than text, as a reader of the problem calls them. */
const TYPES: Readonly<Record<string, Message>> = {
	integer: msg`integer`,
	number: msg`number`,
	boolean: msg`boolean`,
	object: msg`object`,
	array: msg`array`,
	null: msg`null`,
};

type Compiled = {
	readonly check: TypeCheck<TSchema>;
	readonly findShort: ReturnType<typeof createLeastCharacters>;
};

const compiled = new WeakMap<TSchema, Compiled>();

function compile(schema: TSchema): Compiled {
	const made = { check: TypeCompiler.Compile(schema), findShort: createLeastCharacters(schema) };
	compiled.set(schema, made);
	return made;
}

/**
 * All violations of a schema; empty when the value fits. Never echoes the value, only its JSON type.
 *
 * Lengths are counted in characters, as the published schemas say. The compiled check counts UTF-16 units, of which there are at least as
 * many: what it finds too long is counted again, including the names of a record's members.
 */
export function checkSchema(schema: TSchema, value: unknown): Fault[] {
	const { check, findShort } = compiled.get(schema) ?? compile(schema);
	const short: ShortText[] = [];
	findShort?.(value, short);
	if (short.length === 0 && check.Check(value)) return [];
	const faults: Fault[] = [];
	const seen = new Set<string>();
	for (const one of short) {
		faults.push(tooShort(one.pointer, one.schema));
		seen.add(one.pointer);
	}
	for (const error of check.Errors(value)) {
		if (faults.length >= FAULTS_MAX) break;
		if (error.type === ValueErrorType.StringMaxLength && !isLongerThan(String(error.value), error.schema.maxLength))
			continue;
		// A missing member is also reported as a wrong type at the same pointer; the first report is the right one.
		if (seen.has(error.path)) continue;
		seen.add(error.path);
		const form = error.type === ValueErrorType.Union ? formFor(error.schema, error.value) : formOfMember(error);
		if (!form) faults.push(toFault(error));
		else for (const fault of checkSchema(form, error.value)) faults.push(within(error.path, fault));
	}
	return faults.slice(0, FAULTS_MAX);
}

function within(path: string, fault: Fault): Fault {
	return { ...fault, pointer: `${path}${fault.pointer}` };
}

/** The one form that matches the value's JSON type, or the only one besides null: its violations help the caller. */
function formFor(schema: TSchema, value: unknown): TSchema | undefined {
	// A choice of constants is reported as a list.
	if (allowedValues(schema)) return undefined;
	const forms: readonly TSchema[] = schema.anyOf ?? [];
	const fitting = forms.filter((form) => typesOf(form).includes(jsonType(value)));
	const meant = fitting.length > 0 ? fitting : forms.filter((form) => form.type !== "null");
	return meant.length === 1 ? meant[0] : undefined;
}

/** The schema of a record member whose name fits when counted in characters. */
function formOfMember({ type, schema, path }: ValueError): TSchema | undefined {
	if (type !== ValueErrorType.ObjectAdditionalProperties) return undefined;
	const name = nameOfSegment(path.slice(path.lastIndexOf("/") + 1));
	const forms: readonly [string, TSchema][] = Object.entries(schema.patternProperties ?? {});
	return forms.find(([pattern]) => new RegExp(pattern, "u").test(name))?.[1];
}

function typesOf(form: TSchema): string[] {
	if (Array.isArray(form.anyOf)) return form.anyOf.flatMap(typesOf);
	if ("const" in form) return [jsonType(form.const)];
	return form.type === "integer" ? ["number"] : [String(form.type)];
}

function toFault(error: ValueError): Fault {
	const { schema, value } = error;
	const pointer = error.path;
	const of = (code: string, detail: Message, extra: Record<string, unknown> = {}): Fault => ({
		pointer,
		code,
		detail,
		...extra,
	});
	switch (error.type) {
		case ValueErrorType.ObjectRequiredProperty:
			return of("required", msg`The member is required.`);
		case ValueErrorType.ObjectAdditionalProperties:
			// The caller names the members of a record: there the form of the name is refused, and the record describes it.
			return of("unknown-field", schema.faultDetail ?? UNKNOWN_MEMBER);
		case ValueErrorType.StringMinLength:
			return tooShort(pointer, schema);
		case ValueErrorType.StringMaxLength:
			return of("too-long", msg`Longer than ${schema.maxLength} characters.`, { maximum: schema.maxLength });
		case ValueErrorType.ArrayMinItems:
			return of("too-few", msg`Fewer than ${schema.minItems} items.`, { minimum: schema.minItems });
		case ValueErrorType.ArrayMaxItems:
			return of("too-many", msg`More than ${schema.maxItems} items.`, { maximum: schema.maxItems });
		case ValueErrorType.ArrayUniqueItems:
			return of("repeated", msg`Each item may come once.`);
		case ValueErrorType.ObjectMaxProperties:
			return of("too-many", msg`More than ${schema.maxProperties} members.`, { maximum: schema.maxProperties });
		case ValueErrorType.IntegerMinimum:
		case ValueErrorType.NumberMinimum:
			return of("too-small", msg`Less than ${schema.minimum}.`, { minimum: schema.minimum });
		case ValueErrorType.IntegerMaximum:
		case ValueErrorType.NumberMaximum:
			return of("too-large", msg`More than ${schema.maximum}.`, { maximum: schema.maximum });
		case ValueErrorType.StringPattern:
			return of(schema.faultCode ?? "invalid-format", schema.faultDetail ?? msg`Does not have the required form.`);
		case ValueErrorType.Literal:
		case ValueErrorType.Union: {
			const allowed = allowedValues(schema);
			if (!allowed)
				return of("wrong-type", msg`Does not have any of the allowed forms.`, { received: jsonType(value) });
			return of("not-in-list", msg`Expected one of: ${allowed.join(", ")}.`, { allowed, received: jsonType(value) });
		}
		case ValueErrorType.String:
			if (schema.faultCode === "decimal-form" && typeof value === "number") {
				return of("decimal-must-be-string", msg`Send "${value}" instead of ${value}.`, { received: "number" });
			}
			return of("wrong-type", msg`Expected a string.`, { received: jsonType(value) });
		default:
			return of("wrong-type", msg`Expected ${TYPES[schema.type] ?? msg`another type`}.`, { received: jsonType(value) });
	}
}

function tooShort(pointer: string, { minLength }: TSchema): Fault {
	const detail = minLength === 1 ? msg`Is empty.` : msg`Shorter than ${minLength} characters.`;
	return { pointer, code: "too-short", detail, minimum: minLength };
}

function allowedValues(schema: TSchema): unknown[] | undefined {
	if ("const" in schema) return [schema.const];
	const options: unknown = schema.anyOf;
	if (!Array.isArray(options) || !options.every((option) => "const" in option)) return undefined;
	return options.map((option: { const: unknown }) => option.const);
}

function jsonType(value: unknown): string {
	if (value === null) return "null";
	if (Array.isArray(value)) return "array";
	return typeof value === "undefined" ? "nothing" : typeof value;
}

/**
 * Texts that are too short in characters although they have enough UTF-16 units, which is what a compiled check counts. A minimum of one
 * needs no check.
 *
 * Checks a text by itself and the members of nested objects; no list and no choice of forms in this API has a longer minimum.
 */

type ShortText = { readonly pointer: string; readonly schema: TSchema };
type Look = (value: unknown, found: ShortText[]) => void;

/** A check for values of this schema; undefined where no text has a minimum above one. */
function createLeastCharacters(schema: TSchema, pointer = ""): Look | undefined {
	const { minLength } = schema;
	if (schema.type === "string" && minLength > 1) {
		return (value, found) => {
			if (typeof value === "string" && isShorterThan(value, minLength)) found.push({ pointer, schema });
		};
	}
	const properties: Readonly<Record<string, TSchema>> = schema.type === "object" ? (schema.properties ?? {}) : {};
	const looks = Object.entries(properties).flatMap(([name, member]) => {
		const look = createLeastCharacters(member, `${pointer}/${pointerSegment(name)}`);
		return look ? [{ name, look }] : [];
	});
	if (looks.length === 0) return undefined;
	return (value, found) => {
		if (typeof value !== "object" || value === null) return;
		for (const { name, look } of looks) look(Reflect.get(value, name), found);
	};
}

/** For bodies that are not validated yet: a missing member, or one of another type, is undefined. */
export function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own member; inherited ones such as `constructor` do not count. */
export function member(value: unknown, name: string): unknown {
	return isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

export function textMember(value: unknown, name: string): string | undefined {
	const found = member(value, name);
	return typeof found === "string" ? found : undefined;
}
