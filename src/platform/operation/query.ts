/** Parameters of queries that many operations have, each with what is asked of it. */
import { type TSchema, Type } from "@sinclair/typebox";
import { type Fault, Problem, pointerSegment } from "../problem";
import { isId, isIsoDate, isXmlText, parseTaxpayerDocument } from "../values";
import { checkSchema } from "./check-schema";
import type { Call, Parameter, ParameterCheck, ParameterFault } from "./operation";

/** An optional parameter of the query. */
export function queryParameter(
	name: string,
	description: string,
	schema: TSchema = Type.String({ maxLength: 64 }),
	check?: ParameterCheck,
): Parameter {
	return { name, in: "query", required: false, description, schema, ...(check ? { check } : {}) };
}

/** A text of one form. */
export function textOf(pattern: string, faultDetail: string): TSchema {
	return Type.String({ maxLength: 64, pattern, faultDetail });
}

/** One of some words. */
export function oneOf(...words: readonly string[]): TSchema {
	return Type.String({ pattern: `^(${words.join("|")})$`, faultDetail: `Send one of ${words.join(", ")}.` });
}

/** The days from `from` to `to`, both included. */
export function dayParameters(first: string, last: string): Parameter[] {
	return [
		queryParameter("from", first, Type.String(), (from, { to }) => checkDay(from) ?? checkOrder(from, to, isIsoDate)),
		queryParameter("to", last, Type.String(), checkDay),
	];
}

/** The number of a taxpayer, with or without hyphens. */
export function taxpayerParameter(name: string, description: string): Parameter {
	return queryParameter(name, description, undefined, (value) =>
		parseTaxpayerDocument(value) ? undefined : { code: "invalid-rnc", detail: "Send 9 or 11 digits." },
	);
}

/** The id that `check` finds fault with is told as no cursor: that is what callers know it as. */
export const checkCursorId: ParameterCheck = (after) =>
	isId(after) ? undefined : { code: "invalid-cursor", detail: "Is not a cursor." };

/** What is wrong with a day. */
export function checkDay(text: string): ParameterFault | undefined {
	if (isIsoDate(text)) return undefined;
	const isInForm = /^\d{4}-\d\d-\d\d$/.test(text);
	const detail = isInForm ? "Is not a day of the calendar from 1900 to 2199." : "Send YYYY-MM-DD.";
	return { code: "invalid-date", detail };
}

/** What is wrong with a beginning behind its end; the end's own form is told at the end itself. */
function checkOrder(
	from: string,
	to: string | undefined,
	isWellFormed: (text: string) => boolean,
): ParameterFault | undefined {
	const isBehind = to !== undefined && isWellFormed(to) && from > to;
	return isBehind ? { code: "after-end", detail: "Is after `to`." } : undefined;
}

/**
 * Gap: unknown parameters are refused like unknown members: a misspelt filter would answer what was not asked for.
 *
 * The query parameters that the operation declares, as text, each at most once. Throws: validation-error for a repeated,
 * unknown, missing or ill-formed one and for what the parameters' own checks tell, all at once. Numbers stay text: `limit=0x10` must not
 * become 16 on the way.
 */
export function readQuery(call: Call): Record<string, string | undefined> {
	const declared = (call.operation.parameters ?? []).filter((p) => p.in === "query");
	const faults: Fault[] = [];
	const values: Record<string, string | undefined> = {};
	const add = (name: string, code: string, detail: string) =>
		faults.push({ pointer: `#/query/${pointerSegment(name)}`, code, detail });
	// What follows from a value that cannot be read would be told of another one than was sent.
	const unreadable = listUnreadable(call.url.search);
	for (const name of unreadable)
		add(name.slice(0, 60), "invalid-encoding", "The parameter is not percent-encoded UTF-8.");
	for (const name of new Set(call.url.searchParams.keys())) {
		if (!unreadable.has(name) && !declared.some((p) => p.name === name))
			add(name.slice(0, 60), "unknown-parameter", "The parameter is not known here.");
	}
	for (const parameter of declared) {
		if (unreadable.has(parameter.name)) continue;
		const all = call.url.searchParams.getAll(parameter.name);
		const value = all[0];
		if (value === undefined) {
			if (parameter.required) add(parameter.name, "required", "The parameter is required.");
		} else if (all.length > 1) add(parameter.name, "repeated", "Send the parameter once.");
		else if (!isXmlText(value)) add(parameter.name, "illegal-character", "Contains a character that is not allowed.");
		else {
			const [first] = checkSchema(parameter.schema, value);
			if (first) faults.push({ ...first, pointer: `#/query/${parameter.name}` });
			else values[parameter.name] = value;
		}
	}
	for (const { name, check } of declared) {
		const value = values[name];
		const fault = value === undefined ? undefined : check?.(value, values);
		if (fault) faults.push({ ...fault, pointer: `#/query/${name}` });
	}
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return values;
}

/** Names of the parameters of which name or value is no percent-encoded UTF-8, as the runtime reads them. */
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

/** Reads queries that are written as nearly all are, without an object for the address: for answers that cost hardly more than that. */

/** No fragment, no space, nothing beyond ASCII; whatever else an address object encodes, it decodes again. Source: WHATWG URL, query state. */
const plain = /^[!"$-~]*$/;

/**
 * A reader of these parameters: the same values as from `readQuery`; undefined for a query with a fault, which `readQuery` tells, and
 * for one that is written in another way than `name=value&name=value` with the names as they are. The parameters' own checks are left to
 * whoever uses the values.
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
