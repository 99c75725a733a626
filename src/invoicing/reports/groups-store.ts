/**
 * SQL that reads groups of sums from the smallest table that can answer, with what is not folded yet and what has failed:
 *
 *   day_sums        without buyers
 *   customer_sums   by buyer, month, type and status, for whole months
 *   documents       by buyer, for partial months and other dimensions
 *
 * The database returns columns as texts, because a large company has many groups and rows would cost the client more than the database.
 */
import type { PendingQuery, Row } from "postgres";
import type { Sql, Tx } from "../../platform/database";
import type { Period } from "../../platform/operation";
import type { DecidedStatus, Dimension, Group, Position } from "./groups";
import { type Books, letterOf } from "./store";

type Piece = PendingQuery<Row[]>;

/** `status`: of the documents that count; undefined for all. */
export type Grouping = { readonly dimensions: readonly Dimension[]; readonly status?: DecidedStatus | undefined };

export type Page = { readonly after?: Position | undefined; readonly limit: number };

/** Groups in the order of their dimensions, empty values first. */
export async function findGroups(
	sql: Sql | Tx,
	books: Books,
	period: Period,
	{ dimensions, status }: Grouping,
	{ after, limit }: Page,
): Promise<Group[]> {
	// Ordered by the stored values, which the index has in this order.
	const names = dimensions.map((one) => sql`s.${sql(one)}`);
	const behind = after
		? sql`(${join(sql, names)}) > (${join(
				sql,
				after.map((value, i) => typed(sql, dimensions[i], value)),
			)})`
		: sql`true`;
	const columns = dimensions.map((one) => sql`json_agg(${sql(one)}) as ${sql(one)}`);
	const shown = dimensions.map((one) => shownAs(sql, one));
	const order = names.length > 0 ? sql`order by ${join(sql, names)}` : sql``;
	const grouping = names.length > 0 ? sql`group by ${join(sql, names)}` : sql``;
	const added = [sql`sum(count)::bigint as count`, ...(["subtotal", "tax"] as const).map((one) => inPesos(sql, one))];
	const groups = sql`select ${join(sql, [...shown, ...added])} from (${sumsOf(sql, books, period, { dimensions, status })}) s
		where ${behind} ${grouping} having sum(count) <> 0 ${order} limit ${limit}`;
	const sums = sql`string_agg(count || ' ' || subtotal || ' ' || tax || ' ' || (subtotal + tax), ' ') as sums`;
	const [row] = await sql<Columns[]>`select ${join(sql, [...columns, sums])} from (${groups}) g`;
	return row?.sums ? toGroups(row, row.sums.split(" "), dimensions) : [];
}

/** One row; all null without groups. */
type Columns = Partial<Record<Dimension, (string | null)[] | null>> & { readonly sums: string | null };

const SUMS = ["subtotal", "tax", "grand_total"] as const;

/** `sums` has four texts for each group. */
function toGroups(columns: Columns, sums: readonly string[], dimensions: readonly Dimension[]): Group[] {
	const groups: Group[] = [];
	for (let at = 0; 4 * at < sums.length; at++) {
		const group: Record<string, string | number | null> = {};
		for (const name of dimensions) group[name] = columns[name]?.[at] ?? null;
		group.count = Number(sums[4 * at]);
		SUMS.forEach((name, place) => {
			group[name] = sums[4 * at + 1 + place] ?? null;
		});
		groups.push(group as Group);
	}
	return groups;
}

/** Sums are kept in cents. */
function inPesos(sql: Sql | Tx, name: "subtotal" | "tax"): Piece {
	return sql`sum(${sql(name)}) * 0.01 as ${sql(name)}`;
}

/** Rows with all dimensions, of which a grouping names some. */
function sumsOf(sql: Sql | Tx, books: Books, period: Period, { dimensions, status }: Grouping): Piece {
	const sources = dimensions.includes("customer_rnc")
		? byCustomer(sql, books, period, dimensions)
		: [byDay(sql, books, period), liveIn(sql, books, period)];
	const all = sources.reduce((all, one) => sql`${all} union all ${one}`);
	return sql`select day, date_trunc('month', day::timestamp)::date as month, type::text as type, branch, customer_rnc, count, subtotal, tax,
			case status when 'a' then 'accepted' when 'r' then 'rejected' else 'failed' end as status
		from (${all}) u ${status === undefined ? sql`` : sql`where status = ${status.slice(0, 1)}`}`;
}

/** By buyer there are only months, which have no day or branch. The rest of the period is read document by document. */
function byCustomer(sql: Sql | Tx, books: Books, period: Period, dimensions: readonly Dimension[]): Piece[] {
	const months = dimensions.includes("day") || dimensions.includes("branch") ? undefined : findWholeMonths(period);
	if (!months) return [decidedIn(sql, books, period)];
	return [
		byMonth(sql, books, months),
		liveIn(sql, books, months),
		...(period.from < months.from ? [decidedIn(sql, books, { from: period.from, to: addDays(months.from, -1) })] : []),
		...(months.to < period.to ? [decidedIn(sql, books, { from: addDays(months.to, 1), to: period.to })] : []),
	];
}

function byDay(sql: Sql | Tx, books: Books, { from, to }: Period): Piece {
	return sql`select day, type, status, branch, '' as customer_rnc, count, subtotal, tax from day_sums
		where tenant_id = ${books.tenantId} and environment = ${letterOf(books)} and day between ${from}::date and ${to}::date`;
}

function byMonth(sql: Sql | Tx, books: Books, { from, to }: Period): Piece {
	return sql`select month as day, type, status, '' as branch, customer_rnc, count, subtotal, tax from customer_sums
		where tenant_id = ${books.tenantId} and environment = ${letterOf(books)} and month between ${from}::date and ${to}::date`;
}

function liveIn(sql: Sql | Tx, books: Books, { from, to }: Period): Piece {
	return sql`select day, type, status, branch, customer_rnc, 1 as count, subtotal, tax from list_live(${books.tenantId})
		where environment = ${letterOf(books)} and day between ${from}::date and ${to}::date`;
}

function decidedIn(sql: Sql | Tx, books: Books, { from, to }: Period): Piece {
	return sql`select day, type, status, branch, customer_rnc, 1 as count, subtotal, tax
		from list_decided(${books.tenantId}, ${letterOf(books)}::"char", ${from}::date, ${to}::date)`;
}

function addDays(day: string, days: number): string {
	return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

function typed(sql: Sql | Tx, dimension: Dimension | undefined, value: string): Piece {
	return dimension === "day" || dimension === "month" ? sql`${value}::date` : sql`${value}::text`;
}

function shownAs(sql: Sql | Tx, dimension: Dimension): Piece {
	if (dimension === "day") return sql`to_char(day, 'YYYY-MM-DD') as day`;
	if (dimension === "month") return sql`to_char(month, 'YYYY-MM') as month`;
	return sql`nullif(${sql(dimension)}, '') as ${sql(dimension)}`;
}

function join(sql: Sql | Tx, pieces: readonly Piece[]): Piece {
	return pieces.reduce((all, one) => sql`${all}, ${one}`);
}

/** The whole months within a period; undefined if there are none. */
export function findWholeMonths({ from, to }: Period): (Period & { readonly count: number }) | undefined {
	// Months are counted from the year 0.
	const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
	const startOf = (month: number) => new Date(Date.UTC(Math.floor(month / 12), month % 12)).toISOString().slice(0, 10);
	const endOf = (month: number) =>
		new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10);
	const first = monthOf(from) + (from.endsWith("-01") ? 0 : 1);
	const last = monthOf(to) - (to === endOf(monthOf(to)) ? 0 : 1);
	return last < first ? undefined : { from: startOf(first), to: endOf(last), count: last - first + 1 };
}
