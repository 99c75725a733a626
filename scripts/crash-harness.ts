/**
 * Kills the service with SIGKILL, again and again, while invoices are posted, and counts what was lost.
 *
 *     bun scripts/crash-harness.ts                     200 invoices, 40 kills at random moments
 *     bun scripts/crash-harness.ts --points            kills at each fault point of the code too, 3 times each
 *     bun scripts/crash-harness.ts --smoke [--points]  40 invoices, 6 kills, each point once
 *     options: --kills N, --invoices N (at least; more are posted while kills are left), --times N for the points
 *
 *   client ──POST, until 200 or 202──▶ service ──submit──▶ simulator (own process, own file)
 *     │ ledger                          │ ▲ SIGKILL            │ receptions
 *     │                                 │ └── supervisor       │
 *     │                                 └──webhook──▶ receiver │
 *     ▼                                               │ ledger ▼
 *   oracle ◀──────────────────────────────────────────┴────────┘   and the service's database and archive
 *
 * Everything but the service outlives the kills: the client, the receiver and the supervisor are this process, the simulator is
 * one of its own. The service's embedded PostgreSQL goes down with it and comes up from its files with the next start. A fifth
 * of the random kills strikes while the service is still starting.
 *
 * What must hold is in harness/oracle.ts; besides, everything must be final within 20 seconds of the last restart.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { unzipSync } from "fflate";
import { connect, findEmbeddedUrl, type Sql } from "../src/database";
import { type FaultPoint, INVOICE_FAULT_POINTS } from "../src/telemetry";
import { type Acknowledged, type Client, postOnce, sha256, startClient } from "./harness/client";
import { type Ledger, openLedger } from "./harness/ledger";
import {
	type ArchivedObject,
	type Facts,
	judge,
	type Reception,
	type Replay,
	type StoredDocument,
} from "./harness/oracle";
import { findFreePort, type Program, runAdmin, startService, startSimulator } from "./harness/processes";
import { type ReceivedWebhook, startReceiver } from "./harness/receiver";
import { printReport } from "./harness/report";
import { type HarnessTenant, registerTenant } from "./harness/tenants";

const { values: options } = parseArgs({
	options: {
		smoke: { type: "boolean", default: false },
		points: { type: "boolean", default: false },
		kills: { type: "string" },
		invoices: { type: "string" },
		times: { type: "string" },
	},
});
const kills = Number(options.kills ?? (options.smoke ? 6 : 40));
const invoices = Number(options.invoices ?? (options.smoke ? 40 : 200));
const timesEach = options.points ? Number(options.times ?? (options.smoke ? 1 : 3)) : 0;

const TENANTS = 4;
const PER_SECOND = 20;
const TILLS = 8;
const UNDECIDED_MAX = 100;
const FINAL_WITHIN_MS = 20_000;
/** How long the harness itself looks before it reports what is still not final. */
const PATIENCE_MS = 60_000;
const STRIKE_TIMEOUT_MS = 60_000;
const STARTING_KILL_SHARE = 0.2;

const folder = mkdtempSync(join(tmpdir(), "sello-crash-"));
const dataDir = join(folder, "data");
const violations: string[] = [];

/** A life of the service ends at a moment of chance or at a fault point. */
type Life = FaultPoint | "chance";

const lives: readonly Life[] = [
	...Array.from({ length: kills }, () => "chance" as const),
	...Array.from({ length: timesEach }, () => INVOICE_FAULT_POINTS).flat(),
];

async function main(): Promise<number> {
	const startedAt = performance.now();
	const simulator = startSimulator(folder, 200);
	const tenants: HarnessTenant[] = [];
	const told = openLedger<ReceivedWebhook>(join(folder, "webhooks.jsonl"));
	const acknowledged = openLedger<Acknowledged>(join(folder, "acknowledged.jsonl"));
	const receiver = await startReceiver(told, (path) => tenants.find((t) => t.webhookPath === path)?.webhookSecret);
	const settings = {
		PORT: String(await findFreePort()),
		DATA_DIR: dataDir,
		AUTHORITY_URL: await simulator.ready,
		WEBHOOK_ALLOW: receiver.host,
		WEBHOOK_TIME_SCALE: "0.02",
		OUTBOX_LEASE_SECONDS: "2",
		LOG_LEVEL: "warn",
	};
	const start = (extra: Record<string, string> = {}) =>
		startService({ ...settings, ...extra }, join(folder, "service.log"));
	let service = start();
	try {
		const url = await service.ready;
		const created = await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "harness"], settings);
		const { key } = created as { key: string };
		for (let n = 1; n <= TENANTS; n++) tenants.push(await registerTenant(url, key, n, receiver.host));
		await stop(service);

		let livesLeft = lives.length;
		const client = startClient({
			url,
			tenants,
			ledger: acknowledged,
			perSecond: PER_SECOND,
			atOnceMax: TILLS,
			holdsBack: () => acknowledged.count() - told.count() > UNDECIDED_MAX,
			wantsMore: (posted) => livesLeft > 0 || posted < invoices,
		});
		for (const life of lives) {
			service = start(life === "chance" ? {} : { NODE_ENV: "test", FAULT_POINT: `${life}:${upTo(3)}` });
			await (life === "chance" ? killByChance(service, client) : untilStruck(service, life));
			livesLeft--;
		}
		service = start();
		await service.ready;
		await client.finished;

		const secondsToFinal = await untilFinal();
		const acks = acknowledged.read();
		const facts = await collect(settings.AUTHORITY_URL, acks, told, await replayAll(url, tenants, acks));
		const { counts, violations: found } = judge(facts);
		violations.push(...found);
		return printReport({
			name: "crash-harness",
			folder,
			violations,
			counts: {
				"kills by chance": kills,
				"kills at fault points": timesEach * INVOICE_FAULT_POINTS.length,
				requests: client.requests(),
				...counts,
				"seconds until all was final": secondsToFinal,
				"seconds in all": Math.round((performance.now() - startedAt) / 1000),
			},
		});
	} finally {
		await Promise.all([stop(service), stop(simulator)]);
		receiver.stop();
		told.close();
		acknowledged.close();
	}
}

/** Kills while the service starts, or some acknowledgements and a moment after it was ready. */
async function killByChance(service: Program, client: Client): Promise<void> {
	if (Math.random() < STARTING_KILL_SHARE) {
		await Bun.sleep(upTo(1_200));
	} else {
		await service.ready;
		const enough = client.acknowledged() + upTo(Math.ceil((2 * invoices) / Math.max(1, kills)) - 1);
		const deadline = performance.now() + STRIKE_TIMEOUT_MS;
		while (client.acknowledged() < enough && !service.hasEnded() && performance.now() < deadline) await Bun.sleep(5);
		await Bun.sleep(Math.random() * 500);
	}
	if (service.hasEnded()) violations.push(`the service ended by itself: ${await service.ended}`);
	service.kill("SIGKILL");
	await service.ended;
}

/** Waits until the armed fault point has ended the service. */
async function untilStruck(service: Program, point: FaultPoint): Promise<void> {
	const timer = setTimeout(() => {
		violations.push(`the fault point ${point} was not passed within ${STRIKE_TIMEOUT_MS / 1000} s`);
		service.kill("SIGKILL");
	}, STRIKE_TIMEOUT_MS);
	const ending = await service.ended;
	clearTimeout(timer);
	if (ending !== "SIGKILL") violations.push(`the service was to die at ${point} and ended by itself: ${ending}`);
}

async function stop(program: Program): Promise<void> {
	program.kill("SIGTERM");
	await program.ended;
}

/** Units: seconds since now until nothing is pending. A violation when that is later than promised. */
async function untilFinal(): Promise<number> {
	const from = performance.now();
	const elapsed = () => Math.round((performance.now() - from) / 100) / 10;
	return withDatabase(async (sql) => {
		for (;;) {
			const [row] = await sql<{ left: number }[]>`
				select (select count(*) from invoices where status = 'pending')::int
					+ (select count(*) from outbox where state in ('ready', 'working'))::int as left`;
			if (row?.left === 0) break;
			if (elapsed() * 1000 > PATIENCE_MS) {
				const stuck = await sql`select * from outbox where state in ('ready', 'working') limit 5`;
				violations.push(`${row?.left} things are still pending, such as ${JSON.stringify(stuck)}`);
				break;
			}
			await Bun.sleep(50);
		}
		if (elapsed() * 1000 > FINAL_WITHIN_MS)
			violations.push(`it took ${elapsed()} s until all was final, more than ${FINAL_WITHIN_MS / 1000} s`);
		return elapsed();
	});
}

async function replayAll(
	url: string,
	tenants: readonly HarnessTenant[],
	acks: readonly Acknowledged[],
): Promise<Replay[]> {
	const replays: Replay[] = [];
	for (const ack of acks) {
		const tenant = tenants.find((t) => t.tenantId === ack.tenantId);
		if (!tenant) throw new Error(`no tenant ${ack.tenantId}`);
		const answer = await postOnce(url, tenant, ack.key, ack.body);
		replays.push({ docId: ack.docId, status: answer?.status, answerSha256: answer && sha256(answer.text) });
	}
	return replays;
}

async function collect(
	simulatorUrl: string,
	acknowledged: readonly Acknowledged[],
	told: Ledger<ReceivedWebhook>,
	replays: readonly Replay[],
): Promise<Facts> {
	const receptions = (await (await fetch(`${simulatorUrl}/_simulator/receptions`)).json()) as Reception[];
	return withDatabase(async (sql) => ({
		acknowledged,
		replays,
		receptions,
		webhooks: told.read(),
		documents: await sql<StoredDocument[]>`
			select i.doc_id as "docId", c.rnc, i.encf, i.status,
				(select encode(sha256(bytes), 'hex') from signed_documents d where d.doc_id = i.doc_id and kind = 'ecf') as "ecfSha256",
				(select encode(sha256(bytes), 'hex') from signed_documents d where d.doc_id = i.doc_id and kind = 'summary') as "summarySha256",
				(select count(*)::int from submissions s where s.doc_id = i.doc_id) as intents
			from invoices i join companies c using (tenant_id)`,
		archived: (
			await sql<{ docId: string; objectKey: string }[]>`
				select doc_id as "docId", object_key as "objectKey" from archive_objects`
		).map(({ docId, objectKey }) => ({ docId, entries: openObject(join(dataDir, "archive", objectKey)) })),
	}));
}

/** Digests of an object's entries, read with nothing of ours but the path. */
function openObject(path: string): ArchivedObject["entries"] {
	try {
		const entries = Object.entries(unzipSync(readFileSync(path)));
		return Object.fromEntries(entries.map(([name, bytes]) => [name, sha256(bytes)]));
	} catch {
		// Missing or torn: the oracle counts it.
		return undefined;
	}
}

async function withDatabase<T>(use: (sql: Sql) => Promise<T>): Promise<T> {
	const url = findEmbeddedUrl(dataDir);
	if (!url) throw new Error("the service's database is not there");
	const sql = connect({ url, name: "sello harness", connectionsMax: 2 });
	try {
		return await use(sql);
	} finally {
		await sql.end({ timeout: 2 });
	}
}

/** 1 to `most`. */
function upTo(most: number): number {
	return 1 + Math.floor(Math.random() * Math.max(1, most));
}

const exitCode = await main();
if (exitCode === 0) rmSync(folder, { recursive: true, force: true });
process.exit(exitCode);
