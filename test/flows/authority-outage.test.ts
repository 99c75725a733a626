/** The authority stops answering and comes back, under a service of two HTTP processes: every channel reports both. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playOutage, subscribeToAuthorityStatus } from "../../scripts/harness/authority-outage";
import { hasPoppler, readPages } from "../ecf/printing/support/poppler";
import { show } from "../ecf/printing/support/read-escpos";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { type Program, runAdmin, startService, startSimulator } from "../support/processes";
import { buildInvoice, type HarnessTenant, registerTenant } from "../support/tenants";
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

const LEGEND = [
	"e-CF emitido en modalidad de contingencia",
	"Su validez fiscal podrá consultarse a partir de las 72 horas",
];

/** The acknowledgement, the batch answer, the PDF and the receipt carry one legend. */
async function issueInContingency(): Promise<void> {
	const post = async (path: string, body: unknown) => {
		const answer = await fetch(`${url}${path}`, {
			method: "POST",
			headers: { ...tenant.headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
			body: JSON.stringify(body),
		});
		return (await answer.json()) as { docId: string; print: Receipt; results: { print: Receipt }[] };
	};
	const single = await post("/v1/invoices?print=escpos", buildInvoice(tenant, 101));
	const batch = await post("/v1/invoices:batch?print=escpos", {
		invoices: [buildInvoice(tenant, 103, { client_request_id: "outage-103" })],
	});
	for (const print of [single.print, ...batch.results.map((result) => result.print)]) {
		expect(print).toMatchObject({ contingency: { active: true, since: print.signedAt }, legend: LEGEND });
		expect(Date.parse(print.contingency.sendBy) - Date.parse(print.signedAt)).toBe(72 * 3_600_000);
		const receipt = show(Buffer.from(print.escpos, "base64")).lines.map(({ text }) => text);
		expect(receipt.join(" ")).toContain(LEGEND.join(" "));
	}
	expect(batch.results).toHaveLength(1);
	for (const format of ["a4", "letter", "thermal_80", "thermal_58"]) {
		const pdf = await fetch(`${url}/v1/invoices/${single.docId}/pdf?format=${format}`, { headers: tenant.headers });
		printed.push(new Uint8Array(await pdf.arrayBuffer()));
	}
}

/** PDFs of a document that was issued in the outage. */
const printed: Uint8Array[] = [];

type Receipt = {
	readonly signedAt: string;
	readonly contingency: { readonly sendBy: string };
	readonly escpos: string;
};

test(
	"a wrong clock signs nothing and uses no number, in any process",
	async () => {
		const issue = async (number = 10_000) => {
			const body = JSON.stringify(buildInvoice(tenant, number));
			const headers = { ...tenant.headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
			// A connection of its own each time, so that both processes are asked.
			const answer = await fetch(`${url}/v1/invoices`, { method: "POST", headers, body, keepalive: false });
			return [answer.status, ((await answer.json()) as { type?: string }).type?.split("/").at(-1)];
		};
		const setClock = (aheadSeconds: number) =>
			fetch(`${simulatorUrl}/_simulator/clock`, { method: "POST", body: JSON.stringify({ aheadSeconds }) });
		for (const hours of [-2, -24, 2]) {
			await setClock(hours * 3_600);
			for (let n = 0; n < 4; n++) expect([hours, ...(await issue())]).toEqual([hours, 503, "clock-skew"]);
		}
		await setClock(0);
		expect(await issue()).toEqual([202, undefined]);
		expect((await issue())[1]).toBe("encf-already-used");
		// Both processes have to see the right clock before the outage of the next test, in which nothing can be seen.
		for (let number = 10_001; number <= 10_008; number++) expect(await issue(number)).toEqual([202, undefined]);
	},
	TIMEOUT_MS,
);

test(
	"status, page, paper, events and webhooks report the outage and its end",
	async () => {
		const order = (method: "POST" | "DELETE", body?: string) =>
			fetch(`${simulatorUrl}/_simulator/outage`, { method, ...(body ? { body } : {}) });
		const { away, back } = await playOutage({
			...{ url, tenant, firstNumber: 1, awayMs: 0, patienceMs: 100_000 },
			whileAway: issueInContingency,
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

test.skipIf(!hasPoppler())("PDFs of the outage carry the legend of the acknowledgement", async () => {
	expect(printed).toHaveLength(4);
	for (const pdf of printed) {
		const text = (await readPages(pdf)).join().replace(/\s+/g, " ");
		expect(text.toLocaleLowerCase("es")).toContain(LEGEND.join(" ").toLocaleLowerCase("es"));
	}
});
