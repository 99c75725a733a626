/**
 * Posts the same invoice fifty times at once, round after round, and counts documents.
 *
 *     bun scripts/race-rounds.ts              200 rounds
 *     bun scripts/race-rounds.ts --smoke      5 rounds
 *     options: --rounds N
 *
 * A round is three races of fifty requests on fifty connections opened before the burst:
 *
 *   one key                                → one 202 and 49 times 200 with the same bytes
 *   two keys and one client_request_id     → one 202 and 49 times 200 with the same bytes
 *   fifty keys and one number              → one 202 and 49 times 422 encf-already-used
 *
 * The service runs in two processes that share the connections. In the end each race must have left one row, and one reception at the
 * simulated authority.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect, findEmbeddedUrl } from "../src/platform/database";
import { standings } from "../test/support/documents";
import { runAdmin, startService, startSimulator } from "../test/support/processes";
import type { RawRequest } from "../test/support/raw-http";
import { buildInvoice, type HarnessTenant, registerTenant } from "../test/support/tenants";
import type { Reception } from "./harness/oracle";
import { checkRace, type Expected, invoiceRequest, raceRequests } from "./harness/race";
import { printReport } from "./harness/report";

const { values: options } = parseArgs({
	options: { smoke: { type: "boolean", default: false }, rounds: { type: "string" } },
});
const rounds = Number(options.rounds ?? (options.smoke ? 5 : 200));
const AT_ONCE = 50;
const SETTLE_TIMEOUT_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), "sello-race-"));
const violations: string[] = [];
/** The document of each race by number; every race must leave one row and one reception of it. */
const winners = new Map<string, string>();
let number = 1;
let requests = 0;
let slowestMs = 0;

const post = (tenant: HarnessTenant, key: string, invoice: unknown) => invoiceRequest(tenant.headers, key, invoice);

type Race = {
	readonly name: string;
	readonly expected: Expected;
	readonly build: (tenant: HarnessTenant, n: number) => RawRequest[];
};

const races: readonly Race[] = [
	{
		name: "one key",
		expected: "one-document",
		build: (tenant, n) => Array<RawRequest>(AT_ONCE).fill(post(tenant, crypto.randomUUID(), buildInvoice(tenant, n))),
	},
	{
		name: "two keys, one client_request_id",
		expected: "one-document",
		build: (tenant, n) => {
			const keys = [crypto.randomUUID(), crypto.randomUUID()];
			const invoice = buildInvoice(tenant, n, { client_request_id: `RACE-${n}-${keys[0]}` });
			return Array.from({ length: AT_ONCE }, (_, i) => post(tenant, keys[i % 2] ?? "", invoice));
		},
	},
	{
		name: "fifty keys, one number",
		expected: "one-number",
		build: (tenant, n) =>
			Array.from({ length: AT_ONCE }, () => post(tenant, crypto.randomUUID(), buildInvoice(tenant, n))),
	},
];

async function run(port: number, tenant: HarnessTenant, round: number, race: Race): Promise<void> {
	const n = number++;
	const from = performance.now();
	const answers = await raceRequests(port, race.build(tenant, n));
	slowestMs = Math.max(slowestMs, Math.round(performance.now() - from));
	requests += answers.length;
	const { docId, faults } = checkRace(answers, race.expected);
	winners.set(buildInvoice(tenant, n).encf, docId);
	for (const fault of faults) violations.push(`round ${round}, ${race.name}: ${fault}`);
}

/** Checks each number for one row, which is the acknowledged one, and one reception. */
async function countDocuments(dataDir: string, simulatorUrl: string): Promise<{ rows: number; receptions: number }> {
	const url = findEmbeddedUrl(dataDir);
	if (!url) throw new Error("the service's database is not there");
	const sql = connect({ url, name: "sello harness", connectionsMax: 1 });
	try {
		const deadline = performance.now() + SETTLE_TIMEOUT_MS;
		for (;;) {
			const [row] = await sql<{ pending: number }[]>`
				select count(*)::int as pending from ${standings(sql)} i where status = 'pending'`;
			if (row?.pending === 0) break;
			if (performance.now() > deadline) {
				violations.push(`${row?.pending} documents are still pending after ${SETTLE_TIMEOUT_MS / 1000} s`);
				break;
			}
			await Bun.sleep(50);
		}
		const rows = await sql<{ encf: string; docId: string }[]>`select encf, doc_id as "docId" from documents`;
		const receptions = (await (await fetch(`${simulatorUrl}/_simulator/receptions`)).json()) as Reception[];
		for (const [encf, docId] of winners) {
			const own = rows.filter((one) => one.encf === encf);
			if (own.length !== 1 || own[0]?.docId !== docId)
				violations.push(`${encf}: ${own.length} rows, ${own[0]?.docId}; acknowledged was ${docId}`);
			const received = receptions.filter((one) => one.encf === encf).length;
			if (received !== 1) violations.push(`${encf}: received ${received} times by the authority`);
		}
		if (rows.length !== winners.size) violations.push(`${rows.length} rows of ${winners.size} races`);
		return { rows: rows.length, receptions: receptions.length };
	} finally {
		await sql.end({ timeout: 2 });
	}
}

async function main(): Promise<number> {
	const startedAt = performance.now();
	const simulator = startSimulator(folder, 0);
	const settings = {
		PORT: "0",
		DATA_DIR: join(folder, "data"),
		AUTHORITY_URL: await simulator.ready,
		// Two processes share a burst, so the result cannot rest on locks within a process.
		PROCESSES: "2",
		LOG_LEVEL: "warn",
	};
	const service = startService(settings, join(folder, "service.log"));
	try {
		const url = await service.ready;
		const created = await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "harness"], settings);
		const tenant = await registerTenant(url, (created as { key: string }).key, 1);
		const port = Number(new URL(url).port);
		for (let round = 1; round <= rounds; round++) for (const race of races) await run(port, tenant, round, race);
		const stored = await countDocuments(settings.DATA_DIR, settings.AUTHORITY_URL);
		return printReport({
			name: "race-rounds",
			folder,
			violations,
			counts: {
				rounds,
				races: winners.size,
				requests,
				...stored,
				"slowest race ms": slowestMs,
				"seconds in all": Math.round((performance.now() - startedAt) / 1000),
			},
		});
	} finally {
		for (const program of [service, simulator]) program.kill("SIGTERM");
		await Promise.all([service.ended, simulator.ended]);
	}
}

const exitCode = await main();
if (exitCode === 0) rmSync(folder, { recursive: true, force: true });
process.exit(exitCode);
