/** A holder that was paused past its lease: another one finishes the work, and what the first one wakes up to write is not written. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postOnce } from "../../scripts/harness/client";
import type { Reception } from "../../scripts/harness/oracle";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { standings } from "../support/documents";
import { type Program, runAdmin, startService, startSimulator } from "../support/processes";
import { buildInvoice, type HarnessTenant, registerTenant } from "../support/tenants";
import { until } from "../support/until";
import { orderFaults } from "./follow";

const TIMEOUT_MS = 240_000;
const INVOICES = 5;

let database: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), "sello-test-lease-"));
const programs: Program[] = [];
const track = (program: Program) => {
	programs.push(program);
	return program;
};

beforeAll(async () => {
	database = await openTestDatabase();
}, TIMEOUT_MS);
afterAll(async () => {
	for (const program of programs) {
		program.kill("SIGKILL");
		await program.ended;
	}
	await database.close();
	rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

async function begin(name: string, settings: Record<string, string>) {
	const logPath = join(folder, `${name}.log`);
	const service = track(startService(settings, logPath));
	return { service, url: await service.ready, readLog: () => readFileSync(logPath, "utf8") };
}

/** Everything about the documents that a stale write could change. */
async function readState() {
	const { sql } = database;
	return {
		verdicts: [...(await sql`select * from verdicts order by doc_id`)],
		open: [...(await sql`select * from open_documents order by doc_id`)],
		// Those below are only what a lost holder was answered.
		steps: [...(await sql`select * from steps where n > 0 order by doc_id, n`)],
		events: [...(await sql`select * from events order by id`)],
		messages: [...(await sql`select id, state, failures, last_error from outbox order by id`)],
	};
}

test(
	"a service that was paused while it submitted changes nothing when it wakes up",
	async () => {
		const { sql } = database;
		const simulator = track(startSimulator(folder, 0));
		const simulatorUrl = await simulator.ready;
		const settings = {
			PORT: "0",
			DATABASE_URL: database.url,
			DATA_DIR: join(folder, "data"),
			AUTHORITY_URL: simulatorUrl,
			// Sendings may take two thirds of it, which is longer than the authority does below.
			SHARD_LEASE_SECONDS: "4",
			LOG_LEVEL: "warn",
		};
		const first = await begin("first", settings);
		const { key } = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "test"], settings)) as {
			key: string;
		};
		const tenant: HarnessTenant = await registerTenant(first.url, key, 1);

		// The authority has each document at once, and says so after a while: in between the sender is paused.
		await orderFaults(simulatorUrl, { operation: "receive", mode: "slow", count: INVOICES, ms: 1_500 });
		for (let n = 1; n <= INVOICES; n++) {
			const answer = await postOnce(
				first.url,
				tenant,
				crypto.randomUUID(),
				JSON.stringify(buildInvoice(tenant, 3 * n + 1)),
			);
			expect(answer?.status).toBe(202);
		}
		const receptions = async () => (await (await fetch(`${simulatorUrl}/_simulator/receptions`)).json()) as Reception[];
		await until(async () => (await receptions()).length === INVOICES);
		first.service.kill("SIGSTOP");

		const second = await begin("second", { ...settings, ROLE: "worker" });
		await until(async () => {
			const [row] = await sql<{ left: number }[]>`
				select (select count(*) from ${standings(sql)} i where status <> 'accepted')::int
					+ (select count(*) from outbox where state = 'ready')::int as left`;
			return row?.left === 0;
		}, 120_000);
		const before = await readState();
		first.service.kill("SIGCONT");
		await until(() => first.readLog().split("outcome refused: another lane has the shard").length > INVOICES, 20_000);

		expect(await readState()).toEqual(before);
		expect(await receptions()).toHaveLength(INVOICES);
		expect(before.verdicts.map(({ attempts }) => attempts)).toEqual(Array.from({ length: INVOICES }, () => 1));
		for (const { service } of [first, second]) {
			service.kill("SIGTERM");
			expect(await service.ended).toBe(0);
		}
	},
	TIMEOUT_MS,
);
