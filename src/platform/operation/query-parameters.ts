/** Parameters of queries that many operations have, each with what is asked of it. */
import { type TSchema, Type } from "@sinclair/typebox";
import { isId, isIsoDate, parseTaxpayerDocument } from "../values";
import type { Parameter, ParameterCheck, ParameterFault } from "./operation";

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
