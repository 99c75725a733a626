/** Expected reports, computed from stored requests with arithmetic independent of the service. */
import type { Sql } from "../../../src/platform/database";

export const NAMES = ["day", "month", "type", "status", "branch", "customer_rnc"] as const;
export type Name = (typeof NAMES)[number];

/** Units: cents, whole. */
export type Line = Readonly<Record<Name, string | null>> & {
	readonly count: number;
	readonly subtotal: bigint;
	readonly tax: bigint;
};

/** The authority's environments as path segments. */
export const SEGMENTS = { test: "testecf", certification: "certecf", production: "ecf" } as const;
export type AuthorityEnvironment = keyof typeof SEGMENTS;

/** Every decided document of a company in an environment, at the finest grouping. */
export async function readLines(sql: Sql, tenantId: string, environment: AuthorityEnvironment): Promise<Line[]> {
	const rows = await sql<(Omit<Line, "month" | "subtotal" | "tax"> & { day: string; net: string; taxes: string })[]>`
		select coalesce(r ->> 'issue_date', to_char((signed_at at time zone 'UTC') - interval '4 hours', 'YYYY-MM-DD')) as day,
			r ->> 'type' as type, status, r ->> 'branch' as branch, r #>> '{customer,rnc}' as customer_rnc, count(*)::int as count,
			sum(100 * (r #>> '{totals,subtotal}')::numeric)::bigint::text as net,
			sum(100 * (r #>> '{totals,tax}')::numeric)::bigint::text as taxes
		from invoices i, lateral (select i.request::json as r) j
		where tenant_id = ${tenantId} and status in ('accepted', 'rejected', 'failed')
			and split_part(print ->> 'qrUrl', '/', 4) = ${SEGMENTS[environment]}
		group by 1, 2, 3, 4, 5`;
	return rows.map(({ net, taxes, ...names }) => {
		const sign = names.type === "34" ? -1n : 1n;
		return { ...names, month: names.day.slice(0, 7), subtotal: sign * BigInt(net), tax: sign * BigInt(taxes) };
	});
}

/** The expected groups of a report, as sorted text. */
export function groupLines(lines: readonly Line[], names: readonly Name[]): string[] {
	const groups = Map.groupBy(lines, (line) =>
		JSON.stringify(Object.fromEntries(names.map((name) => [name, line[name]]))),
	);
	return [...groups]
		.map(([group, members]) => JSON.stringify({ ...(JSON.parse(group) as object), ...sumOf(members) }))
		.sort();
}

export function sumOf(lines: readonly Line[]) {
	const [subtotal, tax] = [
		lines.reduce((sum, line) => sum + line.subtotal, 0n),
		lines.reduce((sum, line) => sum + line.tax, 0n),
	];
	return {
		count: lines.reduce((sum, line) => sum + line.count, 0),
		...{ subtotal: toText(subtotal), tax: toText(tax), grand_total: toText(subtotal + tax) },
	};
}

export function toText(cents: bigint): string {
	const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
	return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The inverse. */
export function toCents(text: string): bigint {
	return BigInt(text.replace(".", ""));
}

export const SUBSETS: readonly (readonly Name[])[] = Array.from({ length: 2 ** NAMES.length }, (_, bits) =>
	NAMES.filter((_, place) => bits & (1 << place)),
);
