/** The oracle of the crash harness finds nothing in a sound run, and every kind of loss. */
import { expect, test } from "bun:test";
import type { Acknowledged } from "../../scripts/harness/client";
import { type Facts, judge } from "../../scripts/harness/oracle";
import type { ReceivedWebhook } from "../support/ledger-receiver";

const ecf: Acknowledged = {
	at: "2026-11-20T14:20:00.118Z",
	docId: "doc-1",
	tenantId: "tenant-1",
	rnc: "990000001",
	encf: "E310000000001",
	key: "key-1",
	body: "{}",
	status: 202,
	answerSha256: "answer-1",
	tries: 1,
};
const summary: Acknowledged = { ...ecf, docId: "doc-2", encf: "E320000000002", key: "key-2", answerSha256: "answer-2" };
const webhook: ReceivedWebhook = {
	at: "2026-11-20T14:20:01.000Z",
	deliveryId: "delivery-1",
	event: "invoice.accepted",
	docId: "doc-1",
	attempt: "1",
	verified: true,
	answered: 204,
};
const stored = { rnc: "990000001", status: "accepted", summarySha256: null, intents: 1, unasked: 0 };
const received = { rnc: "990000001", refusal: null };

const sound: Facts = {
	acknowledged: [ecf, summary],
	documents: [
		{ ...stored, docId: "doc-1", encf: "E310000000001", ecfSha256: "ecf-1" },
		{ ...stored, docId: "doc-2", encf: "E320000000002", ecfSha256: "ecf-2", summarySha256: "summary-2" },
	],
	receptions: [
		{ ...received, encf: "E310000000001", sha256: "ecf-1" },
		{ ...received, encf: "E320000000002", sha256: "summary-2" },
	],
	archived: [
		{ docId: "doc-1", entries: { "ecf.xml": "ecf-1" } },
		{ docId: "doc-2", entries: { "ecf.xml": "ecf-2", "summary.xml": "summary-2" } },
	],
	webhooks: [webhook, webhook, { ...webhook, docId: "doc-2", deliveryId: "delivery-2" }],
	replays: [
		{ docId: "doc-1", status: 200, answerSha256: "answer-1" },
		{ docId: "doc-2", status: 200, answerSha256: "answer-2" },
	],
};

test("a sound run has no violation, a webhook that came twice included", () => {
	expect(judge(sound).violations).toEqual([]);
	expect(judge(sound).counts).toMatchObject({ acknowledged: 2, "rows stored": 2, receptions: 2 });
});

const [document, other] = sound.documents;
const [reception, otherReception] = sound.receptions;
if (!document || !other || !reception || !otherReception) throw new Error("the sound run has two of each");

const losses: readonly (readonly [kind: string, facts: Facts])[] = [
	["lost documents", { ...sound, documents: [other] }],
	["lost documents", { ...sound, documents: [document, { ...document, docId: "doc-3" }, other] }],
	["lost documents", { ...sound, receptions: [otherReception] }],
	["documents not accepted", { ...sound, documents: [{ ...document, status: "pending" }, other] }],
	["duplicate receptions", { ...sound, receptions: [reception, reception, otherReception] }],
	["receptions of other bytes", { ...sound, receptions: [{ ...reception, sha256: "signed-again" }, otherReception] }],
	["orphan receptions", { ...sound, receptions: [...sound.receptions, { ...reception, encf: "E310000000009" }] }],
	["documents sent again unasked", { ...sound, documents: [{ ...document, intents: 2, unasked: 1 }, other] }],
	["archive faults", { ...sound, archived: sound.archived.slice(1) }],
	["archive faults", { ...sound, archived: [{ docId: "doc-1", entries: undefined }, ...sound.archived.slice(1)] }],
	["archive faults", { ...sound, archived: [...sound.archived, { docId: "doc-2", entries: { "ecf.xml": "ecf-2" } }] }],
	["webhooks unverified", { ...sound, webhooks: [...sound.webhooks, { ...webhook, verified: false, answered: 400 }] }],
	["documents without webhook", { ...sound, webhooks: sound.webhooks.slice(2) }],
	["documents without webhook", { ...sound, webhooks: sound.webhooks.map((w) => ({ ...w, answered: 500 })) }],
	[
		"events with several delivery ids",
		{ ...sound, webhooks: [...sound.webhooks, { ...webhook, deliveryId: "another" }] },
	],
	["replays that differ", { ...sound, replays: [{ docId: "doc-1", status: 200, answerSha256: "other bytes" }] }],
	["replays that differ", { ...sound, replays: [{ docId: "doc-1", status: 202, answerSha256: "answer-1" }] }],
	["rows never acknowledged", { ...sound, acknowledged: [ecf] }],
];

test.each(losses)("%s are seen", (kind, facts) => {
	const { counts, violations } = judge(facts);
	expect(counts[kind]).toBeGreaterThan(0);
	expect(violations.length).toBeGreaterThan(0);
});
