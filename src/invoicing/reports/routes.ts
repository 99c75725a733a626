/** The operations of reports: totals of a period, and its documents as a table. */
import { Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import {
	type Call,
	headerParameter,
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
import { msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import type { Registry } from "../../registry";
import { DOCUMENT_COLUMNS, streamDocuments } from "./documents-csv";
import { DECIDED_STATUSES, type DecidedStatus, DIMENSIONS, readCursor, readDimensions } from "./groups";
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment } from "./store";
import {
	EXAMPLE_GROUP_BY,
	EXAMPLE_TOTALS,
	nameBuyers,
	PAGE_GROUPS_MAX,
	ReportTotals,
	readTotals,
	totalsToCsv,
} from "./totals";

export type ReportDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Pick<Log, "warn">;
	readonly registry: Pick<Registry, "lookup" | "runId">;
};

const CSV = "text/csv; charset=utf-8; header=present";

const CHOOSE_LIMIT = msg`Send a number from 1 to ${PAGE_GROUPS_MAX}.`;

const EXAMPLE_PERIOD: Readonly<Record<string, string>> = { from: "2026-10-01", to: "2026-10-31" };

const shared = { method: "GET", tag: "Reports", credentials: NEEDS_BOTH, scope: "reports:read" } as const;

const environmentParameter = {
	...queryParameter(
		"authority_environment",
		"Environment of the authority in which the documents were issued. Default: the company's current one.",
		oneOf(...AUTHORITY_ENVIRONMENTS),
	),
	example: "production",
};

export function reportOperations(deps: ReportDeps): Operation[] {
	const period = periodParameters(
		deps.clock,
		"First issue date, YYYY-MM-DD. Default: the first day of the month of `to`.",
		`Last issue date, YYYY-MM-DD. Default: today (UTC-4). At most ${PERIOD_DAYS_MAX} days.`,
	).map((parameter) => ({ ...parameter, example: EXAMPLE_PERIOD[parameter.name] }));
	return [
		{
			...shared,
			...{
				id: "getReportTotals",
				sdk: "reports.getTotals",
				path: "/v1/reports/totals",
				summary: "Read the totals of a period",
			},
			description:
				"Documents count on their issue date once they are accepted. Rejected and failed ones are in `excluded`, and in groups and totals only if `status` asks " +
				"for them. Pending documents and those of certification test sets do not count. " +
				"A report covers one environment of the authority, wherever the company is now. " +
				"Amounts are those of the signed e-CF in pesos; credit notes (34) are negative. " +
				"Reports have every verdict that came before them. " +
				"Groups come in pages; `totals` and `digest` always cover all groups. " +
				"As CSV all groups are lines of one table, and `Report-Authority-Environment`, `Report-As-Of` and `Report-Digest` carry the rest.",
			parameters: [
				...period,
				environmentParameter,
				{
					...queryParameter(
						"group_by",
						`Any of ${DIMENSIONS.join(", ")}, separated by commas, in any order. Default: one group with everything.`,
						undefined,
						checkDimensions,
					),
					example: EXAMPLE_GROUP_BY,
				},
				{
					...queryParameter(
						"status",
						"The documents in groups and totals. Default: accepted. `sales`, `purchases`, `net` and `excluded` do not depend on it.",
						oneOf(...DECIDED_STATUSES, "all"),
					),
					example: "accepted",
				},
				{
					...queryParameter(
						"format",
						"`json` or `csv`. Default: csv if `Accept` names text/csv and not JSON, else json.",
						Type.String({ maxLength: 64, enum: ["json", "csv"] }),
						checkFormat,
					),
					example: "json",
				},
				queryParameter(
					"after",
					"`next` of the previous page. JSON only.",
					Type.String({ maxLength: 1_024 }),
					checkAfter,
				),
				queryParameter(
					"limit",
					`Groups per page, 1 to ${PAGE_GROUPS_MAX}, the default. JSON only.`,
					textOf("^([1-9][0-9]{0,2}|[1-4][0-9]{3}|5000)$", CHOOSE_LIMIT),
					checkLimit,
				),
				headerParameter(
					"If-None-Match",
					"ETag of a previous answer. If nothing has changed, the answer is 304 without a body.",
				),
			],
			answers: {
				200: {
					...{ description: "The groups, their totals, and the digest to compare books." },
					...{ schema: ReportTotals, example: EXAMPLE_TOTALS, alsoMediaTypes: ["text/csv"] },
					headers: {
						ETag: "Changes whenever one of the days changes.",
						"Report-Authority-Environment": "`authorityEnvironment`, with CSV.",
						"Report-As-Of": "`asOf`, with CSV.",
						"Report-Digest": "`digest`, with CSV.",
						"Content-Disposition": "Suggested file name, with CSV.",
					},
				},
				304: { description: "Not modified." },
			},
			problems: ["validation-error"],
			handle: (call) => getTotals(deps, call),
		},
		{
			...shared,
			...{
				id: "getReportDocuments",
				sdk: "reports.documents",
				path: "/v1/reports/documents.csv",
				summary: "Download a period's documents as CSV",
			},
			description:
				`One line per document that is accepted, rejected or failed, by issue date and docId: ${DOCUMENT_COLUMNS.join(", ")}. ` +
				"The last column is the environment of the authority, the same in all lines. " +
				"Lines are streamed without a limit. Amounts of accepted documents add up to the totals; credit notes (34) are negative. Texts that a spreadsheet would treat as a formula " +
				"(branch, client_request_id) get an apostrophe in front.",
			parameters: [...period, environmentParameter],
			answers: {
				200: {
					...{ description: "The table, RFC 4180 with a header line.", mediaType: "text/csv" },
					headers: { "Content-Disposition": "Suggested file name." },
				},
			},
			problems: ["validation-error"],
			handle: (call) => getDocuments(deps, call),
		},
	];
}

async function getTotals({ sql, clock, registry }: ReportDeps, call: Call): Promise<Response> {
	const { group_by = "", format = formatOf(call), after, limit = String(PAGE_GROUPS_MAX), ...asked } = readQuery(call);
	const environment = environmentOf(asked);
	const dimensions = readDimensions(group_by) ?? [];
	const period = readPeriod(asked, clock);
	const page = { after: after === undefined ? undefined : readCursor(after, dimensions), limit: Number(limit) };
	const ifNoneMatch = call.request.headers.get("if-none-match");
	const { etag, report: read } = await readTotals(
		sql,
		tenantOf(call),
		{
			...{ period, dimensions, status: statusOf(asked), format: format === "csv" ? "csv" : "json" },
			...{ page, environment, registryRun: registry.runId() },
		},
		(tag) => matchesEtag(ifNoneMatch, tag),
	);
	const headers = { etag, "cache-control": "private, no-cache", vary: "accept" };
	if (!read) return new Response(null, { status: 304, headers });
	const report = nameBuyers(read, registry);
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

/** The format by `Accept` without `format`: CSV only if it is requested and JSON is not. Throws: validation-error for a table with pages. */
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

/** Undefined for all. The query check has validated it. */
function statusOf({ status = "accepted" }: QueryValues): DecidedStatus | undefined {
	return DECIDED_STATUSES.find((one) => one === status);
}

/** The query check has validated it. */
function environmentOf(query: QueryValues): AuthorityEnvironment | undefined {
	return query.authority_environment as AuthorityEnvironment | undefined;
}

function checkDimensions(text: string): ParameterFault | undefined {
	if (readDimensions(text)) return undefined;
	const detail = msg`Send any of ${DIMENSIONS.join(", ")}, each once, separated by commas.`;
	return { code: "unknown-dimension", detail };
}

function checkFormat(format: string): ParameterFault | undefined {
	return format === "json" || format === "csv" ? undefined : { code: "unknown-format", detail: msg`Send json or csv.` };
}

/** A table has no pages. */
const NOT_WITH_CSV: ParameterFault = {
	code: "not-with-csv",
	detail: msg`A CSV table has all groups. Leave the parameter out.`,
};

/** Without a named environment, the cursor is compared with the current one when that is read. */
function checkAfter(after: string, query: QueryValues): ParameterFault | undefined {
	const { format, group_by = "", authority_environment: environment } = query;
	if (format === "csv") return NOT_WITH_CSV;
	const cursor = readCursor(after, readDimensions(group_by) ?? []);
	return cursor && (environment === undefined || cursor.environment === environment)
		? undefined
		: { code: "invalid-cursor", detail: msg`Is not a cursor of these groups.` };
}

function checkLimit(_limit: string, { format }: QueryValues): ParameterFault | undefined {
	return format === "csv" ? NOT_WITH_CSV : undefined;
}

function attach(name: string, { from, to }: Period): string {
	return `attachment; filename="${name}-${from}-${to}.csv"`;
}
