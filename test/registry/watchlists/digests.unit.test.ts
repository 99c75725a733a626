import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { SendMailOptions } from "nodemailer";
import type { MailTransport } from "../../../src/platform/mail";
import type { Message } from "../../../src/platform/outbox";
import { newId } from "../../../src/platform/values";
import type { ChangeWithFields } from "../../../src/registry/changes/changes-store";
import {
	createQueueDigests,
	createSendDigest,
	digestDay,
	orderDigests,
} from "../../../src/registry/watchlists/digests";
import { changeWatchlist, findWatchlist, setStop } from "../../../src/registry/watchlists/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addListTo, addRunTo } from "./lists";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const MORNING = "2026-11-26T11:00:00Z";
let now: Date;
let mails: SendMailOptions[];
beforeEach(async () => {
	[now, mails] = [new Date(MORNING), []];
	await database.owner`truncate watchlists, digest_mails, digest_addresses, outbox`;
});

const message = (subject: string): Message => ({
	...{
		id: newId(),
		kind: "",
		tenantId: newId(),
		subject,
		payload: {},
		failures: 0,
		ageSeconds: 0,
		isRepeat: false,
		hold: { lane: newId(), epoch: 1, term: 1 },
	},
	leaseLeftMs: () => 1,
});
const transport: MailTransport = {
	from: "no-reply@sello.example",
	deliver: async (_, mail) => {
		mails.push(mail);
	},
	close: () => undefined,
};
const clock = { now: () => now };
const queue = () => createQueueDigests({ sql: database.sql, clock, wake: () => undefined })(message(newId()));
const send = (to = transport) =>
	createSendDigest({ sql: database.sql, transport: to, baseUrl: "https://api.example", clock });
const waiting = async () => {
	const rows = await database.sql<
		{ subject: string }[]
	>`select subject from outbox where kind = 'registry.digest' order by id`;
	return rows.map(({ subject }) => subject);
};
/** Queues and sends what is due; each message twice, as after a lost record of the first. */
async function sendAll(): Promise<void> {
	await queue();
	await queue();
	for (const subject of [...(await waiting()), ...(await waiting())]) await send()(message(subject));
}

const suspended = (document: string): ChangeWithFields => ({
	...{ kind: "changed", document },
	fields: [{ field: "status", was: "ACTIVO", is: "SUSPENDIDO" }],
});
const WATCHED = { digits: ["131880681", "101000023"], emails: ["AP@cliente.do"], digest: "daily" } as const;

test("an address gets one mail with the changes of all its lists", async () => {
	await addListTo(database.sql, { ...WATCHED, name: "=Proveedores" });
	await addListTo(database.sql, {
		digits: ["131880681"],
		emails: ["ap@cliente.do", "eva@cliente.do"],
		digest: "daily",
	});
	const runId = await addRunTo(database.sql, [{ kind: "removed", document: "101000023" }, suspended("131880681")]);
	await sendAll();
	expect(mails.map(({ envelope }) => envelope?.to)).toEqual([["ap@cliente.do"], ["eva@cliente.do"]]);
	const [mail] = mails;
	expect(mail?.subject).toBe("Registro de contribuyentes: 3 cambios en sus listas");
	const lines = String(mail?.text).split("\n");
	expect(lines).toContain("131880681 · R-131880681 · Proveedores · estado: ACTIVO → SUSPENDIDO [RIESGO]");
	expect(lines).toContain("101000023 · R-101000023 · =Proveedores · ya no está en el registro [RIESGO]");
	const link = lines.at(-1) ?? "";
	expect(mail?.headers).toMatchObject({
		"List-Unsubscribe": `<${link}>`,
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
	});
	const { filename, content } = mail?.attachments?.[0] ?? {};
	expect(filename).toBe("cambios-2026-11-26.csv");
	expect(String(content).split("\r\n")[2]).toStartWith(
		`'=Proveedores,131880681,R-131880681,changed,true,status,ACTIVO,SUSPENDIDO,${runId},`,
	);
});

test("the text has 50 rows and the attachment all; English if the list is", async () => {
	const digits = Array.from({ length: 60 }, (_, i) => String(990_100_000 + i));
	await addListTo(database.sql, { ...WATCHED, digits, locale: "en" });
	await addRunTo(database.sql, digits.map(suspended));
	await sendAll();
	const lines = String(mails[0]?.text).split("\n");
	expect(lines.filter((line) => line.endsWith("[RISK]"))).toHaveLength(50);
	expect(lines).toContain("And 10 more changes in the attached file.");
	expect(String(mails[0]?.attachments?.[0]?.content).trim().split("\r\n")).toHaveLength(61);
});

test("no mail without a change, for an erased number or before the morning", async () => {
	await addListTo(database.sql, WATCHED);
	await addRunTo(database.sql, [suspended("990000001")]);
	await sendAll();
	await addRunTo(database.sql, [suspended("131880681")]);
	await sendAll();
	expect(mails).toEqual([]);
	now = new Date("2026-11-27T10:59:59Z");
	expect(digestDay(now)).toBe("2026-11-26");
	expect(await orderDigests(database.sql, now)).toBe(false);
	now = new Date("2026-11-27T11:00:00Z");
	expect(await orderDigests(database.sql, now)).toBe(true);
	await queue();
	await database.owner`delete from registry_changes where document = '131880681'`;
	for (const subject of await waiting()) await send()(message(subject));
	expect(mails).toEqual([]);
});

test("weekly ones are sent on Mondays, with the changes of the week", async () => {
	await addListTo(database.sql, { ...WATCHED, digest: "weekly", day: "2026-11-23" });
	for (let day = 26; day <= 30; day++) {
		now = new Date(`2026-11-${day}T12:00:00Z`);
		await addRunTo(database.sql, [suspended("131880681")]);
		await sendAll();
		expect(mails).toHaveLength(day === 30 ? 1 : 0);
	}
	expect(mails[0]?.subject).toContain("5 cambios");
});

test("a list that begins to send digests does not send earlier changes", async () => {
	const [ownerId, id] = await addListTo(database.sql, { ...WATCHED, emails: [] });
	await addRunTo(database.sql, [suspended("131880681")]);
	await database.sql.begin((tx) =>
		changeWatchlist(tx, { ownerId, tenantId: null }, id, { emails: ["ap@cliente.do"] }, "2026-11-25"),
	);
	await sendAll();
	expect(mails).toEqual([]);
});

test("an address that stops the mails gets none, not even one that waits", async () => {
	const [ownerId, id] = await addListTo(database.sql, WATCHED);
	await addRunTo(database.sql, [suspended("131880681")]);
	await queue();
	const [row] = await database.sql<{ secret: string }[]>`select secret from digest_addresses`;
	expect(await setStop(database.sql, row?.secret ?? "", now)).toBe(true);
	expect((await findWatchlist(database.sql, { ownerId, tenantId: null }, id))?.stopped).toEqual(["ap@cliente.do"]);
	for (const subject of await waiting()) await send()(message(subject));
	await addRunTo(database.sql, [suspended("131880681")]);
	now = new Date("2026-11-27T11:00:00Z");
	await sendAll();
	expect(mails).toEqual([]);
});

test("a process that dies while it queues leaves no mail twice", async () => {
	for (let i = 0; i < 20; i++)
		await addListTo(database.sql, { ...WATCHED, emails: [`c${i}@cliente.do`, "ap@cliente.do"] });
	await addRunTo(database.sql, [suspended("131880681")]);
	const dying = { sql: database.sql, clock, wake: () => undefined };
	await Promise.allSettled([
		createQueueDigests(dying)(message(newId())),
		createQueueDigests(dying)(message(newId())),
		database.owner`
			select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
	]);
	await sendAll();
	const addresses = mails.map(({ envelope }) => String(envelope?.to));
	expect(addresses).toHaveLength(21);
	expect(new Set(addresses).size).toBe(21);
});

test("a mail that the server may have is sent again with the same id", async () => {
	await addListTo(database.sql, WATCHED);
	await addRunTo(database.sql, [suspended("131880681")]);
	await queue();
	const [subject = ""] = await waiting();
	const lost: MailTransport = {
		...transport,
		deliver: async (id, mail) => {
			await transport.deliver(id, mail);
			throw new Error("the connection is lost");
		},
	};
	expect(await send(lost)(message(subject))).toMatchObject({ kind: "retry" });
	expect(await send()(message(subject))).toEqual({ kind: "done" });
	expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
});
