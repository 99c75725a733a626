/**
 * How long does dropping a day of papers take, and what do callers notice?
 *
 * A service of its own, with days of stored and sealed documents filled by SQL. Invoices come by an open loop: in each round once while nothing
 * else happens, and once while a day is dropped. A stall delays every invoice that was due during it, so it shows in the 99th percentile.
 */

import type { Sql } from "../src/platform/database";
import { firstIdAt } from "../src/platform/values";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { openDatabase } from "./fill-invoices";
import { startLoad } from "./load";
import { registerCompanies, startService, toInvoiceRequest } from "./service";

export const question = "How long does dropping a day of 60,000 papers take, and what do callers notice?";
export const peer = "the same load without it";

const DOCUMENTS = 60_000;
/** As the papers and the steps of an invoice of ten lines are stored. */
const [PAPERS_BYTES, STEPS_BYTES] = [3_100, 900];
const PER_SECOND = 100;
const CONNECTIONS = 16;
const COMPANIES = 4;
/** Younger days are not dropped. */
const YOUNGEST_DAYS = 4;
const DAY_MS = 86_400_000;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const load = startLoad(stack);
	const service = await startService(stack, { ROLE: "api" });
	const companies = await registerCompanies(service, smoke ? 1 : COMPANIES);
	const sql = openDatabase(stack, service);
	const requests = companies.map(toInvoiceRequest);
	const seconds = smoke ? 1 : 8;
	const rounds = smoke ? 1 : 5;
	let firstNumber = 1;
	const post = async () => {
		const plan = { url: service.url, requests, expectedStatus: 202, connections: CONNECTIONS, firstNumber };
		firstNumber += PER_SECOND * seconds + CONNECTIONS;
		return load.ask({ kind: "open", plan, ratePerSecond: PER_SECOND, seconds });
	};
	const days: string[] = [];
	for (let n = 0; n < rounds; n++)
		days.push(
			await fillDay(
				sql,
				companies.map(({ tenantId }) => tenantId),
				YOUNGEST_DAYS + n,
				smoke ? 500 : DOCUMENTS,
			),
		);
	await sql`checkpoint`;
	await post();
	const noted = newRounds("droppedMs", "quietMs", "busyMs");
	for (const day of days) {
		noted.quietMs.push((await post()).p99Ms);
		const posted = post();
		await Bun.sleep((seconds * 1_000) / 2);
		const startedAt = performance.now();
		const [row] = await sql<{ stayed: number }[]>`select drop_papers(${day})::int as stayed`;
		noted.droppedMs.push(performance.now() - startedAt);
		if (row?.stayed !== 0) throw new Error(`${row?.stayed} documents of ${day} stayed`);
		noted.busyMs.push((await posted).p99Ms);
	}
	return [
		toFigure("a day is dropped", "ms", noted.droppedMs, { target: "≤ 500 ms" }),
		toFigure("POST, p99, without a drop", "ms", noted.quietMs),
		toFigure("POST, p99, while a day is dropped", "ms", noted.busyMs, {
			against: { peer: "without a drop", rounds: noted.quietMs, lessIsFaster: true },
			target: "≥ 0.67",
		}),
	];
}

/** Stores accepted, sealed and checked documents of a day, tenants in turn. Returns the day. */
async function fillDay(sql: Sql, tenantIds: readonly string[], daysBack: number, count: number): Promise<string> {
	const day = new Date(Math.floor(Date.now() / DAY_MS - daysBack) * DAY_MS);
	const name = day.toISOString().slice(0, 10);
	const [first, stop] = [firstIdAt(day), firstIdAt(new Date(day.getTime() + DAY_MS))];
	for (const table of ["papers", "steps"])
		await sql.unsafe(
			`create table ${table}_${name.replaceAll("-", "_")} partition of ${table} for values from ('${first}') to ('${stop}') with (toast_tuple_target = 8160)`,
		);
	const bytes = (length: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
	await sql.begin(async (tx) => {
		// The rows are valid by construction.
		await tx`set local session_replication_role = replica`;
		await tx`
			create temp table of_day on commit drop as
			select (${[...tenantIds]}::uuid[])[1 + n % ${tenantIds.length}::int] as tenant_id, n,
				(left(first_id_at(${day}::timestamptz + n * interval '1 second')::text, 15) || '000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as doc_id
			from generate_series(1, ${count}) n`;
		await tx`
			insert into documents (tenant_id, doc_id, received_at, sha256, subtotal, tax, issue_date, type, environment, has_summary, encf)
			select tenant_id, doc_id, ${day}, sha256(doc_id::text::bytea), 10000, 1800, ${name}, 31, 't', false, 'E31' || lpad(n::text, 10, '0')
			from of_day`;
		await tx`
			insert into verdicts (tenant_id, doc_id, decided_at, version, status, consumed, attempts, code)
			select tenant_id, doc_id, ${day}, 2, 'a', true, 1, '1' from of_day`;
		await tx`
			insert into seals (tenant_id, doc_id, n, shard, leaf, link, link_hash, sha256, bytes, decided_at, retain_until)
			select tenant_id, doc_id, 1, shard_of(tenant_id), n, n, sha256('1'), sha256(doc_id::text::bytea), 8000, ${day}, ${day}::timestamptz + interval '10 years'
			from of_day`;
		await tx`insert into papers (tenant_id, doc_id, body) select tenant_id, doc_id, ${bytes(PAPERS_BYTES)} from of_day`;
		await tx`insert into steps (tenant_id, doc_id, n, body) select tenant_id, doc_id, 1, ${bytes(STEPS_BYTES)} from of_day`;
		await tx`insert into paper_days (day, begun_at, is_checked, documents) values (${name}, now(), true, ${count})`;
	});
	for (const table of ["documents", "verdicts", "seals", "papers", "steps"]) await sql`vacuum (analyze) ${sql(table)}`;
	return name;
}
