/** Mutations that make valid values and bytes invalid, or almost so. */
import type { Chance } from "../../../test/support/chance";

/** Texts that may break what is behind: databases, XML, paths, queries, shells, regular expressions, Unicode handling. */
export const ODD_TEXTS: readonly string[] = [
	...["", " ", "\u0000", "a\u0000b", "\ud800", "a\udc00b", "\ufffe", "\uffff", "\u202e", "\u200b", "\ufeff"],
	...["🙂".repeat(50), "é", "e\u0301", "İ", "ß", "\r\n", "\t", "\u2028", "\u0085", "\u007f", "\u001b[31m"],
	...[
		"<a>&amp;]]>",
		"' or 1=1 --",
		'"; drop table x; --',
		"\u0024{jndi:ldap://x}",
		"{{7*7}}",
		"../../etc/passwd",
		"%",
		"%00",
		"%s%n",
	],
	...[
		"(a+)+$",
		"\\",
		"NaN",
		"-0",
		"1e400",
		"0x10",
		"١٢٣",
		"１２３",
		"true",
		"null",
		"[object Object]",
		"__proto__",
		"constructor",
	],
	...["x".repeat(5_000), "9".repeat(400), "00000000-0000-0000-0000-000000000000", "2026-02-30", "9999-12-31T23:59:60Z"],
];

const ODD_NAMES = [
	"status",
	"docId",
	"tenantId",
	"environment",
	"plan",
	"__proto__",
	"constructor",
	"toString",
	"Type",
	"",
	"a/b~c",
	"\u0000",
	"\ud800",
];
const HUGE: readonly unknown[] = [1e308, -1e308, 2 ** 53, -(2 ** 63), 1e-320, "9".repeat(5_000), "x".repeat(100_000)];

/** A changed value may be multiplied again; written out, several times would not fit into memory. Units: characters. */
const MANY_MAX = 4_000_000;

type Place = { readonly parent: object; readonly name: string | number };

function listPlaces(value: unknown): Place[] {
	if (typeof value !== "object" || value === null) return [];
	const names = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
	return names.flatMap((name) => [{ parent: value, name }, ...listPlaces(Reflect.get(value, name))]);
}

/** An object may have a mutated member `toString`. */
export const textOf = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

type Mutator = (place: Place, old: unknown, chance: Chance) => unknown;

/** A mutator that returns `undefined` has changed the value in place. */
const MUTATORS: Readonly<Record<string, Mutator>> = {
	drop: ({ parent, name }) =>
		void (Array.isArray(parent) ? parent.splice(Number(name), 1) : Reflect.deleteProperty(parent, name)),
	null: () => null,
	"wrong type": (_place, old, chance) =>
		chance.pick<unknown>([{}, [], true, 5, "x", { a: 1 }, [[]]].filter((one) => typeof one !== typeof old)),
	"one longer": (_place, old) => `${textOf(old)}${textOf(old).slice(-1)}`,
	"one shorter": (_place, old) => textOf(old).slice(0, -1),
	"extra member": ({ parent }, _old, chance) =>
		// Assigning `__proto__` would not create a member.
		void (Array.isArray(parent)
			? parent.push(chance.pick(ODD_TEXTS))
			: Object.defineProperty(parent, chance.pick(ODD_NAMES), { value: "x", enumerable: true, configurable: true })),
	"odd text": (_place, old, chance) =>
		chance.percent(50) ? chance.pick(ODD_TEXTS) : `${textOf(old)}${chance.pick(ODD_TEXTS)}`,
	"number for text": (_place, old, chance) =>
		Number.isFinite(Number(textOf(old))) ? Number(textOf(old)) : chance.whole(-5, 5),
	"text for number": (_place, old) => textOf(old),
	"wrapped in a list": (_place, old) => [old],
	huge: (_place, _old, chance) => chance.pick(HUGE),
	empty: (_place, old) => (Array.isArray(old) ? [] : typeof old === "object" ? {} : ""),
	deep: (_place, _old, chance) => {
		let nested: unknown = 1;
		for (let depth = chance.pick([3, 15, 16, 40, 500]); depth > 0; depth--)
			nested = depth % 2 ? [nested] : { a: nested };
		return nested;
	},
	many: (_place, old, chance) => {
		const length = chance.pick([101, 501, 1_001, 5_000]);
		const { length: size } = JSON.stringify(old) ?? "";
		return Array.from({ length: Math.min(length, Math.ceil(MANY_MAX / (size + 1))) }, () =>
			// Copies, so that a later change is one of one place.
			structuredClone(old),
		);
	},
};
const MUTATOR_NAMES = Object.keys(MUTATORS);

/** A changed copy, and a description of the change. */
export function mutateValue(value: unknown, chance: Chance): { value: unknown; kind: string } {
	const root = { value: structuredClone(value) };
	const kind = chance.pick(MUTATOR_NAMES);
	const place = chance.pick(listPlaces(root));
	const changed = MUTATORS[kind]?.(place, Reflect.get(place.parent, place.name), chance);
	if (changed !== undefined) Reflect.set(place.parent, place.name, changed);
	return { value: root.value ?? null, kind };
}

type TextMutator = (bytes: Buffer, chance: Chance) => Buffer;

const insert = (bytes: Buffer, at: number, more: Buffer) =>
	Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

/** Errors in the text itself, which no value can express. */
const TEXT_MUTATORS: Readonly<Record<string, TextMutator>> = {
	cut: (bytes, chance) => bytes.subarray(0, chance.whole(0, bytes.length)),
	"byte changed": (bytes, chance) => {
		const copy = Buffer.from(bytes);
		if (copy.length > 0) copy[chance.whole(0, copy.length - 1)] = chance.whole(0, 255);
		return copy;
	},
	"byte order mark": (bytes) => insert(bytes, 0, Buffer.from([0xef, 0xbb, 0xbf])),
	"UTF-16": (bytes) => Buffer.from(bytes.toString("utf8"), "utf16le"),
	"invalid UTF-8": (bytes, chance) =>
		insert(
			bytes,
			chance.whole(0, bytes.length),
			Buffer.from(chance.pick([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]])),
		),
	"member twice": (bytes) => Buffer.from(bytes.toString("utf8").replace(/("\w+"):("[^"]*"|\d+)/, "$1:$2,$1:$2")),
	"lone surrogate": (bytes) => Buffer.from(bytes.toString("utf8").replace(/:"/, ':"\\ud800')),
	"U+0000": (bytes) => Buffer.from(bytes.toString("utf8").replace(/:"/, ':"\\u0000')),
	"two documents": (bytes) => Buffer.concat([bytes, bytes]),
	"closing comma": (bytes) => Buffer.from(bytes.toString("utf8").replace(/\}$/, ",}")),
	"deep nesting": (_bytes, chance) => Buffer.from("[".repeat(chance.pick([17, 1_000, 50_000]))),
	"number without end": (bytes) =>
		Buffer.from(bytes.toString("utf8").replace(/:("[^"]*"|\d+)/, `:${"9".repeat(2_000)}`)),
	nothing: () => Buffer.alloc(0),
	"not JSON": (_bytes, chance) =>
		Buffer.from(chance.pick(["<a/>", "a=1&b=2", "undefined", "--x\r\n\r\n--x--", "\u0000"])),
};
const TEXT_MUTATOR_NAMES = Object.keys(TEXT_MUTATORS);

export function mutateBytes(bytes: Buffer, chance: Chance): { bytes: Buffer; kind: string } {
	const kind = chance.pick(TEXT_MUTATOR_NAMES);
	return { bytes: TEXT_MUTATORS[kind]?.(bytes, chance) ?? bytes, kind };
}
