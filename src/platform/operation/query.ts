/** Parameters and bodies that many operations share, with the checks of query parameters. */
import { type TSchema, type TString, Type } from "@sinclair/typebox";
import { type Fault, type Message, msg, Problem, pointerSegment } from "../problem";
import { isId, isIsoDate, isXmlText, parseTaxpayerDocument } from "../values";
import { checkSchema } from "./check-schema";
import {
	type BodyRule,
	type Call,
	JSON_BYTES_MAX,
	type Parameter,
	type ParameterCheck,
	type ParameterFault,
	type QueryValues,
} from "./operation";

export function queryParameter(
	name: string,
	description: string,
	schema: TSchema = Type.String({ maxLength: 64 }),
	check?: ParameterCheck,
): Parameter {
	return { name, in: "query", required: false, description, schema, ...(check ? { check } : {}) };
}

export function pathParameter(
	name: string,
	description: string,
	example?: unknown,
	schema: TSchema = Type.String(),
): Parameter {
	return { name, in: "path", required: true, description, schema, ...(example === undefined ? {} : { example }) };
}

/** A path parameter that names a company. */
export function companyParameter(
	name: string,
	description = "The company's tenant id; must be the token's.",
): Parameter {
	return { ...pathParameter(name, description, "0192f0a1-b2c3-7d4e-8f00-112233445566"), isCompany: true };
}

export function headerParameter(name: string, description: string): Parameter {
	return { name, in: "header", required: false, description, schema: Type.String() };
}

export function jsonBody(schema: TSchema, example: unknown, required = true): BodyRule {
	return { schema, limitBytes: JSON_BYTES_MAX, required, mediaTypes: ["application/json"], example };
}

/** A merge patch. Source: RFC 7396. */
export function patchBody(schema: TSchema, example: unknown): BodyRule {
	return { ...jsonBody(schema, example), mediaTypes: ["application/merge-patch+json", "application/json"] };
}

export function textOf(pattern: string, faultDetail: Message): TSchema {
	return Type.String({ maxLength: 64, pattern, faultDetail });
}

/** The control characters that `checkText` lets pass; it refuses the others in every text. */
const NAME_PATTERN = "^[^\\t\\n\\r\\u007f-\\u009f\\u2028\\u2029]*$";

/** A text of one line, such as a name: it is put into headers, mails and log lines, where a line break would begin another. */
export function lineOf(maxLength: number, description: string): TString {
	return Type.String({
		...{ minLength: 1, maxLength, description },
		...{
			pattern: NAME_PATTERN,
			ownPattern: true,
			faultCode: "illegal-character",
			faultDetail: msg`Send one line without control characters.`,
		},
	});
}

export function oneOf(...words: readonly string[]): TSchema {
	return Type.String({ pattern: `^(${words.join("|")})$`, faultDetail: msg`Send one of ${words.join(", ")}.` });
}

/** The days from `from` to `to`, both included. */
export function dayParameters(first: string, last: string): Parameter[] {
	return [
		queryParameter("from", first, Type.String(), (from, { to }) => checkDay(from) ?? checkOrder(from, to, isIsoDate)),
		queryParameter("to", last, Type.String(), checkDay),
	];
}

/** A taxpayer's number, with or without hyphens. */
export function taxpayerParameter(name: string, description: string): Parameter {
	return queryParameter(name, description, undefined, (value) =>
		parseTaxpayerDocument(value) ? undefined : { code: "invalid-rnc", detail: msg`Send 9 or 11 digits.` },
	);
}

/** Reports a malformed id as an invalid cursor, which is what callers know it as. */
export const checkCursorId: ParameterCheck = (after) =>
	isId(after) ? undefined : { code: "invalid-cursor", detail: msg`Is not a cursor.` };

export function checkDay(text: string): ParameterFault | undefined {
	if (isIsoDate(text)) return undefined;
	const isInForm = /^\d{4}-\d\d-\d\d$/.test(text);
	const detail = isInForm ? msg`Is not a day of the calendar from 1900 to 2199.` : msg`Send YYYY-MM-DD.`;
	return { code: "invalid-date", detail };
}

/**
 * What is wrong with a document's `YYYY-MM-DD`; undefined when nothing is. The formats take no year after 2099. Source: the authority's
 * schemas, pattern of dates.
 */
export function findDocumentDayFault(text: string): Message | undefined {
	const year = Number(text.slice(0, 4));
	if (year < 1900 || year > 2099) return msg`Send a day of the years 1900 to 2099.`;
	return isIsoDate(text) ? undefined : msg`Is not a day of the calendar.`;
}

/** Reports a start after the end; a malformed end is reported there. */
function checkOrder(
	from: string,
	to: string | undefined,
	isWellFormed: (text: string) => boolean,
): ParameterFault | undefined {
	const isBehind = to !== undefined && isWellFormed(to) && from > to;
	return isBehind ? { code: "after-end", detail: msg`Is after \`to\`.` } : undefined;
}

/**
 * Gap: unknown parameters are refused like unknown members: a misspelt filter would return the wrong data.
 *
 * The query parameters that the operation declares, as text. Throws: validation-error for all repeated, unknown, missing and malformed ones
 * and all violations of the parameters' own checks together. Numbers stay text, so that `limit=0x10` does not become 16.
 */
export function readQuery(call: Call): Record<string, string | undefined> {
	const declared = (call.operation.parameters ?? []).filter((p) => p.in === "query");
	const faults: Fault[] = [];
	const values: Record<string, string | undefined> = {};
	const add = (name: string, code: string, detail: Message) =>
		faults.push({ pointer: `#/query/${pointerSegment(name)}`, code, detail });
	// Checks of a value that cannot be decoded would report on another value than was sent.
	const unreadable = listUnreadable(call.url.search);
	for (const name of unreadable)
		add(name.slice(0, 60), "invalid-encoding", msg`The parameter is not percent-encoded UTF-8.`);
	for (const name of new Set(call.url.searchParams.keys())) {
		if (!unreadable.has(name) && !declared.some((p) => p.name === name))
			add(name.slice(0, 60), "unknown-parameter", msg`The parameter is not known here.`);
	}
	for (const parameter of declared) {
		if (unreadable.has(parameter.name)) continue;
		const all = call.url.searchParams.getAll(parameter.name);
		const value = all[0];
		if (value === undefined) {
			if (parameter.required) add(parameter.name, "required", msg`The parameter is required.`);
		} else if (all.length > 1) add(parameter.name, "repeated", msg`Send the parameter once.`);
		else if (!isXmlText(value))
			add(parameter.name, "illegal-character", msg`Contains a character that is not allowed.`);
		else {
			const [first] = checkSchema(parameter.schema, value);
			if (first) faults.push({ ...first, pointer: `#/query/${parameter.name}` });
			else values[parameter.name] = value;
		}
	}
	faults.push(...runOwnChecks(declared, values, "#/query"));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return values;
}

/** What the parameters' own checks find in values that fit their schemas; `at` is where the values are. */
export function runOwnChecks(
	parameters: readonly Pick<Parameter, "name" | "check">[],
	values: QueryValues,
	at: string,
): Fault[] {
	return parameters.flatMap(({ name, check }) => {
		const value = values[name];
		const fault = value === undefined ? undefined : check?.(value, values);
		return fault ? [{ ...fault, pointer: `${at}/${name}` }] : [];
	});
}

/** Names of parameters whose name or value is not percent-encoded UTF-8. */
function listUnreadable(search: string): Set<string> {
	const pairs = isWellEncoded(search) ? [] : search.slice(1).split("&");
	return new Set(pairs.filter((pair) => !isWellEncoded(pair)).flatMap((pair) => [...new URLSearchParams(pair).keys()]));
}

function isWellEncoded(text: string): boolean {
	try {
		decodeURIComponent(text);
		return true;
	} catch {
		return false;
	}
}

/** Reads queries in the usual spelling without a URL object, for answers that must cost hardly more than that. */

/** No fragment, no space, only ASCII; whatever else a URL object encodes, it decodes again. Source: WHATWG URL, query state. */
const plain = /^[!"$-~]*$/;

/**
 * A reader that returns the same values as `readQuery`; undefined for a query with a violation and for any unusual spelling. It does not
 * run the parameters' own checks.
 */
export function createPlainQuery(
	parameters: readonly Parameter[],
): (query: string) => Record<string, string | undefined> | undefined {
	const declared = new Map(parameters.filter((one) => one.in === "query").map((one) => [one.name, one]));
	const required = [...declared.values()].filter((one) => one.required);
	return (query) => {
		if (!plain.test(query)) return undefined;
		const values: Record<string, string | undefined> = {};
		for (const pair of query.split("&")) {
			const nameTo = pair.indexOf("=");
			if (nameTo < 0) return undefined;
			const parameter = declared.get(pair.slice(0, nameTo));
			const value = parameter && decode(pair.slice(nameTo + 1));
			if (!parameter || value === undefined || values[parameter.name] !== undefined) return undefined;
			if (!isXmlText(value) || checkSchema(parameter.schema, value).length > 0) return undefined;
			values[parameter.name] = value;
		}
		return required.every((one) => values[one.name] !== undefined) ? values : undefined;
	};
}

function decode(text: string): string | undefined {
	const spaced = text.replaceAll("+", " ");
	if (!spaced.includes("%")) return spaced;
	try {
		return decodeURIComponent(spaced);
	} catch {
		return undefined;
	}
}
