/** A document on its way to the buyer: what a receiver may do to it, and what is believed of that. */

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Listing } from "../../../src/authority/client";
import { type SigningIdentity, signReceivedXml } from "../../../src/ecf/signing";
import { createDeliverToBuyer, createPeerClient, openDirectory } from "../../../src/invoicing/buyer-delivery";
import { findSignedEcf } from "../../../src/invoicing/invoices";
import type { Handler } from "../../../src/platform/outbox";
import { createLog } from "../../../src/platform/telemetry";
import { systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { withoutArchive } from "../../support/documents";
import { letGo } from "../../support/held-messages";
import { addCompany } from "../../support/submission";
import { addParcel, BUYER, carryOut, claim, type Parcel } from "./support/parcels";
import { type Manner, makeIdentity, type PeerReceiver, startPeerReceiver } from "./support/peer-receiver";

const TIMEOUT_MS = 120_000;
let database: TestDatabase;
let identity: SigningIdentity;
let peer: PeerReceiver;
let tenantId: string;
let listing: Listing;
/** Nothing listens there any more. */
let deadHost: string;

beforeAll(async () => {
	database = await openTestDatabase();
	identity = await makeIdentity();
	peer = await startPeerReceiver(identity);
	const dead = await startPeerReceiver(identity);
	dead.close();
	deadHost = dead.host;
	tenantId = await addCompany(database.sql);
}, TIMEOUT_MS);
afterAll(async () => {
	peer.close();
	await database.close();
});
beforeEach(async () => {
	await database.sql`delete from receiver_directory`;
	peer.manner = "received";
	peer.files.length = 0;
	listing = listed(peer.url);
});

const listed = (url: string): Listing => ({
	kind: "listed",
	receiver: { rnc: BUYER, name: "CLIENTE", receptionUrl: url, approvalUrl: url },
});

/** `lost`: the process dies when the answer is there. */
function open({ lost = false, totalTimeoutMs = 30_000 } = {}): Handler {
	const { sql } = database;
	const peers = createPeerClient<unknown>({
		policy: { environment: "sandbox", allow: new Set([peer.host, deadHost]) },
		signSeed: async (seed) => signReceivedXml(seed, identity, { profile: "xades-bes", signedAt: new Date() }),
		clock: systemClock,
		limits: { totalTimeoutMs, connectTimeoutMs: 30_000 },
	});
	return createDeliverToBuyer({
		...{ sql, clock: systemClock, log: createLog("silent", "test"), wake: () => undefined },
		findSignedEcf: (document) => findSignedEcf(withoutArchive(sql), document),
		directory: openDirectory({ sql, authority: { findReceiver: async () => listing } }),
		peers: {
			sendEcf: async (...what) => {
				const answer = await peers.sendEcf(...what);
				if (lost) throw new Error("the process died here");
				return answer;
			},
		},
	});
}

const stateOf = async ({ docId }: Parcel) => {
	const [row] = await database.sql`select state, motive from buyer_deliveries where doc_id = ${docId}`;
	return row && { state: row.state, motive: row.motive };
};
const resultsOf = async ({ docId }: Parcel) => {
	const rows = await database.sql`
		select r.result from buyer_papers i
		left join buyer_papers r on r.tenant_id = i.tenant_id and r.doc_id = i.doc_id and r.n = i.n and r.kind = 'result'
		where i.doc_id = ${docId} and i.kind = 'intent' order by i.n`;
	return rows.map(({ result }) => result);
};
const eventsOf = async ({ docId }: Parcel) => {
	const rows = await database.sql`select body from events where doc_id = ${docId} order by sequence`;
	return rows.map(({ body }) => JSON.parse(body));
};

test("the buyer gets the very bytes, and its signed acknowledgement is kept as it came", async () => {
	const parcel = await addParcel(database.sql, tenantId);
	expect(await carryOut(database.sql, open(), parcel)).toEqual({ kind: "done" });
	const { issuerRnc, encf } = parcel;
	expect(peer.files).toEqual([
		{ path: "/base/fe/recepcion/api/ecf", file: `<ECF>${issuerRnc}|${encf}|${BUYER}</ECF>` },
	]);
	expect(await stateOf(parcel)).toEqual({ state: "delivered", motive: null });
	const [kept] =
		await database.sql`select state, acknowledgement from buyer_papers where doc_id = ${parcel.docId} and kind = 'result'`;
	expect(kept?.state).toBe(0);
	expect(Buffer.from(kept?.acknowledgement).toString()).toMatch(/<ARECF>.*<eNCF>E31\d{10}<\/eNCF>.*<\/ARECF>$/s);
	expect(await eventsOf(parcel)).toMatchObject([
		{ event: "invoice.delivered", encf, status: "accepted", delivery: { state: "delivered", buyerRnc: BUYER } },
	]);
});

test("a buyer outside the directory gets nothing, without automatic retries", async () => {
	listing = { kind: "not-listed" };
	const parcel = await addParcel(database.sql, tenantId, "44");
	expect(await carryOut(database.sql, open(), parcel)).toEqual({ kind: "settled", outcome: { kind: "done" } });
	expect(await stateOf(parcel)).toEqual({ state: "not-listed", motive: null });
	expect(await database.sql`select 1 from outbox where subject = ${parcel.docId}`).toHaveLength(0);
	expect(await eventsOf(parcel)).toEqual([]);
	expect(peer.files).toEqual([]);
});

test("a buyer that refuses it is believed, with its motive", async () => {
	peer.manner = "another-buyer";
	const parcel = await addParcel(database.sql, tenantId);
	expect(await carryOut(database.sql, open(), parcel)).toEqual({ kind: "done" });
	expect(await stateOf(parcel)).toEqual({ state: "refused", motive: 4 });
	expect(await eventsOf(parcel)).toMatchObject([
		{ event: "invoice.undelivered", delivery: { state: "refused", motive: 4, buyerRnc: BUYER } },
	]);
});

const doubtful: Manner[] = [
	...(["rubbish", "huge", "silent", "redirect", "broken", "unsigned", "forged", "another-document"] as const),
];
test.each(doubtful)(
	"after an answer that is %s, a later 'duplicate' counts as delivered",
	async (manner) => {
		peer.manner = manner;
		const parcel = await addParcel(database.sql, tenantId);
		const handler = open({ totalTimeoutMs: manner === "silent" ? 300 : 30_000 });
		expect(await carryOut(database.sql, handler, parcel)).toMatchObject({ kind: "retry" });
		expect(await stateOf(parcel)).toEqual({ state: "pending", motive: null });
		expect(await resultsOf(parcel)).toEqual(["unknown"]);
		peer.manner = "duplicate";
		expect(await carryOut(database.sql, open(), parcel)).toEqual({ kind: "done" });
		expect(await resultsOf(parcel)).toEqual(["unknown", "delivered"]);
		expect(await stateOf(parcel)).toEqual({ state: "delivered", motive: null });
		expect(new Set(peer.files.map(({ file }) => file)).size).toBe(1);
		expect(peer.led).toBe(0);
	},
	TIMEOUT_MS,
);

test("without an earlier sending, 'duplicate' is a refusal", async () => {
	for (const url of [
		`http://${deadHost}/`,
		"http://127.0.0.1:1/",
		"https://10.0.0.1/",
		"http://user:word@127.0.0.1/",
		"ftp://a.example/",
		"x",
	]) {
		await database.sql`delete from receiver_directory`;
		listing = listed(url);
		const parcel = await addParcel(database.sql, tenantId);
		expect(await carryOut(database.sql, open(), parcel)).toMatchObject({ kind: "retry" });
		expect(await resultsOf(parcel)).toEqual(["not-sent"]);
		listing = listed(peer.url);
		await database.sql`delete from receiver_directory`;
		peer.manner = "duplicate";
		await carryOut(database.sql, open(), parcel);
		expect(await stateOf(parcel)).toEqual({ state: "refused", motive: 3 });
	}
}, 120_000);

test("a crash between answer and record sends the same bytes again", async () => {
	const parcel = await addParcel(database.sql, tenantId);
	const dying = open({ lost: true });
	await expect(carryOut(database.sql, dying, parcel)).rejects.toThrow("the process died here");
	await claim(database.sql, parcel);
	expect(await resultsOf(parcel)).toEqual([null]);
	peer.manner = "duplicate";
	expect(await carryOut(database.sql, open(), parcel)).toEqual({ kind: "done" });
	expect(await stateOf(parcel)).toEqual({ state: "delivered", motive: null });
	expect(peer.files).toHaveLength(2);
	expect(new Set(peer.files.map(({ file }) => file)).size).toBe(1);
	expect((await eventsOf(parcel)).map(({ event }) => event)).toEqual(["invoice.delivered"]);
});

test("a holder that has lost its message writes nothing of what it got", async () => {
	const parcel = await addParcel(database.sql, tenantId);
	const message = await claim(database.sql, parcel);
	await letGo(database.sql, message);
	await expect(open()(message)).rejects.toThrow("no longer held");
	await claim(database.sql, parcel);
	expect(await stateOf(parcel)).toBeUndefined();
	expect(peer.files).toEqual([]);
});

test("after 72 hours it is undelivered, with one event and a dead letter", async () => {
	peer.manner = "rubbish";
	const parcel = await addParcel(database.sql, tenantId);
	await carryOut(database.sql, open(), parcel);
	expect(await carryOut(database.sql, open(), parcel, 72 * 3_600)).toMatchObject({ kind: "dead" });
	expect(await stateOf(parcel)).toEqual({ state: "undelivered", motive: null });
	expect(await eventsOf(parcel)).toMatchObject([
		{ event: "invoice.undelivered", delivery: { state: "undelivered", buyerRnc: BUYER } },
	]);
});

test("a company without a certificate delays the delivery without an error", async () => {
	const own = await addCompany(database.sql);
	await database.sql`update signing_certificates set not_after = now() - interval '1 second' where tenant_id = ${own}`;
	const parcel = await addParcel(database.sql, own);
	// A handler that throws is an error in the log.
	const waiting = { kind: "retry", reason: "the company has no certificate to authenticate with" };
	expect(await carryOut(database.sql, open(), parcel)).toMatchObject(waiting);
	expect(await stateOf(parcel)).toBeUndefined();
	await database.sql`update signing_certificates set not_after = now() + interval '1 day' where tenant_id = ${own}`;
	expect(await carryOut(database.sql, open(), parcel)).toEqual({ kind: "done" });
	expect(await stateOf(parcel)).toEqual({ state: "delivered", motive: null });
});

test("a directory that is down keeps it waiting, and is not taken for an empty one", async () => {
	listing = { kind: "unavailable", reason: "authority-timeout", detail: "" };
	const parcel = await addParcel(database.sql, tenantId);
	expect(await carryOut(database.sql, open(), parcel)).toMatchObject({ kind: "retry" });
	expect(await stateOf(parcel)).toBeUndefined();
	expect(await carryOut(database.sql, open(), parcel, 72 * 3_600)).toMatchObject({ kind: "dead" });
	expect(await stateOf(parcel)).toEqual({ state: "undelivered", motive: null });
});

test("a receiver that is dead gets two attempts at a time, whatever waits for it", async () => {
	listing = listed(peer.url);
	peer.manner = "broken";
	const handler = open({ totalTimeoutMs: 3_000 });
	const kinds: string[] = [];
	// Five failures in a row open the breaker.
	for (let n = 0; n < 5; n++)
		kinds.push((await carryOut(database.sql, handler, await addParcel(database.sql, tenantId))).kind);
	expect(kinds).toEqual(Array(5).fill("retry"));
	peer.manner = "silent";
	const messages = [];
	for (let n = 0; n < 5; n++) messages.push(await claim(database.sql, await addParcel(database.sql, tenantId)));
	const outcomes = await Promise.all(messages.map((message) => handler(message)));
	expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["retry", "retry", "snooze", "snooze", "snooze"]);
}, 120_000);

test("what has arrived cannot be made undone, and an acknowledgement cannot be changed", async () => {
	const parcel = await addParcel(database.sql, tenantId);
	await carryOut(database.sql, open(), parcel);
	const { sql, owner } = database;
	const attempts = [
		() => sql`update buyer_deliveries set state = 'pending' where doc_id = ${parcel.docId}`,
		() => owner`update buyer_papers set acknowledgement = 'x' where doc_id = ${parcel.docId}`,
		() => owner`delete from buyer_papers where doc_id = ${parcel.docId}`,
	];
	for (const attempt of attempts)
		expect(
			await attempt().then(
				() => "changed",
				() => "refused",
			),
		).toBe("refused");
});
