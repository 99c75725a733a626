/**
 * Totals of a period, read from sums; see `groups-store.ts` for what they lack.
 *
 * An answer shows one snapshot: groups, totals and digest belong together and include all that was decided before `asOf`. The ETag changes with every
 * change of one of the days.
 *
 * Gap: a document counts on its issue date, by which taxes are declared, once it is accepted. Those that are rejected or failed have sums apart, and groups on
 * request. Pending documents do not count, so a retried one no longer does. Documents of test sets never count. Each environment of the authority has its own
 * reports. The specification names no statuses; `status=all` gives the groups of all three.
 */
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { findProfile } from "../../ecf/mapping";
import { retryOnFailure, type Sql } from "../../platform/database";
import type { Period } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { csvLine, Decimal, parseTaxpayerDocument, textCell } from "../../platform/values";
import type { Registry } from "../../registry";
import {
	type Cursor,
	type DecidedStatus,
	DIMENSIONS,
	type Dimension,
	type Group,
	type Sums,
	writeCursor,
} from "./groups";
import { findGroups } from "./groups-store";
import {
	AUTHORITY_ENVIRONMENTS,
	type AuthorityEnvironment,
	type Books,
	findDays,
	findEnvironment,
	type ReportDay,
	readAsOf,
	saveDigest,
} from "./store";
import { digestDays, digestPeriod } from "./verify";

/** Groups per page; larger pages take too long. */
export const PAGE_GROUPS_MAX = 5_000;
/** Groups per CSV table, which has no pages. For more, use the documents' table. */
const TABLE_GROUPS_MAX = 50_000;

const Amount = (description: string) => Type.String({ pattern: "^-?[0-9]+\\.[0-9]{2}$", description });
const sums = {
	count: Type.Integer({ minimum: 0, description: "Number of documents." }),
	subtotal: Amount("Amount without taxes."),
	tax: Amount("ITBIS and additional taxes."),
	grand_total: Amount("subtotal + tax."),
};
/** Sums of documents. */
export const SumsSchema = (description: string) => Type.Object(sums, { description });
const OrNone = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));

export const ReportTotals = Type.Object(
	{
		from: Type.String({ format: "date" }),
		to: Type.String({ format: "date" }),
		currency: Type.Literal("DOP"),
		authorityEnvironment: Type.Union(
			AUTHORITY_ENVIRONMENTS.map((one) => Type.Literal(one)),
			{ description: "The authority's environment in which the documents were issued." },
		),
		asOf: Type.String({ format: "date-time", description: "Everything decided before this time is included." }),
		groups: Type.Array(
			Type.Object({
				day: Type.Optional(Type.String({ format: "date", description: "Issue date." })),
				month: Type.Optional(Type.String({ pattern: "^[0-9]{4}-[0-9]{2}$", description: "Month of the issue date." })),
				type: Type.Optional(Type.String({ description: "e-CF type." })),
				status: Type.Optional(Type.String({ description: "`accepted`, `rejected` or `failed`." })),
				branch: OrNone("null if the document has no branch."),
				customer_rnc: OrNone("The buyer's RNC; null if the document has no buyer."),
				customer_name: OrNone("The buyer's name in the registry, beside `customer_rnc`; null if it has none."),
				...sums,
			}),
			{
				maxItems: PAGE_GROUPS_MAX,
				description:
					"Members and order follow the requested dimensions, always in the order day, month, type, status, branch, customer_rnc.",
			},
		),
		partial: Type.Boolean({ description: "Whether more groups follow." }),
		next: Type.Union([Type.String(), Type.Null()], { description: "`after` of the next page; null on the last page." }),
		totals: SumsSchema("Sums of all groups, on every page."),
		sales: SumsSchema("Accepted documents of types 31, 32, 33 and 44, less credit notes (34)."),
		purchases: SumsSchema("Accepted documents of type 41."),
		net: SumsSchema("Amounts of `sales` less those of `purchases`; `count` is of both."),
		excluded: Type.Object(
			{ rejected: SumsSchema("Rejected documents."), failed: SumsSchema("Documents that could not be submitted.") },
			{ description: "Not in `sales`, `purchases` and `net`." },
		),
		digest: Type.String({
			pattern: "^sha256:[0-9a-f]{64}$",
			description:
				"SHA-256 over a line for each day that has documents, in order: `YYYY-MM-DD`, a space, the day's digest in hexadecimal, LF. A day's digest is " +
				"SHA-256 over a line for each of its documents, by docId: the docId, a space, `sha256` of the documents' table, LF.",
		}),
	},
	{ $id: "ReportTotals" },
);
export type ReportTotals = Static<typeof ReportTotals>;

export type TotalsQuery = {
	readonly period: Period;
	/** In the order of `DIMENSIONS`. */
	readonly dimensions: readonly Dimension[];
	/** Of the documents in groups and totals; undefined for all. */
	readonly status: DecidedStatus | undefined;
	readonly format: "json" | "csv";
	/** A CSV table ignores the page. */
	readonly page: { readonly after?: Cursor | undefined; readonly limit: number };
	/** Default: the company's current environment. */
	readonly environment?: AuthorityEnvironment | undefined;
	/** The registry's run that the names of buyers will come from. */
	readonly registryRun?: string | undefined;
};

/** The report, or only its ETag if the caller has it already. */
export type Read = { readonly etag: string; readonly report: ReportTotals | undefined };

const NOTHING: Sums = { count: 0, subtotal: "0.00", tax: "0.00", grand_total: "0.00" };

/** Throws: validation-error for more groups than a table holds, and for a cursor of another environment. */
export async function readTotals(
	sql: Sql,
	tenantId: string,
	asked: TotalsQuery,
	hasAlready: (etag: string) => boolean,
): Promise<Read> {
	const { period, dimensions, status, format } = asked;
	const { after, limit } = format === "csv" ? { limit: TABLE_GROUPS_MAX } : asked.page;
	const { etag, books, found, days } = await retryOnFailure(() =>
		sql.begin("isolation level repeatable read read only", async (tx) => {
			const books: Books = { tenantId, environment: asked.environment ?? (await findEnvironment(tx, tenantId)) };
			if (after && after.environment !== books.environment) throw wrongEnvironment();
			const [asOf, days] = await Promise.all([readAsOf(tx), findDays(tx, books, period)]);
			const etag = toEtag(asked, books.environment, days);
			if (hasAlready(etag)) return { etag, books, found: undefined, days };
			const page = { after: after?.position, limit: limit + 1 };
			const groups = await findGroups(tx, books, period, { dimensions, status }, page);
			const byType = await findGroups(tx, books, period, { dimensions: ["type", "status"] }, { limit: ALL });
			return { etag, books, found: { asOf, groups, byType, digested: await digestDays(tx, books, days) }, days };
		}),
	);
	if (found === undefined) return { etag, report: undefined };
	const { asOf, digested, byType } = found;
	for (const [at, one] of digested.entries()) if (days[at]?.digest === null) await saveDigest(sql, books, one);
	const { environment } = books;
	const partial = found.groups.length > limit;
	if (partial && format === "csv") throw tooManyGroups();
	const groups = partial ? found.groups.slice(0, limit) : found.groups;
	const last = groups.at(-1);
	const next = partial && last ? writeCursor(environment, last, dimensions) : null;
	const { from, to } = period;
	return {
		etag,
		report: {
			...{ from, to, currency: "DOP", authorityEnvironment: environment, asOf: asOf.toISOString() },
			groups: groups as ReportTotals["groups"],
			...{ partial, next, ...addUp(byType, status), digest: digestPeriod(digested) },
		},
	};
}

/** More than types times statuses. */
const ALL = 1_000;

/** The sums of a period, from its groups by type and status; `status` is that of `totals`. */
export function addUp(byType: readonly Group[], status: DecidedStatus | undefined) {
	const sum = (counts: (group: Group) => boolean) =>
		byType.filter(counts).reduce<Sums>((all, one) => plus(all, one), NOTHING);
	const isAccepted = (group: Group) => group.status === "accepted";
	const isPurchase = ({ type }: Group) => findProfile(type ?? "")?.isPurchase === true;
	const sales = sum((group) => isAccepted(group) && !isPurchase(group));
	const purchases = sum((group) => isAccepted(group) && isPurchase(group));
	return {
		totals: sum((group) => status === undefined || group.status === status),
		...{ sales, purchases, net: plus(sales, purchases, -1) },
		excluded: {
			rejected: sum((group) => group.status === "rejected"),
			failed: sum((group) => group.status === "failed"),
		},
	};
}

function plus(a: Sums, b: Sums, sign: 1 | -1 = 1): Sums {
	const add = (one: string, other: string) => {
		const [left, right] = [Decimal.of(one), Decimal.of(other)];
		return (sign === 1 ? left.plus(right) : left.minus(right)).toFixed(2);
	};
	return {
		count: a.count + b.count,
		subtotal: add(a.subtotal, b.subtotal),
		tax: add(a.tax, b.tax),
		grand_total: add(a.grand_total, b.grand_total),
	};
}

function toEtag(
	{ period, dimensions, status, format, page, registryRun }: TotalsQuery,
	environment: AuthorityEnvironment,
	days: readonly ReportDay[],
): string {
	const content = JSON.stringify([
		period,
		dimensions,
		status ?? null,
		format,
		page,
		environment,
		days.map((one) => [one.day, one.documents, one.failed]),
		...(dimensions.includes("customer_rnc") ? [registryRun] : []),
	]);
	return `W/"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

/** Also if the company has moved to another environment between two pages. */
function wrongEnvironment(): Problem {
	const detail = msg`Is a cursor of another environment. Start again with the first page.`;
	return new Problem("validation-error", { faults: [{ pointer: "#/query/after", code: "invalid-cursor", detail }] });
}

function tooManyGroups(): Problem {
	const detail = msg`Gives more than ${TABLE_GROUPS_MAX} groups. Request fewer days or dimensions, pages in JSON, or the documents themselves.`;
	return new Problem("validation-error", {
		faults: [{ pointer: "#/query/group_by", code: "too-many-groups", detail }],
	});
}

/**
 * The report with the names of its groups' buyers, from the registry in memory.
 *
 * Gap: documents name buyers too, as their issuers wrote them, but each in its own way and only one by one.
 */
export function nameBuyers(report: ReportTotals, registry: Pick<Registry, "lookup">): ReportTotals {
	const groups = report.groups.map((group) => {
		if (group.customer_rnc === undefined) return group;
		const document = parseTaxpayerDocument(group.customer_rnc ?? "");
		return { ...group, customer_name: (document && registry.lookup(document)?.name) ?? null };
	});
	return { ...report, groups };
}

/** The groups as a table. Headers carry what concerns the whole report. */
export function totalsToCsv({ groups }: ReportTotals, dimensions: readonly Dimension[]): string {
	// The name comes last, so that all other columns keep their places.
	const names = dimensions.includes("customer_rnc") ? (["customer_name"] as const) : [];
	const texts = (group: ReportTotals["groups"][number], columns: readonly (Dimension | "customer_name")[]) =>
		columns.map((name) => textCell(group[name] ?? null));
	const lines = groups.map((group) => {
		const { count, subtotal, tax, grand_total } = group;
		return csvLine([...texts(group, dimensions), count, subtotal, tax, grand_total, ...texts(group, names)]);
	});
	return csvLine([...dimensions, "count", "subtotal", "tax", "grand_total", ...names]) + lines.join("");
}

export const EXAMPLE_TOTALS: ReportTotals = {
	...{ from: "2026-10-01", to: "2026-10-31", currency: "DOP", authorityEnvironment: "production" },
	asOf: "2026-11-20T15:00:00.000Z",
	groups: [
		{
			type: "31",
			status: "accepted",
			count: 1_820,
			subtotal: "9100000.00",
			tax: "1638000.00",
			grand_total: "10738000.00",
		},
		{ type: "34", status: "accepted", count: 12, subtotal: "-31000.00", tax: "-5580.00", grand_total: "-36580.00" },
	],
	...{ partial: false, next: null },
	totals: { count: 1_832, subtotal: "9069000.00", tax: "1632420.00", grand_total: "10701420.00" },
	sales: { count: 1_832, subtotal: "9069000.00", tax: "1632420.00", grand_total: "10701420.00" },
	purchases: NOTHING,
	net: { count: 1_832, subtotal: "9069000.00", tax: "1632420.00", grand_total: "10701420.00" },
	excluded: {
		rejected: { count: 1, subtotal: "7000.00", tax: "1260.00", grand_total: "8260.00" },
		failed: NOTHING,
	},
	digest: "sha256:4e1f0a7c5b3d9e8f6a2c4b1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f",
};
export const EXAMPLE_GROUP_BY = DIMENSIONS.filter((one) => one === "type" || one === "status").join(",");
