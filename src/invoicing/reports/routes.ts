/** The operations of reports: totals of a period, and its documents as a table. */
import { Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import {
	type Call,
	json,
	matchesEtag,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	type ParameterFault,
	PERIOD_DAYS_MAX,
	type Period,
	PRIVATE_NO_STORE,
	periodParameters,
	type QueryValues,
	queryParameter,
	readPeriod,
	readQuery,
	tenantOf,
	textOf,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { DOCUMENT_COLUMNS, streamDocuments } from "./documents-csv";
import { DIMENSIONS, readCursor, readDimensions } from "./groups";
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment } from "./store";
import { EXAMPLE_GROUP_BY, EXAMPLE_TOTALS, PAGE_GROUPS_MAX, ReportTotals, readTotals, totalsToCsv } from "./totals";

export type ReportDeps = { readonly sql: Sql; readonly clock: Clock; readonly log: Pick<Log, "warn"> };

const CSV = "text/csv; charset=utf-8; header=present";

const CHOOSE_LIMIT = `Send a number from 1 to ${PAGE_GROUPS_MAX}.`;

const EXAMPLE_PERIOD: Readonly<Record<string, string>> = { from: "2026-10-01", to: "2026-10-31" };

const shared = { method: "GET", tag: "Reports", credentials: NEEDS_BOTH, scope: "reports:read" } as const;

const environmentParameter = {
	...queryParameter(
		"authority_environment",
		"Of documents that were issued in this environment of the authority; the company's present one when absent.",
		oneOf(...AUTHORITY_ENVIRONMENTS),
	),
	example: "production",
};

export function reportOperations(deps: ReportDeps): Operation[] {
	const period = periodParameters(
		deps.clock,
		"First issue date, YYYY-MM-DD; the first of the month of `to` when absent.",
		`Last issue date, YYYY-MM-DD; today (UTC-4) when absent. At most ${PERIOD_DAYS_MAX} days.`,
	).map((parameter) => ({ ...parameter, example: EXAMPLE_PERIOD[parameter.name] }));
	return [
		{
			...shared,
			...{ id: "getReportTotals", path: "/v1/reports/totals", summary: "What a period's documents come to" },
			description:
				"Documents count on their issue date, as soon as they are accepted, rejected or failed; pending ones and those of certification test sets do not. " +
				"A report is of one environment of the authority: what was issued in another one is in that one's reports, wherever the company is now. " +
				"Amounts are those of the signed e-CF, in pesos, and those of credit notes (34) are negative. Without `status` in `group_by` all three are added up. " +
				"A report over whatever number of documents is read from sums that each verdict keeps up. " +
				"Groups come by pages; `totals` and `digest` are of all of them on each page. " +
				"As CSV all groups are lines of one table; `Report-Authority-Environment`, `Report-As-Of` and `Report-Digest` tell the rest.",
			parameters: [
				...period,
				environmentParameter,
				{
					...queryParameter(
						"group_by",
						`Any of ${DIMENSIONS.join(", ")}, separated by commas, in any order; without it one group has everything.`,
						undefined,
						checkDimensions,
					),
					example: EXAMPLE_GROUP_BY,
				},
				{
					...queryParameter(
						"format",
						"`json` or `csv`; when absent csv for an `Accept` that names text/csv and not JSON, else json.",
						Type.String({ maxLength: 64, enum: ["json", "csv"] }),
						checkFormat,
					),
					example: "json",
				},
				queryParameter("after", "`next` of the page before; with JSON.", Type.String({ maxLength: 1_024 }), checkAfter),
				queryParameter(
					"limit",
					`Groups on a page, 1 to ${PAGE_GROUPS_MAX}, which it is when absent; with JSON.`,
					textOf("^([1-9][0-9]{0,2}|[1-4][0-9]{3}|5000)$", CHOOSE_LIMIT),
					checkLimit,
				),
				{
					...{ name: "If-None-Match", in: "header", required: false, schema: Type.String() },
					description: "ETag of an answer that you have: 304 without a body while nothing has changed.",
				},
			],
			answers: {
				200: {
					...{ description: "The groups, what they come to together, and the digest to compare books by." },
					...{ schema: ReportTotals, example: EXAMPLE_TOTALS, alsoMediaTypes: ["text/csv"] },
					headers: {
						ETag: "Changes with every change of one of the days.",
						"Report-Authority-Environment": "`authorityEnvironment`, with CSV.",
						"Report-As-Of": "`asOf`, with CSV.",
						"Report-Digest": "`digest`, with CSV.",
						"Content-Disposition": "A file name, with CSV.",
					},
				},
				304: { description: "Nothing has changed." },
			},
			problems: ["validation-error"],
			handle: (call) => getTotals(deps, call),
		},
		{
			...shared,
			...{ id: "getReportDocuments", path: "/v1/reports/documents.csv", summary: "A period's documents as a table" },
			description:
				`One line for each document that the totals of the same days count, by issue date and docId: ${DOCUMENT_COLUMNS.join(", ")}. ` +
				"The last column is the authority's environment in which the document was issued, one in a table. " +
				"Lines are sent while they are read, however many. The columns of amounts add up to the totals: those of credit notes (34) are negative. Texts of " +
				"yours that a spreadsheet would take for a formula have an apostrophe in front (branch, client_request_id).",
			parameters: [...period, environmentParameter],
			answers: {
				200: {
					...{ description: "The table, RFC 4180 with a header line.", mediaType: "text/csv" },
					headers: { "Content-Disposition": "A file name." },
				},
			},
			problems: ["validation-error"],
			handle: (call) => getDocuments(deps, call),
		},
	];
}

async function getTotals({ sql, clock }: ReportDeps, call: Call): Promise<Response> {
	const { group_by = "", format = formatOf(call), after, limit = String(PAGE_GROUPS_MAX), ...asked } = readQuery(call);
	const environment = environmentOf(asked);
	const dimensions = readDimensions(group_by) ?? [];
	const period = readPeriod(asked, clock);
	const page = { after: after === undefined ? undefined : readCursor(after, dimensions), limit: Number(limit) };
	const ifNoneMatch = call.request.headers.get("if-none-match");
	const { etag, report } = await readTotals(
		sql,
		tenantOf(call),
		{ period, dimensions, format: format === "csv" ? "csv" : "json", page, environment },
		(tag) => matchesEtag(ifNoneMatch, tag),
	);
	const headers = { etag, "cache-control": "private, no-cache", vary: "accept" };
	if (!report) return new Response(null, { status: 304, headers });
	if (format === "json") return json(200, report, headers);
	return new Response(totalsToCsv(report, dimensions), {
		headers: {
			...headers,
			...{ "content-type": CSV, "content-disposition": attach("totals", period) },
			...{ "report-authority-environment": report.authorityEnvironment },
			...{ "report-as-of": report.asOf, "report-digest": report.digest },
		},
	});
}

/**
 * The form by `Accept`, where the address names none: JSON unless the table is asked for and JSON is not.
 * Throws: validation-error, for a table by pages.
 */
function formatOf(call: Call): "json" | "csv" {
	const asked = (call.request.headers.get("accept") ?? "").toLowerCase();
	if (!asked.includes("text/csv") || /application\/(\*|json)/.test(asked)) return "json";
	const query = readQuery(call);
	const faults = ["after", "limit"].flatMap((name) =>
		query[name] === undefined ? [] : [{ pointer: `#/query/${name}`, ...NOT_WITH_CSV }],
	);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return "csv";
}

function getDocuments({ sql, clock, log }: ReportDeps, call: Call): Response {
	const query = readQuery(call);
	const period = readPeriod(query, clock);
	const deps = { sql, log, check: call.checkAgain };
	return new Response(streamDocuments(deps, tenantOf(call), period, environmentOf(query)), {
		headers: {
			...{ "content-type": CSV, "content-disposition": attach("documents", period) },
			...PRIVATE_NO_STORE,
		},
	});
}

/** Checked with the query. */
function environmentOf(query: QueryValues): AuthorityEnvironment | undefined {
	return query.authority_environment as AuthorityEnvironment | undefined;
}

function checkDimensions(text: string): ParameterFault | undefined {
	if (readDimensions(text)) return undefined;
	const detail = `Send any of ${DIMENSIONS.join(", ")}, each once, separated by commas.`;
	return { code: "unknown-dimension", detail };
}

function checkFormat(format: string): ParameterFault | undefined {
	return format === "json" || format === "csv" ? undefined : { code: "unknown-format", detail: "Send json or csv." };
}

/** A table has no pages. */
const NOT_WITH_CSV: ParameterFault = { code: "not-with-csv", detail: "A table has all groups; leave it out." };

/** That it is of the present environment, when none is named, is seen where that is read. */
function checkAfter(after: string, query: QueryValues): ParameterFault | undefined {
	const { format, group_by = "", authority_environment: environment } = query;
	if (format === "csv") return NOT_WITH_CSV;
	const cursor = readCursor(after, readDimensions(group_by) ?? []);
	return cursor && (environment === undefined || cursor.environment === environment)
		? undefined
		: { code: "invalid-cursor", detail: "Is no cursor of these groups." };
}

function checkLimit(_limit: string, { format }: QueryValues): ParameterFault | undefined {
	return format === "csv" ? NOT_WITH_CSV : undefined;
}

function attach(name: string, { from, to }: Period): string {
	return `attachment; filename="${name}-${from}-${to}.csv"`;
}
