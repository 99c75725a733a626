/**
 * How long does a report over a million invoices take, and what does folding cost a document?
 *
 * Reading: one company with 1,100,000 decided invoices over a year, requested over HTTP with both credentials. Each report is compared with the
 * same sums by SQL over the documents. "The present day" has just changed, so its digest is computed anew each time.
 * Folding: 1,000 verdicts of one company at once, as after every thousandth verdict.
 */

import { decideDocuments, drawDocument, storeDocuments } from "../scripts/random/decided-documents";
import { digestOpenDays, foldDue, rebuildReports } from "../src/invoicing/reports";
import type { Sql } from "../src/platform/database";
import { systemClock, toLocalIsoDate } from "../src/platform/values";
import { createChance } from "../test/support/chance";
import { type BenchOptions, type Figure, median, newRounds, toFigure } from "./bench";
import { measureCpu } from "./cpu-time";
import { fillInvoices, openDatabase } from "./fill-invoices";
import { type Company, registerCompanies, startService } from "./service";

export const question = "How long does a report over a million invoices take, and what does folding cost a document?";
export const peer = "the same sums by SQL over the documents";

const INVOICES = 1_100_000;
const DAYS = 365;
const DAY_MS = 86_400_000;
const ROUNDS = 5;
/** For reading: the peer reads everything each time. */
const READING_ROUNDS = 3;
const ASKED_IN_A_ROUND = 20;
/** Decided today before each report on the present day. */
const DOCUMENTS_TODAY = 3_000;
const FOLDED_AT_ONCE = 1_000;
/** Units: documents, in a report by buyer that no sum answers. */
const ONE_BY_ONE = 60_000;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	return [...(await measureReading(smoke)), ...(await measureFolding(smoke))];
}

type Asked = {
	readonly name: string;
	readonly from: string;
	readonly to: string;
	readonly groupBy: string;
	/** A day that has changed before each report. */
	readonly opens?: string;
	/** The promise, if it is another. Units: milliseconds. */
	readonly most?: number;
	/** The caller already has the answer. */
	readonly conditional?: true;
	/** Of another operation, which shows more than sums. */
	readonly path?: string;
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
	await digestOpenDays(sql, systemClock);
	await sql`vacuum (analyze)`;
	await sql`checkpoint`;
	const today = toLocalIsoDate(new Date());
	await decideToday(sql, company, today, smoke ? 50 : DOCUMENTS_TODAY);
	const ago = (days: number) => toLocalIsoDate(new Date(Date.now() - days * DAY_MS));
	const year = { from: ago(DAYS), to: ago(1) };
	const days = Math.round((ONE_BY_ONE * DAYS) / INVOICES);
	const asked: readonly Asked[] = [
		{ name: "a year by month, type, status", ...year, groupBy: "month,type,status" },
		{ name: "a year by day and branch", ...year, groupBy: "day,branch" },
		{ name: "a year and the present day by month", from: ago(364), to: today, groupBy: "month", opens: today },
		{ name: "a month by customer_rnc", ...lastMonth(today), groupBy: "customer_rnc" },
		{
			name: `${days} days by customer_rnc, one by one`,
			...daysAcrossMonths(today, days),
			groupBy: "customer_rnc",
			most: 100,
		},
		{ name: "a year, unchanged (304)", ...year, groupBy: "month", conditional: true },
		{ name: "the overview of thirty days", from: ago(29), to: today, groupBy: "day", path: "/v1/overview?" },
		{ name: "the newest fifty invoices", from: ago(29), to: today, groupBy: "day", path: "/v1/invoices?limit=50&" },
	];
	const figures: Figure[] = [];
	for (const { name, groupBy, opens, most = 50, conditional = false, path, ...period } of asked) {
		const reported = newRounds("p50", "max");
		const summed: number[] = [];
		const url = `${service.url}${path ?? `/v1/reports/totals?group_by=${groupBy}&`}from=${period.from}&to=${period.to}`;
		const etag = conditional ? ((await get(url, company)).headers.get("etag") ?? "") : "";
		for (let round = 0; round < (smoke ? 1 : READING_ROUNDS); round++) {
			summed.push(await timed(() => sumPlainly(sql, company, period, groupBy)));
			const times: number[] = [];
			for (let i = 0; i < (smoke ? 2 : ASKED_IN_A_ROUND); i++) {
				if (opens) await sql`update day_digests set digest = null where day = ${opens}::date`;
				times.push(await timed(() => get(url, company, etag)));
			}
			reported.p50.push(median(times));
			reported.max.push(Math.max(...times));
		}
		const against = { peer: "SQL over the documents", rounds: summed, lessIsFaster: true };
		figures.push(
			toFigure(name, "ms", reported.p50, { against, target: `≤ ${most} ms` }),
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

/** Days without a whole month. */
function daysAcrossMonths(today: string, days: number): { readonly from: string; readonly to: string } {
	const middle = Date.parse(`${lastMonth(today).from.slice(0, 8)}10`);
	return {
		from: new Date(middle - (days - 1) * DAY_MS).toISOString().slice(0, 10),
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
	const names = groupBy.split(",").map((name) => COLUMNS[name] ?? name);
	return sql.unsafe(
		`select ${names.join(", ")}, count(*), sum(case type when 34 then -subtotal else subtotal end), sum(case type when 34 then -tax else tax end)
		from documents d join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id
		where d.tenant_id = $1 and issue_date between $2::date and $3::date and test_set_id is null
		group by ${names.map((_, i) => i + 1).join(", ")}`,
		[tenantId, from, to],
	);
}

const COLUMNS: Readonly<Record<string, string>> = { month: "date_trunc('month', issue_date)", day: "issue_date" };

/** Units: microseconds of PostgreSQL's processor time for each document that is folded. */
async function measureFolding(smoke: boolean): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const service = await startService(stack, { ROLE: "api" });
	const companies = await registerCompanies(service, 1);
	const sql = openDatabase(stack, service);
	const chance = createChance(2);
	const tenantIds = companies.map(({ tenantId }) => tenantId);
	const days = [toLocalIsoDate(new Date()), toLocalIsoDate(new Date(Date.now() - DAY_MS))];
	const costs: number[] = [];
	let number = 1;
	for (let round = 0; round < (smoke ? 1 : 2 * ROUNDS); round++) {
		const drawn = Array.from({ length: FOLDED_AT_ONCE }, () => drawDocument(chance, tenantIds, days, number++));
		await storeDocuments(sql, drawn);
		await decideDocuments(
			sql,
			drawn.map(({ row: { docId } }) => ({ docId, fate: "accepted" })),
		);
		const { micros } = await measureCpu(
			{ service: service.pid },
			() => foldDue(sql, systemClock),
			() => FOLDED_AT_ONCE,
		);
		costs.push(micros.service);
	}
	return [toFigure("folding, processor time of PostgreSQL for each document", "µs", costs, { target: "≤ 30 µs" })];
}
