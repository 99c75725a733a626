/**
 * Proves that the running service sends every event of the catalogue: a sandbox service goes through what causes each of them, and the events
 * that its tenants got are the catalogue's. An event that nothing sends fails this test.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { listChores } from "../../src/app/maintenance/housekeeping";
import { EVENT_NAMES, type EventName } from "../../src/events/catalogue";
import { createWake } from "../../src/platform/outbox";
import { systemClock } from "../../src/platform/values";
import { recordChanges } from "../../src/registry/changes";
import { blockErasures } from "../../src/registry/erasure";
import { findLastGoodRun } from "../../src/registry/runs";
import { EVENTS_MAX, queueJoin } from "../../src/registry/watchlists";
import { askForEmail, postNotice, untilEmail } from "../api/support/emails";
import { postSequence } from "../api/support/sequences";
import { sendAcecf, signedAcecf } from "../exchange/approvals/support/peers";
import { control, listIssuer, sell } from "../exchange/approvals/support/words";
import { statusNotice } from "../invoicing/email/support/notices";
import { getPeerToken, sendToReceiver, signedEcf } from "../support/peer";
import {
	buildInvoice,
	createTenant,
	openServiceIn,
	post,
	postInvoice,
	type Tenant,
	untilDecided,
} from "../support/service";
import { type SmtpReceiver, startSmtpReceiver } from "../support/smtp-receiver";
import { until } from "../support/until";

const TIMEOUT_MS = 240_000;
const DAY_MS = 86_400_000;
/** The simulator plays this buyer, and takes what it is sent. */
const LISTED_BUYER = "990000174";
const SILENT_BUYER = "101010101";
const BUYER = "131880681";

let service: Awaited<ReturnType<typeof openServiceIn>>;
let smtp: SmtpReceiver;
let tenant: Tenant;

beforeAll(async () => {
	smtp = await startSmtpReceiver();
	const mail = { SMTP_URL: smtp.url, MAIL_FROM: "no-reply@sello.example" };
	service = await openServiceIn("sandbox", { AUTHORITY_PROBE_SECONDS: "1", ...mail });
	const url = `http://${service.receiver.host}/all`;
	const webhooks = [{ url, events: EVENT_NAMES }, { url: `http://${service.receiver.host}/gone` }];
	service.receiver.answer("/gone", 410);
	tenant = await createTenant(service, { company: { webhooks } });
}, TIMEOUT_MS);

afterAll(async () => {
	await service.stop();
	await smtp.stop();
}, TIMEOUT_MS);

async function issue(of: Tenant, rnc: string, over: Record<string, unknown> = {}): Promise<string> {
	const answer = await postInvoice(service, of, buildInvoice(of, { customer: { rnc, name: "CLIENTE SRL" }, ...over }));
	expect(answer.status).toBe(202);
	return ((await answer.json()) as { docId: string }).docId;
}

/** Names of the events in all feeds, and of those that only the test operation sends. */
async function listSent(): Promise<EventName[]> {
	const stored = await service.sql<{ event: EventName }[]>`select distinct event from events`;
	const tested = service.receiver.received.map(({ headers }) => headers["x-service-event"]);
	const names = new Set<string | undefined>([...stored.map(({ event }) => event), ...tested]);
	return [...names].filter((name): name is EventName => name !== undefined).sort();
}

const verdicts = async () => {
	await untilDecided(service, tenant, await issue(tenant, BUYER), TIMEOUT_MS);
	// Numbers by which the simulator rejects a document, and by which it never takes one.
	await untilDecided(service, tenant, await issue(tenant, "000000007"), TIMEOUT_MS);
	await untilDecided(service, tenant, await issue(tenant, "000000006"), TIMEOUT_MS);
};

const deliveries = async () => {
	await untilDecided(service, tenant, await issue(tenant, LISTED_BUYER), TIMEOUT_MS);
	const { path } = await listIssuer(service, SILENT_BUYER);
	service.receiver.answer(path.replace(/\/fe\/.*/, "/fe/recepcion/api/ecf"), 500);
	const late = await createTenant(service);
	const docId = await issue(late, SILENT_BUYER);
	await untilDecided(service, late, docId, TIMEOUT_MS);
	await until(async () => {
		const tried =
			await service.sql`select 1 from outbox where subject = ${docId} and kind = 'buyer.deliver' and failures > 0`;
		return tried.length > 0;
	}, TIMEOUT_MS);
	expect((await post(service, "/v1/sandbox/clock", late.headers, { advance: "4d" })).status).toBe(200);
};

const exchange = async () => {
	const token = await getPeerToken(service.url);
	await sendToReceiver(service.url, signedEcf({ buyerRnc: tenant.rnc }), { token });
	const seller = await createTenant(service);
	expect((await sendAcecf(service, signedAcecf(await sell(service, seller, BUYER)))).status).toBe(200);
};

const emails = async () => {
	smtp.answerWith = (command, line) =>
		command === "RCPT" && line.includes("refused@") ? "550 5.1.1 no such user" : undefined;
	const docId = await issue(tenant, BUYER);
	const refused = await askForEmail(service, tenant, docId, { to: ["refused@client.example"], attach: [] });
	await untilEmail(service, tenant, refused, "failed");
	const sent = await askForEmail(service, tenant, docId, { to: ["ana@client.example"], attach: [] });
	const { recipients } = await untilEmail(service, tenant, sent, "sent");
	expect((await postNotice(service, statusNotice({ id: recipients[0]?.messageId ?? "" }))).status).toBe(200);
};

const housekeeping = async () => {
	for (const days of [-1, 20]) {
		const { tenantId } = await createTenant(service);
		const notAfter = new Date(Date.now() + days * DAY_MS);
		await service.owner`update signing_certificates set not_after = ${notAfter} where tenant_id = ${tenantId}`;
	}
	const access = { sweep: async () => 0, rotateSigningKeyWhenDue: async () => undefined };
	await listChores({ sql: service.sql, access, clock: systemClock }).certificateNotices?.();
};

const numbers = async () => {
	const numbered = await createTenant(service, { company: { settings: { sequenceMode: "service" } } });
	expect((await postSequence(service, numbered, [1, 1])).status).toBe(201);
	await issue(numbered, BUYER, { encf: "auto" });
	const { headers } = tenant;
	expect((await post(service, "/v1/prepared-invoices", headers, buildInvoice(tenant))).status).toBe(201);
};

const certification = async () => {
	const answer = await post(service, "/v1/check-set-tests", tenant.headers, { types: ["44"] });
	const { _links } = (await answer.json()) as { _links: { self: string } };
	expect((await post(service, `${_links.self}/cancel`, tenant.headers, "")).ok).toBe(true);
};

const tested = async () => {
	const bearer = { authorization: tenant.headers.authorization ?? "" };
	expect((await post(service, "/v1/webhooks/test", bearer, {})).status).toBe(200);
};

/** Two sets of changes as an ingest records them: one change, and more than are sent one by one. */
const watchlists = async () => {
	const watcher = await createTenant(service, { plan: "business" });
	const created = await post(service, "/v1/watchlists", watcher.headers, { name: "Proveedores" });
	const { _links } = (await created.json()) as { _links: { documents: string } };
	const documents = Array.from({ length: EVENTS_MAX + 1 }, (_, i) => String(990_100_000 + i));
	const filled = await fetch(`${service.url}${_links.documents}`, {
		...{ method: "PUT", headers: { ...watcher.headers, "content-type": "text/csv" }, body: documents.join("\n") },
	});
	expect(filled.status).toBe(200);
	await service.sql.begin(async (tx) => {
		const run = await findLastGoodRun(tx);
		if (!run) throw new Error("the service has no registry run");
		const changes = documents.map((document) => ({ kind: "removed" as const, document }));
		const erased = { digestOf: (digits: string) => Buffer.from(digits.padStart(32, "0")), blockErasures };
		await recordChanges(tx, run, changes.slice(0, 1), erased);
		await recordChanges(tx, run, changes, erased);
		await queueJoin(tx, run.runId);
	});
	createWake(service.sql)();
};

/** Last, since nothing else gets a verdict meanwhile. */
const outage = async () => {
	await control(service, "outage", { kind: "black-hole" });
	await issue(tenant, BUYER);
};

test(
	"the service sends every event of the catalogue and no other",
	async () => {
		await Promise.all([verdicts(), deliveries(), exchange(), emails(), housekeeping(), numbers(), watchlists()]);
		await certification();
		await tested();
		const expected = [...EVENT_NAMES].sort();
		const ofOutage: readonly EventName[] = ["authority.status_changed", "invoice.pending_contingency"];
		const isComplete = async (names: readonly EventName[]) => {
			const sent = await listSent();
			return names.every((name) => sent.includes(name));
		};
		// A missing event shows in the comparison below, not as a time-out.
		const wait = (names: readonly EventName[]) => until(() => isComplete(names), 60_000).catch(() => undefined);
		await wait(expected.filter((name) => !ofOutage.includes(name)));
		await outage();
		await wait(expected);
		expect(await listSent()).toEqual(expected);
	},
	TIMEOUT_MS,
);
