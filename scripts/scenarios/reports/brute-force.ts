/** Expected reports, computed from stored requests with arithmetic independent of the service. */
import { readPapers } from "../../../src/invoicing/invoices";
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

const ROWS_AT_A_TIME = 1_000;
const UTC_MINUS_4_MS = 4 * 3_600_000;

type Request = {
	readonly issue_date?: string;
	readonly type: string;
	readonly branch?: string;
	readonly customer?: { readonly rnc?: string };
	readonly totals: { readonly subtotal: string; readonly tax: string };
};

/** Every decided document of a company in an environment, from the papers that it was stored with. */
export async function readLines(sql: Sql, tenantId: string, environment: AuthorityEnvironment): Promise<Line[]> {
	const rows = sql<{ status: string | null; body: Uint8Array }[]>`
		select case coalesce(v.status, o.status) when 'a' then 'accepted' when 'r' then 'rejected' when 'f' then 'failed' end as status, p.body
		from documents d join papers p on p.tenant_id = d.tenant_id and p.doc_id = d.doc_id
		left join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id
		left join open_documents o on o.tenant_id = d.tenant_id and o.doc_id = d.doc_id
		where d.tenant_id = ${tenantId}`;
	const lines: Line[] = [];
	for await (const page of rows.cursor(ROWS_AT_A_TIME)) {
		for (const { status, body } of page) {
			const { request, print } = readPapers(body);
			if (status === null || print.qrUrl.split("/")[3] !== SEGMENTS[environment]) continue;
			const { issue_date, type, branch = null, customer, totals } = JSON.parse(request) as Request;
			const day = issue_date ?? new Date(Date.parse(print.signedAt) - UTC_MINUS_4_MS).toISOString().slice(0, 10);
			const sign = type === "34" ? -1n : 1n;
			lines.push({
				...{ day, month: day.slice(0, 7), type, status, branch, customer_rnc: customer?.rnc ?? null, count: 1 },
				...{ subtotal: sign * toCents(totals.subtotal), tax: sign * toCents(totals.tax) },
			});
		}
	}
	return lines;
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
