/**
 * Totals after crashes. First, writers store, decide and fold random documents with the service's own statements, two at a time, each killed
 * midway.
 * Then the companies move to the authority's next environment, and the service issues real invoices and notes while it is killed at random
 * and at two failpoints of a verdict's transaction. Finally every report, documents' table and digest must match the stored requests.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Failpoint } from "../../../src/platform/failpoints";
import { buildInvoice, buildNote, type HarnessTenant } from "../../../test/support/tenants";
import { type Environment, untilQuiet } from "../archive/environment";
import type { ScenarioContext } from "../run-scenarios";
import {
	type AuthorityEnvironment,
	groupLines,
	type Line,
	readLines,
	SEGMENTS,
	SUBSETS,
	sumOf,
	toCents,
	toText,
} from "./brute-force";
import type { Task } from "./writer-program";

export const KILLED_SETTINGS = { SHARD_LEASE_SECONDS: "2" };

const SIZES = {
	full: { documents: 100_000, writes: 3_000, companies: 3, kills: 6, invoices: 60 },
	small: { documents: 1_500, writes: 500, companies: 2, kills: 1, invoices: 12 },
};
const WRITERS = 2;
const POINTS = ["before-verdict", "verdict-written"] as const satisfies readonly Failpoint[];
const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const DAYS = Array.from({ length: 90 }, (_, i) => dayAgo(200 - i));
/** Lifetime of a writer that does not finish. Units: milliseconds. */
const LIFE = { least: 400, most: 5_000 };
const NUMBERS_OF_A_LIFE = 100_000;

export async function sumsScenario(context: ScenarioContext, environment: Environment) {
	const size = SIZES[context.small ? "small" : "full"];
	const tenants: HarnessTenant[] = [];
	while (tenants.length < size.companies) tenants.push(await environment.register());
	await environment.stop();
	const written = await writeAndKill(environment, tenants, size);
	await finish(environment);
	await environment.sql`update companies set authority_environment = 'certification'`;
	const issued = await issueAndKill(context, environment, tenants, size);
	await environment.wakeUp();
	await untilQuiet(environment);

	const counts = { documents: 0, creditNotes: 0, reports: 0 };
	const segments = Object.keys(SEGMENTS) as AuthorityEnvironment[];
	for (const [tenant, segment] of tenants.flatMap((one) => segments.map((of) => [one, of] as const))) {
		const lines = await readLines(environment.sql, tenant.tenantId, segment);
		const book: Book = { tenant, segment, lines };
		counts.documents += sumOf(lines).count;
		counts.creditNotes += sumOf(lines.filter(({ type }) => type === "34")).count;
		counts.reports += await compareReports(context, environment, book);
		await compareTable(context, environment, book);
	}
	const { exitCode, data } = await environment.admin(["reports", "verify"]);
	if (exitCode !== 0) context.violate(`reports verify ended with ${exitCode}: ${JSON.stringify(data)}`);
	if (issued["invoices acknowledged"] === 0) context.violate("the service took no invoice");
	if (counts.documents < size.documents / 2) context.violate(`only ${counts.documents} documents were decided`);
	return { ...counts, ...written, ...issued };
}

/** Runs writers, two at a time, until there are enough documents; kills each that is not done before. */
async function writeAndKill(environment: Environment, tenants: readonly HarnessTenant[], size: (typeof SIZES)["full"]) {
	let lives = 0;
	let kills = 0;
	const live = async () => {
		const life = ++lives;
		const task: Task = {
			...{
				databaseUrl: environment.serviceUrl,
				tenantIds: tenants.map(({ tenantId }) => tenantId),
				days: DAYS,
				seed: life,
			},
			...{ firstNumber: 1_000_000_000 + life * NUMBERS_OF_A_LIFE, documents: size.writes },
		};
		const writer = Bun.spawn([process.execPath, join(import.meta.dir, "writer-program.ts")], {
			...{ stdin: "ignore", stdout: "inherit", stderr: "inherit" },
			env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TASK: JSON.stringify(task) },
		});
		const timer = setTimeout(() => writer.kill("SIGKILL"), LIFE.least + Math.random() * (LIFE.most - LIFE.least));
		await writer.exited;
		clearTimeout(timer);
		if (writer.signalCode === "SIGKILL") kills++;
		else if (writer.exitCode !== 0) throw new Error(`a writer ended with ${writer.exitCode}`);
	};
	const lane = async () => {
		while ((await countStored(environment)) < size.documents) await live();
	};
	await Promise.all(Array.from({ length: WRITERS }, lane));
	return { writers: lives, "writers killed": kills };
}

async function countStored({ sql }: Environment): Promise<number> {
	const [row] = await sql<{ count: number }[]>`select count(*)::int as count from documents`;
	return row?.count ?? 0;
}

/** Decides what killed writers left and what was drawn to stay pending: the authority knows nothing of either. */
async function finish({ sql }: Environment): Promise<void> {
	await sql`delete from outbox where kind = 'invoice.submit' and state = 'ready'`;
	await sql`delete from work_log`;
	await sql`
		insert into open_documents (tenant_id, doc_id, status, phase, sendings, attempts, failure, version, updated_at)
		select d.tenant_id, d.doc_id, 'f', 'decided', '[]', 0, '{"code":"internal-failure","detail":"Drawn."}', 2, now() from documents d
		where not exists (select from verdicts v where v.tenant_id = d.tenant_id and v.doc_id = d.doc_id)
		on conflict (tenant_id, doc_id) do update set status = 'f', phase = 'decided', failure = excluded.failure`;
}

/** Issues real documents, and kills the service while they are in flight. */
async function issueAndKill(
	{ violate }: ScenarioContext,
	environment: Environment,
	tenants: readonly HarnessTenant[],
	size: (typeof SIZES)["full"],
) {
	let number = 0;
	let acknowledged = 0;
	let kills = 0;
	const post = async (tenant: HarnessTenant, invoices: readonly object[]) => {
		const answer = await fetch(`${environment.url}/v1/invoices:batch`, {
			method: "POST",
			headers: {
				...(await tenant.freshHeaders()),
				...{ "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
			},
			body: JSON.stringify({ invoices: invoices.map((one) => ({ ...one, client_request_id: crypto.randomUUID() })) }),
		});
		const { results = [] } = (await answer.json()) as { results?: { status: number }[] };
		acknowledged += results.filter(({ status }) => status === 202).length;
	};
	const issue = async () => {
		for (let i = 0; i < size.invoices / 6; i++) {
			const tenant = tenants[i % tenants.length];
			if (!tenant) throw new Error("expected a company");
			const originals = Array.from({ length: 4 }, () => buildInvoice(tenant, ++number, { branch: "Centro" }));
			await post(tenant, originals);
			await post(
				tenant,
				originals.slice(0, 2).map(({ encf }) => buildNote(tenant, ++number, encf)),
			);
		}
	};
	for (let round = 0; round < size.kills; round++) {
		const point = round % 2 === 0 ? POINTS[(round / 2) % POINTS.length] : undefined;
		const service = environment.start(point ? { NODE_ENV: "test", FAULT_POINT: `${point}:${1 + round}` } : {});
		// A killed service leaves requests unanswered, which is not checked here.
		await service.ready.then(issue).catch(() => undefined);
		const timer = setTimeout(() => service.kill("SIGKILL"), point ? 60_000 : 50 + Math.random() * 500);
		const ending = await service.ended;
		clearTimeout(timer);
		if (ending === "SIGKILL") kills++;
		else violate(`the service was to be killed and ended with ${ending}`);
	}
	return { "invoices acknowledged": acknowledged, "service killed": kills };
}

type Report = {
	readonly groups: readonly object[];
	readonly totals: object;
	readonly digest: string;
};

const allDays = () => `from=${DAYS[0]}&to=${dayAgo(0)}`;

/** The expected reports of a company in an environment. */
type Book = { readonly tenant: HarnessTenant; readonly segment: AuthorityEnvironment; readonly lines: readonly Line[] };

const queryOf = ({ segment }: Book) => `${allDays()}&authority_environment=${segment}`;

async function compareReports({ violate }: ScenarioContext, environment: Environment, book: Book): Promise<number> {
	const { tenant, segment, lines } = book;
	for (const names of SUBSETS) {
		const report = await fetchReport(environment, tenant, `${queryOf(book)}&status=all&group_by=${names.join(",")}`);
		// A buyer's name is the registry's, not a sum.
		const found = report.groups.map((group) => JSON.stringify({ ...group, customer_name: undefined })).sort();
		const expected = groupLines(lines, names);
		const odd = found.find((group, i) => group !== expected[i]) ?? expected[found.length];
		if (odd !== undefined)
			violate(`${segment} by ${names.join(",") || "nothing"}: ${odd} is not what the documents come to`);
		const totals = JSON.stringify(sumOf(lines));
		if (JSON.stringify(report.totals) !== totals)
			violate(`totals ${JSON.stringify(report.totals)} instead of ${totals}`);
	}
	return SUBSETS.length;
}

/** All pages of a report. */
async function fetchReport({ url }: Environment, tenant: HarnessTenant, query: string): Promise<Report> {
	const groups: object[] = [];
	for (let page = query; ; ) {
		const answer = await fetch(`${url}/v1/reports/totals?${page}`, { headers: await tenant.freshHeaders() });
		if (!answer.ok) throw new Error(`a report was answered with ${answer.status}: ${await answer.text()}`);
		const report = (await answer.json()) as Report & { readonly next: string | null };
		groups.push(...report.groups);
		if (report.next === null) return { ...report, groups };
		page = `${query}&after=${report.next}`;
	}
}

/** Checks columns and digest from the file alone. */
async function compareTable({ violate }: ScenarioContext, environment: Environment, book: Book) {
	const { tenant, lines } = book;
	const answer = await fetch(`${environment.url}/v1/reports/documents.csv?${queryOf(book)}`, {
		headers: await tenant.freshHeaders(),
	});
	const [head = [], ...rows] = (await answer.text()).trimEnd().split("\r\n").map(readCells);
	const column = (row: readonly string[], name: string) => row[head.indexOf(name)] ?? "";
	const sum = (name: string) => toText(rows.reduce((all, row) => all + toCents(column(row, name)), 0n));
	const found = { count: rows.length, subtotal: sum("subtotal"), tax: sum("tax"), grand_total: sum("grand_total") };
	const [actual, expected] = [JSON.stringify(found), JSON.stringify(sumOf(lines))];
	if (actual !== expected) violate(`the table adds up to ${actual} instead of ${expected}`);

	const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
	const days = Map.groupBy(rows, (row) => column(row, "issue_date"));
	const digests = [...days.keys()].sort().map((day) => {
		const texts = (days.get(day) ?? []).map((row) => `${column(row, "docId")} ${column(row, "sha256")}\n`);
		return `${day} ${sha256(texts.sort().join(""))}\n`;
	});
	const { digest } = await fetchReport(environment, tenant, queryOf(book));
	if (digest !== `sha256:${sha256(digests.join(""))}`) violate("the table's digest is not the report's");
}

/** Source: RFC 4180; no cell here contains a line end. */
function readCells(line: string): string[] {
	return [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
		([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
	);
}
