/** Lists in pages: how a page is requested, and how rows become one. */
import { type TSchema, Type } from "@sinclair/typebox";
import { msg, Problem } from "../problem";
import { type Clock, daysBetween, isId, isIsoDate, toLocalIsoDate } from "../values";
import type { Answer, Call, Parameter, ParameterCheck, ParameterFault, QueryValues } from "./operation";
import { checkCursorId, dayParameters, queryParameter, readQuery } from "./query";

/** The `limit` of a list as text, so that `0x10` does not become 16. */
export const PageLimit = Type.String({
	pattern: "^([1-9][0-9]?|100)$",
	faultDetail: msg`Send a number from 1 to 100.`,
});
const LIMIT_DEFAULT = "25";

export const limitParameter = queryParameter("limit", `1 to 100, default ${LIMIT_DEFAULT}.`, PageLimit);

/** `after` and `limit`. The cursor is the last item's id by default. */
export function pageParameters(cursor: { schema?: TSchema; check?: ParameterCheck } = {}): Parameter[] {
	const { schema, check = schema ? undefined : checkCursorId } = cursor;
	return [queryParameter("after", "`next` of the previous page.", schema, check), limitParameter];
}

/** The query of a list with `pageParameters`. Throws: validation-error. */
export function readPageQuery(call: Call): { readonly limit: number; readonly query: QueryValues } {
	const { limit = LIMIT_DEFAULT, ...query } = readQuery(call);
	return { limit: Number(limit), query };
}

export function pageSchema<Item extends TSchema>(item: Item) {
	return Type.Object({
		items: Type.Array(item),
		count: Type.Integer(),
		partial: Type.Boolean(),
		next: Type.Union([Type.String(), Type.Null()]),
	});
}

/** The answer of a list, with an example of one item. */
export function pageAnswer(description: string, item: TSchema, example: unknown): Answer {
	const place: PagePlace = { count: 1, partial: false, next: null };
	return { description, schema: pageSchema(item), example: { items: [example], ...place } };
}

/** The members of a page besides its items. */
type PagePlace = { readonly count: number; readonly partial: boolean; readonly next: string | null };

/** Cuts a page from rows that were read with one more than its limit; the extra row shows that there are more. */
export function cutPage<Row>(
	rows: readonly Row[],
	limit: number,
	cursorOf: (last: Row) => string,
): { readonly page: readonly Row[]; readonly place: PagePlace } {
	const page = rows.slice(0, limit);
	const last = page.at(-1);
	const partial = rows.length > page.length;
	return { page, place: { count: page.length, partial, next: partial && last !== undefined ? cursorOf(last) : null } };
}

/** The days of a report. Default: from the first of the month to today. */

/** Both days are included. */
export type Period = { readonly from: string; readonly to: string };

export const PERIOD_DAYS_MAX = 366;

/** The optional `from` and `to`. */
export function periodParameters(clock: Clock, first: string, last: string): Parameter[] {
	const checkLength = (from: string, query: QueryValues): ParameterFault | undefined => {
		const { to } = readPeriod(query, clock);
		if (!isIsoDate(from) || !isIsoDate(to)) return undefined;
		if (from > to) return { code: "after-end", detail: msg`Is after \`to\`.` };
		if (daysBetween(from, to) < PERIOD_DAYS_MAX) return undefined;
		return { code: "too-long", detail: msg`Ask for ${PERIOD_DAYS_MAX} days at most.` };
	};
	return dayParameters(first, last).map((parameter) => {
		const { name, check } = parameter;
		if (name !== "from") return parameter;
		return { ...parameter, check: (from, query) => check?.(from, query) ?? checkLength(from, query) };
	});
}

/** The period of a query that passed `periodParameters`. */
export function readPeriod({ from, to }: QueryValues, clock: Clock): Period {
	const last = to ?? toLocalIsoDate(clock.now());
	return { from: from ?? `${last.slice(0, 8)}01`, to: last };
}

/** The id in a request's path. Throws: not-found for a malformed id, as for an unknown one. */
export function idFrom(call: Call, parameter = "id"): string {
	const id = call.params[parameter] ?? "";
	if (!isId(id)) throw new Problem("not-found");
	return id;
}
