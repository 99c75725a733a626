/** Lists by pages: how a page is asked for, and how the rows that were found become one. */
import { type TSchema, Type } from "@sinclair/typebox";
import { Problem } from "../problem";
import { type Clock, daysBetween, isId, isIsoDate, toLocalIsoDate } from "../values";
import type { Call, Parameter, ParameterCheck, ParameterFault, QueryValues } from "./operation";
import { checkCursorId, dayParameters, queryParameter, readQuery } from "./query";

/** The `limit` of a list by pages, as text: `0x10` must not become 16 on the way. */
export const PageLimit = Type.String({
	pattern: "^([1-9][0-9]?|100)$",
	faultDetail: "Send a number from 1 to 100.",
});
const LIMIT_DEFAULT = "25";

export const limitParameter = queryParameter("limit", `1 to 100, default ${LIMIT_DEFAULT}.`, PageLimit);

/** `after` and `limit`; a cursor is the last item's id unless told otherwise. */
export function pageParameters(cursor: { schema?: TSchema; check?: ParameterCheck } = {}): Parameter[] {
	const { schema, check = schema ? undefined : checkCursorId } = cursor;
	return [queryParameter("after", "`next` of the previous page.", schema, check), limitParameter];
}

/** The query of a list with `pageParameters`. Throws: validation-error. */
export function readPageQuery(call: Call): { readonly limit: number; readonly query: QueryValues } {
	const { limit = LIMIT_DEFAULT, ...query } = readQuery(call);
	return { limit: Number(limit), query };
}

/** What a page of such items looks like. */
export function pageSchema<Item extends TSchema>(item: Item) {
	return Type.Object({
		items: Type.Array(item),
		count: Type.Integer(),
		partial: Type.Boolean(),
		next: Type.Union([Type.String(), Type.Null()]),
	});
}

/** What stands on a page beside its items. */
type PagePlace = { readonly count: number; readonly partial: boolean; readonly next: string | null };

/** The page of rows that were asked for with one more than its limit, which tells that there are others. */
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

/** The days that a report is about: up to today, and from the first of the month, unless told otherwise. */

/** Both days are included. */
export type Period = { readonly from: string; readonly to: string };

export const PERIOD_DAYS_MAX = 366;

/** `from` and `to`, both of which may be left out. */
export function periodParameters(clock: Clock, first: string, last: string): Parameter[] {
	const checkLength = (from: string, query: QueryValues): ParameterFault | undefined => {
		const { to } = readPeriod(query, clock);
		if (!isIsoDate(from) || !isIsoDate(to)) return undefined;
		if (from > to) return { code: "after-end", detail: "Is after `to`." };
		if (daysBetween(from, to) < PERIOD_DAYS_MAX) return undefined;
		return { code: "too-long", detail: `Ask for ${PERIOD_DAYS_MAX} days at most.` };
	};
	return dayParameters(first, last).map((parameter) => {
		const { name, check } = parameter;
		if (name !== "from") return parameter;
		return { ...parameter, check: (from, query) => check?.(from, query) ?? checkLength(from, query) };
	});
}

/** The period of a query that `periodParameters` let pass. */
export function readPeriod({ from, to }: QueryValues, clock: Clock): Period {
	const last = to ?? toLocalIsoDate(clock.now());
	return { from: from ?? `${last.slice(0, 8)}01`, to: last };
}

/** The id in a request's path. Throws: not-found for what can be no id, as for one that nobody has. */
export function idFrom(call: Call, parameter = "id"): string {
	const id = call.params[parameter] ?? "";
	if (!isId(id)) throw new Problem("not-found");
	return id;
}
