/** Announcements on real PostgreSQL, by the outbox, to a real SMTP server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { announce, createSendAnnouncement, type KeyContacts, matchCallers } from "../../../src/api/changelog";
import { findOperationCallers } from "../../../src/identity/usage";
import { NO_ID, writeUsage } from "../../../src/identity/usage/store";
import { openMailTransport } from "../../../src/platform/mail";
import { OUTBOX_KINDS, startDispatcher } from "../../../src/platform/outbox";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { newId, toLocalIsoDate } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { type SmtpReceiver, startSmtpReceiver } from "../../support/smtp-receiver";
import { until } from "../../support/until";
import { sampleChangelog } from "./support/sample";

const now = new Date("2026-12-10T12:00:00Z");
const key = (contactEmails: string[], over: Partial<KeyContacts> = {}): KeyContacts => {
	return { id: newId(), contactEmails, ownerId: null, expiresAt: null, revokedAt: null, ...over };
};

let database: TestDatabase;
let receiver: SmtpReceiver;
beforeAll(async () => {
	[database, receiver] = await Promise.all([openTestDatabase(), startSmtpReceiver()]);
	await database.sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, 'sandbox', 'test', '990000001', 'FERRETERIA', 'free', '{}', '{}')`;
});
afterAll(async () => {
	await receiver.stop();
	await database.close();
});

/** The company that calls. */
const tenantId = newId();

function dispatch() {
	const transport = openMailTransport({ smtpUrl: receiver.url, directory: "", from: "no-reply@sello.example" });
	const send = createSendAnnouncement({
		sql: database.sql,
		transport,
		changelog: sampleChangelog,
		baseUrl: "https://api.example",
		clock: { now: () => now },
	});
	return startDispatcher({
		sql: database.sql,
		log: createLog("silent", "test"),
		metrics: createMetrics(),
		handlers: { [OUTBOX_KINDS.announceRelease]: send },
		slots: 8,
		leaseSeconds: 30,
	});
}

async function called(
	key: Pick<KeyContacts, "id" | "ownerId"> | undefined,
	operation: string,
	day: string,
): Promise<void> {
	if (!key) throw new Error("there is no such key");
	const tally = { succeeded: 1, unmodified: 0, refused: 0, limited: 0, failed: 0, items: 0, billable: 0 };
	const counted = { day, keyId: key.id, tenantId, ownerId: key.ownerId, operation, tally };
	await writeUsage(database.sql, newId(), [counted]);
}

const isAllDone = async () => (await database.sql`select 1 from outbox where state = 'ready'`).length === 0;

test("each address gets each announcement once, however often the operator asks", async () => {
	const keys = [
		key(["ana@client.example", "ops@client.example"]),
		key(["Ana@Client.example", "not an address"]),
		key(["bea@other.example"]),
		key(["old@other.example"]),
		key(["cora@other.example"], { ownerId: newId() }),
		key(["revoked@other.example"], { revokedAt: now }),
		key(["expired@other.example"], { expiresAt: now }),
	];
	const [, , bea, old, cora] = keys;
	await called(bea, "getOld", "2026-11-01");
	await called(bea, "getNew", "2026-12-01");
	await called(old, "getOld", "2026-09-01");
	await called(old, "getNew", "2026-12-01");
	// By a token alone.
	await called({ id: NO_ID, ownerId: cora?.ownerId ?? null }, "getOld", "2026-12-01");
	const keysThatCalled = async (operation: string, since: Date) =>
		matchCallers(keys, await findOperationCallers(database.sql, operation, toLocalIsoDate(since)));
	const deps = { sql: database.sql, changelog: sampleChangelog, keys, keysThatCalled, now };
	const wanted = [
		{ id: "old-runs", subject: "Deprecated: GET /v1/old/{id}", audience: "callers of getOld", addresses: 2, queued: 2 },
		{ id: "identity-1.2.0", subject: "Identity validation 1.2.0", audience: "all", addresses: 5, queued: 5 },
	];
	expect(await announce(deps, true)).toEqual(wanted);
	expect(await database.sql`select 1 from outbox`).toHaveLength(0);

	const both = await Promise.all([announce(deps, false), announce(deps, false)]);
	expect(both.flat().reduce((sum, { queued }) => sum + queued, 0)).toBe(7);
	expect((await announce(deps, false)).map(({ queued }) => queued)).toEqual([0, 0]);

	const dispatcher = dispatch();
	await until(isAllDone, 120_000);
	await dispatcher.stop(5_000);
	const received = receiver.mails.map(
		({ to, message }) => `${to.toLowerCase()} ${/^Subject: (.*)$/m.exec(message)?.[1]}`,
	);
	expect(received.sort()).toEqual([
		"ana@client.example Sello: Identity validation 1.2.0",
		"bea@other.example Sello: Deprecated: GET /v1/old/{id}",
		"bea@other.example Sello: Identity validation 1.2.0",
		"cora@other.example Sello: Deprecated: GET /v1/old/{id}",
		"cora@other.example Sello: Identity validation 1.2.0",
		"old@other.example Sello: Identity validation 1.2.0",
		"ops@client.example Sello: Identity validation 1.2.0",
	]);
	expect(await database.sql`select 1 from announcement_mails where sent_at is null`).toHaveLength(0);
	const mail = receiver.mails.find(({ message }) => message.includes("Deprecated: GET"))?.message.replace(/=\r\n/g, "");
	expect(mail).toContain("https://api.example/changelog#old-runs");
}, 180_000);

test("a mail that was not recorded is sent again with the same Message-ID", async () => {
	receiver.mails.length = 0;
	const keys = [key(["crash@client.example"])];
	const none = async () => new Set<string>();
	await announce({ sql: database.sql, changelog: sampleChangelog, keys, keysThatCalled: none, now }, false);
	for (let i = 0; i < 2; i++) {
		const dispatcher = dispatch();
		await until(isAllDone, 120_000);
		await dispatcher.stop(5_000);
		await database.sql`update announcement_mails set sent_at = null where address = 'crash@client.example'`;
		await database.sql`
			insert into outbox (id, kind, tenant_id, subject)
			select gen_random_uuid(), 'mail.announce', ${newId()}, id from announcement_mails where sent_at is null`;
	}
	const ids = receiver.mails.map(({ message }) => /^Message-ID: (.*)$/m.exec(message)?.[1]);
	expect(ids).toHaveLength(2);
	expect(new Set(ids).size).toBe(1);
	await database.sql`delete from outbox`;
}, 180_000);

test("a refused address is given up; a server that is away is tried again", async () => {
	receiver.mails.length = 0;
	const keys = [key(["gone@client.example"]), key(["later@client.example"])];
	const none = async () => new Set<string>();
	receiver.answerWith = (command, line) => {
		if (command !== "RCPT") return undefined;
		return line.includes("gone@") ? "550 no such user" : "451 later";
	};
	await announce({ sql: database.sql, changelog: sampleChangelog, keys, keysThatCalled: none, now }, false);
	const dispatcher = dispatch();
	const states = () => database.sql<{ address: string; state: string; failures: number }[]>`
		select m.address, o.state, o.failures from announcement_mails m join outbox o on o.subject = m.id order by m.address`;
	await until(async () => (await states()).every(({ state, failures }) => state === "dead" || failures > 0), 120_000);
	await dispatcher.stop(5_000);
	expect((await states()).map(({ address, state }) => [address, state])).toEqual([
		["gone@client.example", "dead"],
		["later@client.example", "ready"],
	]);
	expect(receiver.mails).toEqual([]);
}, 180_000);
