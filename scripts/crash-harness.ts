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
import { FAULT_POINTS } from "../src/telemetry";
import { type Acknowledged, type Client, postOnce, sha256, startClient } from "./harness/client";
import { openLedger } from "./harness/ledger";
import { type ArchivedObject, type Facts, judge, type Reception, type Replay, type StoredDocument } from "./harness/oracle";
import { findFreePort, type Program, runAdmin, StartError, startService, startSimulator } from "./harness/processes";
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
const FINAL_WITHIN_MS = 20_000;
/** How long the harness itself looks before it reports what is still not final. */
const PATIENCE_MS = 60_000;
const POINT_TIMEOUT_MS = 60_000;
const STARTING_KILL_SHARE = 0.2;

const folder = mkdtempSync(join(tmpdir(), "sello-crash-"));
const dataDir = join(folder, "data");
const log = (name: string) => join(folder, `${name}.log`);
const violations: string[] = [];

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
	let service = startService(settings, log("service"));
	try {
		const url = await service.ready;
		const key = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "harness"], settings)) as {
			key: string;
		};
		for (let n = 1; n <= TENANTS; n++) tenants.push(await registerTenant(url, key.key, n, receiver.host));

		let killsLeft = kills + timesEach * FAULT_POINTS.length;
		let posted = 0;
		const wantsMore = () => killsLeft > 0 || posted++ < invoices;
		const client = startClient({
			url,
			tenants,
			ledger: acknowledged,
			perSecond: PER_SECOND,
			atOnceMax: TILLS,
			wantsMore: () => {
				if (killsLeft === 0) return wantsMore();
				posted++;
				return true;
			},
		});
		for (let i = 0; i < kills; i++) {
			await killAtRandom(service, client);
			service = startService(settings, log("service"));
			killsLeft--;
		}
		for (const point of FAULT_POINTS)
			for (let i = 0; i < timesEach; i++) {
				await endQuietly(service);
				service = startService(
					{ ...settings, NODE_ENV: "test", FAULT_POINT: `${point}:${1 + Math.floor(Math.random() * 4)}` },
					log("service"),
				);
				await untilStruck(service, point);
				service = startService(settings, log("service"));
				killsLeft--;
			}
		await service.ready;
		await client.finished;

		const secondsToFinal = await untilFinal();
		const replays = await replayAll(url, tenants, acknowledged.read());
		const facts = await collect(settings.AUTHORITY_URL, acknowledged.read(), told.read(), replays);
		const { counts, violations: found } = judge(facts);
		violations.push(...found);
		return printReport({
			name: "crash-harness",
			folder,
			violations,
			counts: {
				"kills at random moments": kills,
				"kills at fault points": timesEach * FAULT_POINTS.length,
				requests: client.requests(),
				...counts,
				"seconds until all was final": secondsToFinal,
				"seconds in all": Math.round((performance.now() - startedAt) / 1000),
			},
		});
	} finally {
		service.kill("SIGTERM");
		await service.ended;
		simulator.kill("SIGTERM");
		await simulator.ended;
		receiver.stop();
		told.close();
		acknowledged.close();
	}
}
