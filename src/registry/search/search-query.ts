/** The search's parameters and how they become a query. */

import { timingSafeEqual } from "node:crypto";
import { Type } from "@sinclair/typebox";
import type { Parameter, ParameterFault } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type HitPosition, type SearchQuery, TEXT_FIELDS } from "../index/index";
import { canonicalWords, normaliseText } from "../words";

const QUERY_LENGTH_MIN = 3;
const QUERY_LENGTH_MAX = 150;
const LIMIT_DEFAULT = 25;

const NO_MISSPELLINGS = { code: "not-applicable", detail: msg`A number cannot be misspelt. Omit \`mode\`.` };
const SINGLE_PAGE = {
	code: "not-applicable",
	detail: msg`A smart search has only one page. Send a greater \`limit\`.`,
};

const SEARCH_FIELDS = [...TEXT_FIELDS, "any", "document"] as const;

export const typeParameter: Parameter = {
	name: "type",
	in: "query",
	required: false,
	description: "`rnc` returns only numbers of 9 digits, `cedula` only those of 11.",
	schema: Type.Union([Type.Literal("rnc"), Type.Literal("cedula")]),
	example: "rnc",
};

export const statusParameter: Parameter = {
	name: "status",
	in: "query",
	required: false,
	description: "Returns only entries with this status, such as `ACTIVO`.",
	schema: Type.String({ minLength: 1, maxLength: 40 }),
	// No entry has it, so every page would be misleadingly empty.
	check: (status) =>
		status.trim() === "" ? { code: "blank", detail: msg`Send a status, or omit the parameter.` } : undefined,
	example: "ACTIVO",
};

export const searchParameters: readonly Parameter[] = [
	{
		name: "q",
		in: "query",
		required: true,
		description: `The words to search for. Each must be a prefix of a word of the field, in any order. Accents, case and punctuation do not count; at least ${QUERY_LENGTH_MIN} characters must remain without them. For \`field=document\`: the first digits of the number, hyphens allowed.`,
		schema: Type.String({ minLength: QUERY_LENGTH_MIN, maxLength: QUERY_LENGTH_MAX }),
		check: (q, { field }) => (field === undefined ? undefined : readText(q, field).fault),
		example: "ferreteria progreso",
	},
	{
		name: "field",
		in: "query",
		required: true,
		description: "The field to search; `any` is the legal or the commercial name.",
		schema: Type.Union(SEARCH_FIELDS.map((field) => Type.Literal(field))),
		example: "name",
	},
	typeParameter,
	statusParameter,
	{
		name: "limit",
		in: "query",
		required: false,
		description: `Maximum number of entries, an integer from 1 to 100. Default: ${LIMIT_DEFAULT}.`,
		schema: Type.String({
			pattern: "^([1-9][0-9]?|100)$",
			default: String(LIMIT_DEFAULT),
			faultDetail: msg`Expected an integer from 1 to 100.`,
		}),
		example: "25",
	},
	{
		name: "mode",
		in: "query",
		required: false,
		description:
			"`smart` also finds what `q` may mean. Matches of `q` as written come first; then those with two of its words joined or one split; then those of misspelt words and similar names, by `score`. There is one page. Not available for `field=document` or with `after`. `fuzzy` is another name of `smart`.",
		schema: Type.Union([Type.Literal("exact"), Type.Literal("smart"), Type.Literal("fuzzy")], { default: "exact" }),
		check: (_, values) => (isSmart(values) && values.field === "document" ? NO_MISSPELLINGS : undefined),
		example: "exact",
	},
	{
		name: "highlight",
		in: "query",
		required: false,
		description:
			"`true` adds to each item where its field contains the words of `q`, as positions in the value. Units: UTF-16 code units, as JavaScript, Java and C# count characters.",
		schema: Type.Union([Type.Literal("true"), Type.Literal("false")], { default: "false" }),
		example: "false",
	},
	{
		name: "after",
		in: "query",
		required: false,
		description: "`next` of the previous page, with the same `q`, `field`, `type` and `status`.",
		schema: Type.String({ minLength: 1, maxLength: 200 }),
		check: (_, values) => (isSmart(values) ? SINGLE_PAGE : undefined),
	},
];

/**
 * Builds the query from parameters that `readQuery` or their schemas have checked. Throws: validation-error for a cursor of another query,
 * and for the faults that the parameters' checks report.
 */
export function toSearchQuery(
	values: Readonly<Record<string, string | undefined>>,
	cursorKey: Uint8Array,
): SearchQuery {
	const field = SEARCH_FIELDS.find((known) => known === values.field);
	if (!field) throw new Error("the search's field has not been checked");
	const q = values.q ?? "";
	const { text, form, fault } = readText(q, field);
	if (fault) throw new Problem("validation-error", { faults: [{ ...fault, pointer: "#/query/q" }] });
	const query: SearchQuery = {
		field,
		text,
		...(form === undefined ? {} : { form }),
		...readFilters(values),
		limit: Number(values.limit ?? LIMIT_DEFAULT),
	};
	if (values.after === undefined) return query;
	const after = openCursor(cursorKey, query, values.after);
	if (!after) {
		const detail = msg`Send the \`next\` of an answer to the same query.`;
		throw new Problem("validation-error", { faults: [{ pointer: "#/query/after", code: "invalid-cursor", detail }] });
	}
	return { ...query, after };
}

/** The filters of parameters that have been checked. */
export function readFilters({
	type,
	status,
}: Readonly<Record<string, string | undefined>>): Pick<SearchQuery, "kind" | "status"> {
	return {
		...(type === "rnc" || type === "cedula" ? { kind: type } : {}),
		...(status === undefined ? {} : { status: status.trim().toUpperCase() }),
	};
}

export function isSmart({ mode }: Readonly<Record<string, string | undefined>>): boolean {
	return mode === "smart" || mode === "fuzzy";
}

export function isHighlighted(values: Readonly<Record<string, string | undefined>>): boolean {
	return values.highlight === "true";
}

const asciiOnly = /^[\0-\x7f]*$/;

type Read = { readonly text: string; readonly form?: string; readonly fault?: ParameterFault };

/** What is searched for, and why it cannot be. */
export const readText = (q: string, field: string): Read => (field === "document" ? readPrefix(q) : readWords(q));

function readPrefix(q: string): Read {
	const text = q.replace(/[- ]/g, "");
	if (!/^[0-9]*$/.test(text)) {
		return {
			text,
			fault: { code: "invalid-format", detail: msg`The start of a number consists of digits and hyphens.` },
		};
	}
	return checkLength(q, text);
}

function readWords(q: string): Read {
	const { words, form } = canonicalWords(q);
	return { ...checkLength(q, normaliseText(q)), text: words.join(" "), ...(form === undefined ? {} : { form }) };
}

function checkLength(q: string, text: string): Read {
	if (lengthOf(q.trim()) >= QUERY_LENGTH_MIN && lengthOf(text) >= QUERY_LENGTH_MIN) return { text };
	const detail = msg`Fewer than ${QUERY_LENGTH_MIN} characters remain without accents, punctuation and outer spaces.`;
	return { text, fault: { code: "too-short", detail, minimum: QUERY_LENGTH_MIN } };
}

/** Units: Unicode characters. */
const lengthOf = (text: string) => (asciiOnly.test(text) ? text.length : [...text].length);

/**
 * The cursor of a search: the end of the previous page, authenticated under a key and bound to one query. It contains values instead of
 * rows, so it stays valid after the next ingest and in every process.
 */

const MAC_BYTES = 12;
/** Three bytes are four characters, so a prefix of the text is a prefix of the bytes. */
const MAC_CHARACTERS = 16;
const placeForm = /^([0-5])-([01])-([0-9]{1,6})-([0-9]{9,11})$/;

/** Added to the class of a hit that lacks the query's legal form. */
const CLASSES = 3;

export function sealCursor(key: Uint8Array, query: SearchQuery, place: HitPosition): string {
	const text = `${place.hitClass + (place.isOther ? CLASSES : 0)}-${place.active ? 1 : 0}-${place.length}-${place.document}`;
	// Digits and hyphens never produce the characters in which the two base64 alphabets differ.
	return `${btoa(text).replace(/=+$/, "")}.${macOf(key, query, text)}`;
}

/** The position of a cursor; undefined if it was not sealed for this query. */
export function openCursor(key: Uint8Array, query: SearchQuery, cursor: string): HitPosition | undefined {
	const [packed = "", mac = "", ...rest] = cursor.split(".");
	const text = Buffer.from(packed, "base64url").toString("latin1");
	const given = Buffer.from(mac, "base64url");
	const match = placeForm.exec(text);
	if (!match || rest.length > 0 || given.length !== MAC_BYTES) return undefined;
	if (!timingSafeEqual(given, Buffer.from(macOf(key, query, text), "base64url"))) return undefined;
	const hitClass = Number(match[1]);
	return {
		hitClass: hitClass % CLASSES,
		...(hitClass < CLASSES ? {} : { isOther: true }),
		active: match[2] === "1",
		length: Number(match[3]),
		document: match[4] ?? "",
	};
}

/** Omits the limit, because the next page may have another size. */
function macOf(key: Uint8Array, query: SearchQuery, text: string): string {
	const form = query.form === undefined ? [] : [query.form];
	const scope = JSON.stringify([query.field, query.text, query.kind ?? null, query.status ?? null, text, ...form]);
	return keyedWith(key).copy().update(scope).digest("base64url").slice(0, MAC_CHARACTERS);
}

/** Cached by key, because creating a keyed hash takes longer than computing one. */
const keyedHashes = new WeakMap<Uint8Array, Bun.CryptoHasher>();

function keyedWith(key: Uint8Array): Bun.CryptoHasher {
	const known = keyedHashes.get(key);
	if (known) return known;
	const made = new Bun.CryptoHasher("sha256", key);
	keyedHashes.set(key, made);
	return made;
}
