/**
 * SQL that reads groups of sums from the smallest table that can answer:
 *
 *   report_sums              without buyers
 *   report_customer_months   by buyer, month and status, for whole months
 *   report_customer_sums     by buyer, for partial months and other dimensions
 *
 * The database returns columns as texts, because a large company has many groups and rows would cost the client more than the database.
 */
import type { PendingQuery, Row } from "postgres";
import type { Sql, Tx } from "../../platform/database";
import type { Period } from "../../platform/operation";
import type { DecidedStatus, Dimension, Group, Position } from "./groups";
import type { Books } from "./store";

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
	const added = [sql`sum(count)::bigint as count`, sql`sum(subtotal) as subtotal`, sql`sum(tax) as tax`];
	const groups = isOfBuyersMonth(period, dimensions)
		? sql`select ${join(sql, [...shown, sql`count, subtotal, tax`])} from (${monthsOf(sql, books, period, { dimensions, status })}) s
			where count <> 0 and ${behind} ${order} limit ${limit}`
		: sql`select ${join(sql, [...shown, ...added])} from (${sumsOf(sql, books, period, { dimensions, status })}) s
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

/** Whether buyers' months suffice: they have no day, type or branch. */
function needsNoDays(dimensions: readonly Dimension[]): boolean {
	return (
		dimensions.includes("customer_rnc") &&
		!["day", "type", "branch"].some((one) => dimensions.includes(one as Dimension))
	);
}

/** For one month each row is a group, and adding up would cost more than reading. */
function isOfBuyersMonth(period: Period, dimensions: readonly Dimension[]): boolean {
	return needsNoDays(dimensions) && isOneMonth(period);
}

function isOneMonth(period: Period): boolean {
	const months = findWholeMonths(period);
	return months?.count === 1 && months.from === period.from && months.to === period.to;
}

function sumsOf(sql: Sql | Tx, books: Books, period: Period, { dimensions, status }: Grouping): Piece {
	if (!dimensions.includes("customer_rnc")) return daysOf(sql, "report_sums", books, period, status);
	const days = daysOf(sql, "report_customer_sums", books, period, status);
	const months = needsNoDays(dimensions) ? findWholeMonths(period) : undefined;
	if (!months) return days;
	return sql`
		${monthsOf(sql, books, months, { dimensions, status })}
		union all
		select month, customer_rnc, status, count, subtotal, tax from (${days}) d
		where day not between ${months.from}::date and ${months.to}::date`;
}

function daysOf(
	sql: Sql | Tx,
	table: string,
	{ tenantId, environment }: Books,
	{ from, to }: Period,
	status: DecidedStatus | undefined,
): Piece {
	return sql`select *, date_trunc('month', day::timestamp)::date as month from ${sql(table)}
		where tenant_id = ${tenantId} and authority_environment = ${environment} and day between ${from}::date and ${to}::date
			${status === undefined ? sql`` : sql`and status = ${status}`}`;
}

function monthsOf(
	sql: Sql | Tx,
	{ tenantId, environment }: Books,
	period: Period,
	{ dimensions, status }: Grouping,
): Piece {
	const { from, to } = period;
	// With an equality the planner knows that one month's rows are in the order of its buyers.
	const months = isOneMonth(period) ? sql`month = ${from}::date` : sql`month between ${from}::date and ${to}::date`;
	return sql`select month, customer_rnc, status, count, subtotal, tax from report_customer_months
		where tenant_id = ${tenantId} and authority_environment = ${environment} and ${months}
			and ${status === undefined && dimensions.includes("status") ? sql`status <> ''` : sql`status = ${status ?? ""}`}`;
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
