/** Lists by pages: how a page is asked for, and how the rows that were found become one. */
import { type TSchema, Type } from "@sinclair/typebox";
import type { Call, Parameter, ParameterCheck, QueryValues } from "./operation";
import { checkCursorId, queryParameter } from "./query-parameters";
import { readQuery } from "./read-query";

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
	return [queryParameter("after", "`next` of the page before.", schema, check), limitParameter];
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
