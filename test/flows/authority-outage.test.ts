/** The authority stops answering and comes back, under a service of two HTTP processes: every channel reports both. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playOutage, subscribeToAuthorityStatus } from "../../scripts/harness/authority-outage";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { type Program, runAdmin, startService, startSimulator } from "../support/processes";
import { type HarnessTenant, registerTenant } from "../support/tenants";
import { startReceiver, type WebhookReceiver } from "../support/webhook-receiver";

const TIMEOUT_MS = 240_000;
const folder = mkdtempSync(join(tmpdir(), "sello-test-outage-"));

let database: TestDatabase;
let simulator: Program;
let program: Program;
let receiver: WebhookReceiver;
let url: string;
let simulatorUrl: string;
let tenant: HarnessTenant;

beforeAll(async () => {
	simulator = startSimulator(folder, 0);
	[database, receiver, simulatorUrl] = await Promise.all([openTestDatabase(), startReceiver(), simulator.ready]);
	const settings = {
		...{
			PORT: "0",
			DATA_DIR: folder,
			DATABASE_URL: database.url,
			PROCESSES: "2",
			SIGN_THREADS: "1",
			LOG_LEVEL: "error",
		},
		...{ AUTHORITY_URL: simulatorUrl, AUTHORITY_STATUS_KEY: "granted", WEBHOOK_ALLOW: receiver.host },
	};
	program = startService(settings, join(folder, "service.log"));
	url = await program.ready;
	const made = await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "outage"], settings);
	tenant = await registerTenant(url, (made as { key: string }).key, 1, receiver.host);
	await subscribeToAuthorityStatus(url, tenant);
}, TIMEOUT_MS);

afterAll(async () => {
	program.kill("SIGTERM");
	simulator.kill("SIGTERM");
	await Promise.all([program.ended, simulator.ended]);
	receiver.stop();
	await database.close();
	rmSync(folder, { recursive: true });
}, TIMEOUT_MS);

const reportedStatuses = () =>
	receiver.received
		.map(({ body }) => JSON.parse(body.toString()) as { event: string; status: string })
		.filter(({ event }) => event === "authority.status_changed")
		.map(({ status }) => status);

test(
	"status, page, paper, events and webhooks report the outage and its end",
	async () => {
		const order = (method: "POST" | "DELETE", body?: string) =>
			fetch(`${simulatorUrl}/_simulator/outage`, { method, ...(body ? { body } : {}) });
		const { away, back } = await playOutage({
			...{ url, tenant, firstNumber: 1, awayMs: 0, patienceMs: 100_000 },
			begin: () => order("POST", '{"kind":"black-hole"}'),
			end: () => order("DELETE"),
			countWebhooks: () => reportedStatuses().length,
		});
		expect(Object.entries({ ...away }).filter(([, ms]) => ms === undefined)).toEqual([]);
		expect(Object.entries({ ...back }).filter(([, ms]) => ms === undefined)).toEqual([]);
		const reported = reportedStatuses();
		expect(reported).toContain("outage");
		expect(reported.at(-1)).toBe("operational");
		// No status is reported twice in a row, whichever process decided.
		expect(reported.filter((status, i) => status === reported[i - 1])).toEqual([]);
	},
	TIMEOUT_MS,
);
