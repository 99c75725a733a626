/**
 * How long does a report over a million invoices take, and what do report sums cost each verdict?
 *
 * Reading: one company with 1,100,000 decided invoices over a year, requested over HTTP with both credentials. Each report is compared with
 * the
 * same sums by SQL over the invoices. "The present day" has just changed, so its digest is computed anew each time.
 * Writing: the `end-to-end` setup, with the trigger on invoices disabled in every other round. Then the statement of 64 verdicts alone.
 */

import { decideDocuments, drawDocument, storeDocuments } from "../scripts/random/decided-documents";
import { rebuildReports } from "../src/invoicing/reports";
import type { Sql } from "../src/platform/database";
import { toLocalIsoDate } from "../src/platform/values";
import { createChance } from "../test/support/chance";
import { type BenchOptions, type Figure, median, newRounds, toCostFigure, toFigure } from "./bench";
import { measureCpu } from "./cpu-time";
import { fillInvoices, openDatabase } from "./fill-invoices";
import { openPipeline } from "./pipeline";
import { type Company, registerCompanies, startService } from "./service";

export const question = "How long does a report over a million invoices take, and what do its sums cost a verdict?";
export const peer = "the same sums by SQL over the invoices; the same road without the sums";

const INVOICES = 1_100_000;
const DAYS = 365;
const DAY_MS = 86_400_000;
const ROUNDS = 5;
/** For reading: the peer reads everything each time. */
const READING_ROUNDS = 3;
const ASKED_IN_A_ROUND = 20;
/** Decided today before each report on the present day. */
const DOCUMENTS_TODAY = 3_000;
const ROAD_BATCH = 1_500;
const STATEMENT_DOCUMENTS = 1_280;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	return [...(await measureReading(smoke)), ...(await measurePipeline(smoke)), ...(await measureStatement(smoke))];
}

type Asked = {
	readonly name: string;
	readonly from: string;
	readonly to: string;
	readonly groupBy: string;
	/** A day that has changed before each report. */
	readonly opens?: string;
	/** The caller already has the answer. */
	readonly conditional?: true;
};

/** Units: milliseconds over HTTP. */
async function measureReading(smoke: boolean): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const service = await startService(stack, { ROLE: "api" });
	const [company] = await registerCompanies(service, 1);
	if (!company) throw new Error("expected a company");
	const sql = openDatabase(stack, service);
	const rows = smoke ? 2_000 : INVOICES;
	await fillInvoices(sql, service, rows, { spacingMs: (DAYS * DAY_MS) / rows, tenantId: company.tenantId });
	await sql`set session_replication_role = origin`;
	await rebuildReports(sql);
	await sql`update report_days set digest = digest_report_day(tenant_id, authority_environment, day)`;
	await sql`vacuum (analyze)`;
	await sql`checkpoint`;
	const today = toLocalIsoDate(new Date());
	await decideToday(sql, company, today, smoke ? 50 : DOCUMENTS_TODAY);
	const ago = (days: number) => toLocalIsoDate(new Date(Date.now() - days * DAY_MS));
	const year = { from: ago(DAYS), to: ago(1) };
	const asked: readonly Asked[] = [
		{ name: "a year by month, type, status", ...year, groupBy: "month,type,status" },
		{ name: "a year by day and branch", ...year, groupBy: "day,branch" },
		{ name: "a year and the present day by month", from: ago(364), to: today, groupBy: "month", opens: today },
		{ name: "a month by customer_rnc", ...lastMonth(today), groupBy: "customer_rnc" },
		{ name: "31 days of two months by customer_rnc", ...daysAcrossMonths(today), groupBy: "customer_rnc" },
		{ name: "a year, unchanged (304)", ...year, groupBy: "month", conditional: true },
	];
	const figures: Figure[] = [];
	for (const { name, groupBy, opens, conditional = false, ...period } of asked) {
		const reported = newRounds("p50", "max");
		const summed: number[] = [];
		const url = `${service.url}/v1/reports/totals?from=${period.from}&to=${period.to}&group_by=${groupBy}`;
		const etag = conditional ? ((await get(url, company)).headers.get("etag") ?? "") : "";
		for (let round = 0; round < (smoke ? 1 : READING_ROUNDS); round++) {
			summed.push(await timed(() => sumPlainly(sql, company, period, groupBy)));
			const times: number[] = [];
			for (let i = 0; i < (smoke ? 2 : ASKED_IN_A_ROUND); i++) {
				if (opens) await sql`update report_days set digest = null where day = ${opens}::date`;
				times.push(await timed(() => get(url, company, etag)));
			}
			reported.p50.push(median(times));
			reported.max.push(Math.max(...times));
		}
		const against = { peer: "SQL over the invoices", rounds: summed, lessIsFaster: true };
		figures.push(
			toFigure(name, "ms", reported.p50, { against, target: name.startsWith("31 days") ? undefined : "≤ 50 ms" }),
			toFigure(`${name}, slowest of ${ASKED_IN_A_ROUND}`, "ms", reported.max),
		);
	}
	const table = `${service.url}/v1/reports/documents.csv?from=${year.from}&to=${year.to}`;
	const startedAt = performance.now();
	const { lines } = await readTable(table, company);
	const perSecond = (lines * 1_000) / (performance.now() - startedAt);
	return [...figures, toFigure(`documents.csv, ${lines} lines`, "lines/s", [perSecond])];
}

/** The previous whole month. */
function lastMonth(today: string): { readonly from: string; readonly to: string } {
	const to = new Date(Date.parse(`${today.slice(0, 8)}01`) - DAY_MS).toISOString().slice(0, 10);
	return { from: `${to.slice(0, 8)}01`, to };
}

/** As many days, without a whole month. */
function daysAcrossMonths(today: string): { readonly from: string; readonly to: string } {
	const middle = Date.parse(`${lastMonth(today).from.slice(0, 8)}15`);
	return {
		from: new Date(middle - 30 * DAY_MS).toISOString().slice(0, 10),
		to: new Date(middle).toISOString().slice(0, 10),
	};
}

async function decideToday(sql: Sql, { tenantId }: Company, today: string, count: number): Promise<void> {
	const chance = createChance(1);
	const drawn = Array.from({ length: count }, (_, i) => drawDocument(chance, [tenantId], [today], i + 1));
	await storeDocuments(sql, drawn);
	await decideDocuments(
		sql,
		drawn.map(({ row: { docId }, fate }) => ({ docId, fate })),
	);
}

async function get(url: string, { headers }: Company, etag = ""): Promise<Response> {
	const answer = await fetch(url, { headers: { ...headers, ...(etag === "" ? {} : { "if-none-match": etag }) } });
	if (answer.status !== (etag === "" ? 200 : 304)) throw new Error(`${url} answered ${answer.status}`);
	await answer.clone().arrayBuffer();
	return answer;
}

async function readTable(url: string, { headers }: Company): Promise<{ lines: number }> {
	const answer = await fetch(url, { headers: { ...headers } });
	let lines = -1;
	for await (const chunk of answer.body ?? []) for (const byte of chunk as Uint8Array) if (byte === 10) lines++;
	return { lines };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const startedAt = performance.now();
	await work();
	return performance.now() - startedAt;
}

/** The cost of the report without its sums. */
function sumPlainly(
	sql: Sql,
	{ tenantId }: Company,
	{ from, to }: { readonly from: string; readonly to: string },
	groupBy: string,
): Promise<unknown> {
	const day = "(sums ->> 'issueDate')::date";
	const [branch, customer_rnc] = ["sums ->> 'branch'", "sums ->> 'customerRnc'"];
	const dimensions: Record<string, string> = { month: `date_trunc('month', ${day})`, day, branch, customer_rnc };
	const names = groupBy.split(",").map((name) => dimensions[name] ?? name);
	return sql.unsafe(
		`select ${names.join(", ")}, count(*), sum(case when type = '34' then -1 else 1 end * (sums ->> 'subtotal')::numeric),
			sum(case when type = '34' then -1 else 1 end * (sums ->> 'tax')::numeric)
		from invoices where tenant_id = $1 and ${day} between $2::date and $3::date and status <> 'pending' and test_set_id is null
		group by ${names.map((_, i) => i + 1).join(", ")}`,
		[tenantId, from, to],
	);
}

/** Every other round without the sums. */
async function measurePipeline(smoke: boolean): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const { service, walk } = await openPipeline(stack, { companies: smoke ? 2 : 8 });
	const sql = openDatabase(stack, service);
	const batch = smoke ? 10 : ROAD_BATCH;
	const rounds = { with: [] as number[], without: [] as number[] };
	await walk({ batch });
	for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) {
		const sides = ["with", "without"] as const;
		for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
			await switchSums(sql, side === "with");
			const { micros } = await measureCpu(
				{ service: service.pid },
				() => walk({ batch }),
				() => batch,
			);
			rounds[side].push(micros.service);
		}
	}
	const against = { peer: "without the sums", rounds: rounds.without };
	return toCostFigure("POST to webhook, processor time with PostgreSQL", rounds.with, against, "≥ 0.95");
}

async function switchSums(sql: Sql, isOn: boolean): Promise<void> {
	await sql.unsafe(`alter table invoices ${isOn ? "enable" : "disable"} trigger invoices_reported`);
}

/** Units: microseconds of PostgreSQL's processor time for each verdict, without storing. */
async function measureStatement(smoke: boolean): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const service = await startService(stack, { ROLE: "api" });
	const companies = await registerCompanies(service, smoke ? 2 : 8);
	const sql = openDatabase(stack, service);
	const chance = createChance(2);
	const tenantIds = companies.map(({ tenantId }) => tenantId);
	const days = [toLocalIsoDate(new Date()), toLocalIsoDate(new Date(Date.now() - DAY_MS))];
	const rounds = { with: [] as number[], without: [] as number[] };
	let number = 1;
	for (let round = 0; round < (smoke ? 1 : 2 * ROUNDS); round++) {
		const sides = ["with", "without"] as const;
		for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
			const count = smoke ? 64 : STATEMENT_DOCUMENTS;
			const drawn = Array.from({ length: count }, () => drawDocument(chance, tenantIds, days, number++));
			await storeDocuments(sql, drawn);
			await switchSums(sql, side === "with");
			const { micros } = await measureCpu(
				{ service: service.pid },
				() =>
					decideDocuments(
						sql,
						drawn.map(({ row: { docId } }) => ({ docId, fate: "accepted" })),
					),
				() => count,
			);
			rounds[side].push(micros.service);
		}
	}
	const against = { peer: "without the sums", rounds: rounds.without };
	return toCostFigure("64 verdicts in one statement, processor time of PostgreSQL", rounds.with, against);
}
