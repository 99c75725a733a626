/** Reads JSON that somebody else wrote into the form that is expected, or says what is not so. */
import { Refusal } from "./words";

/** Reads one value; undefined for what it is not. */
export type Reader<T> = (value: unknown) => T | undefined;

type Read<Shape> = { readonly [Name in keyof Shape]: Shape[Name] extends Reader<infer T> ? T : never };

/** JSON of UTF-8 bytes. Throws: Refusal. */
export function parseJsonBytes(bytes: Uint8Array, file: string): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		throw new Refusal({ en: `${file} is not JSON`, es: `${file} no es JSON` });
	}
}

/** The members of an object, each as its reader gives it. Throws: Refusal that names all that are not as expected. */
export function readMembers<Shape extends Record<string, Reader<unknown>>>(
	value: unknown,
	shape: Shape,
	file: string,
): Read<Shape> {
	const members = toRecord(value);
	const read = Object.entries(shape).map(([name, reader]) => [name, reader(members?.[name])] as const);
	const bad = read.filter(([, one]) => one === undefined).map(([name]) => name);
	if (bad.length > 0) {
		const names = bad.join(", ");
		throw new Refusal({
			en: `${file} has no ${names}, or not in the expected form`,
			es: `${file} no tiene ${names}, o no en la forma esperada`,
		});
	}
	return Object.fromEntries(read) as Read<Shape>;
}

/** An object's own members; undefined for anything else. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	return Object.assign(Object.create(null), value);
}

export const aText: Reader<string> = (value) => (typeof value === "string" ? value : undefined);
export const aTextOrNull: Reader<string | null> = (value) => (value === null ? null : aText(value));
export const aCount: Reader<number> = (value) =>
	Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
export const aCountOrNull: Reader<number | null> = (value) => (value === null ? null : aCount(value));

/** Texts of one form. */
export function aForm(form: RegExp): Reader<string> {
	return (value) => (typeof value === "string" && form.test(value) ? value : undefined);
}

export const aUuid = aForm(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
/** A SHA-256 in lower-case hex. */
export const aDigest = aForm(/^[0-9a-f]{64}$/);
/** An ISO instant in the one spelling that it has here. */
export const anInstant: Reader<string> = (value) => {
	const at = typeof value === "string" ? new Date(value) : undefined;
	return at && !Number.isNaN(at.getTime()) && at.toISOString() === value ? at.toISOString() : undefined;
};

export function aListOf<T>(reader: Reader<T>): Reader<readonly T[]> {
	return (value) => {
		if (!Array.isArray(value)) return undefined;
		const read = value.map((one) => reader(one));
		return read.some((one) => one === undefined) ? undefined : (read as T[]);
	};
}

/** An object within an object. */
export function members<Shape extends Record<string, Reader<unknown>>>(shape: Shape): Reader<Read<Shape>> {
	return (value) => {
		const record = toRecord(value);
		if (!record) return undefined;
		const read = Object.entries(shape).map(([name, reader]) => [name, reader(record[name])] as const);
		return read.some(([, one]) => one === undefined) ? undefined : (Object.fromEntries(read) as Read<Shape>);
	};
}
