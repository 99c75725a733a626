/**
 * Compares what outside parties have recorded with what the service has stored.
 *
 *   client's ledger ──▶ every acknowledged document: one row, decided, archived, announced, received once with the signed bytes
 *   authority's ledger ──▶ every reception: a row
 *   rows ──▶ every row: acknowledged to the client, which repeats until it is
 *
 * Pure: facts in, counts and violations out, so that a test can show that each kind of violation is found.
 */

import type { ReceivedWebhook } from "../../test/support/ledger-receiver";
import type { Acknowledged } from "./client";

/** A document as stored by the service. Digests are hexadecimal SHA-256. */
export type StoredDocument = {
	readonly docId: string;
	readonly rnc: string;
	readonly encf: string;
	readonly status: string;
	readonly ecfSha256: string;
	/** Of the summary that is sent instead, for small consumer invoices. */
	readonly summarySha256: string | null;
	/** Number of started submissions. */
	readonly intents: number;
	/** Submissions that were started while an earlier one might have arrived, for all that was known. */
	readonly unasked: number;
};

export type Reception = {
	readonly rnc: string | null;
	readonly encf: string | null;
	readonly sha256: string;
	readonly refusal: string | null;
	/** The authority's messages about it. */
	readonly messages?: readonly { readonly code: string }[];
	/** Until `readableAt`, queries answer that it does not exist. Units: epoch milliseconds. */
	readonly receivedAt?: number;
	readonly readableAt?: number;
};

/** Entries of an archived object: name → digest; undefined if the object cannot be read. */
export type ArchivedObject = { readonly docId: string; readonly entries: Readonly<Record<string, string>> | undefined };

export type Replay = {
	readonly docId: string;
	readonly status: number | undefined;
	readonly answerSha256: string | undefined;
};

export type Facts = {
	readonly acknowledged: readonly Acknowledged[];
	readonly documents: readonly StoredDocument[];
	readonly receptions: readonly Reception[];
	readonly archived: readonly ArchivedObject[];
	readonly webhooks: readonly ReceivedWebhook[];
	readonly replays: readonly Replay[];
};

export type Judgement = { readonly counts: Readonly<Record<string, number>>; readonly violations: readonly string[] };

export function judge(facts: Facts): Judgement {
	const violations: string[] = [];
	const counts = {
		acknowledged: facts.acknowledged.length,
		"acknowledged only by a repeat": facts.acknowledged.filter((a) => a.tries > 1).length,
		"rows stored": facts.documents.length,
		"lost documents": 0,
		"documents not accepted": 0,
		receptions: facts.receptions.length,
		"duplicate receptions": 0,
		"receptions of other bytes": 0,
		"orphan receptions": 0,
		"documents sent more than once": facts.documents.filter((d) => d.intents > 1).length,
		"documents sent again unasked": 0,
		"archived objects": facts.archived.length,
		"archive faults": 0,
		"webhook requests": facts.webhooks.length,
		"webhooks unverified": 0,
		"documents without webhook": 0,
		"events with several delivery ids": 0,
		"replays compared": facts.replays.length,
		"replays that differ": 0,
		"rows never acknowledged": 0,
	};
	const violate = (count: keyof typeof counts, sentence: string) => {
		counts[count]++;
		violations.push(`${count}: ${sentence}`);
	};

	const byDocId = groupBy(facts.documents, (d) => d.docId);
	const byNumber = groupBy(facts.documents, numberOf);
	const receptions = groupBy(facts.receptions, numberOf);
	const archived = groupBy(facts.archived, (a) => a.docId);
	const delivered = groupBy(
		facts.webhooks.filter((w) => w.verified && w.answered < 300),
		(w) => w.docId,
	);
	const replays = groupBy(facts.replays, (r) => r.docId);
	const acknowledged = groupBy(facts.acknowledged, (a) => a.docId);

	for (const ack of facts.acknowledged) {
		const name = `${ack.encf} of ${ack.rnc} (${ack.docId})`;
		const [document] = byDocId.get(ack.docId) ?? [];
		if (!document || (byDocId.get(ack.docId) ?? []).length !== 1 || (byNumber.get(numberOf(ack)) ?? []).length !== 1) {
			violate("lost documents", `${name} has ${(byNumber.get(numberOf(ack)) ?? []).length} rows, expected 1`);
			continue;
		}
		if (document.status !== "accepted") violate("documents not accepted", `${name} is ${document.status}`);
		const received = receptions.get(numberOf(ack)) ?? [];
		if (received.length > 1) violate("duplicate receptions", `${name} was received ${received.length} times`);
		if (received.length === 0) violate("lost documents", `${name} was never received by the authority`);
		const signed = document.summarySha256 ?? document.ecfSha256;
		for (const one of received)
			if (one.sha256 !== signed)
				violate("receptions of other bytes", `${name}: signed ${signed}, received ${one.sha256}`);

		const entries = archived.get(ack.docId)?.map((object) => object.entries) ?? [];
		if (entries.length === 0) violate("archive faults", `${name} is not archived`);
		for (const held of entries)
			if (held?.["ecf.xml"] !== document.ecfSha256 || (held?.["summary.xml"] ?? null) !== document.summarySha256)
				violate("archive faults", `${name}: ${held ? "the object holds other bytes" : "the object cannot be read"}`);

		const events = delivered.get(ack.docId) ?? [];
		if (!events.some((w) => w.event === "invoice.accepted")) violate("documents without webhook", name);
		for (const [event, deliveries] of groupBy(events, (w) => w.event)) {
			const ids = new Set(deliveries.map((w) => w.deliveryId));
			if (ids.size > 1) violate("events with several delivery ids", `${name}, ${event}: ${[...ids].join(", ")}`);
		}
		for (const replay of replays.get(ack.docId) ?? [])
			if (replay.status !== 200 || replay.answerSha256 !== ack.answerSha256)
				violate(
					"replays that differ",
					`${name}: status ${replay.status ?? "none"}, body ${replay.answerSha256 ?? "none"}`,
				);
	}
	for (const { unasked, encf, rnc, docId } of facts.documents)
		if (unasked > 0) violate("documents sent again unasked", `${encf} of ${rnc} (${docId})`);
	for (const one of facts.webhooks)
		if (!one.verified) violate("webhooks unverified", `delivery ${one.deliveryId}, event ${one.event}`);
	for (const one of facts.receptions)
		if (!byNumber.has(numberOf(one)))
			violate("orphan receptions", `${one.encf ?? "?"} of ${one.rnc ?? "?"} (${one.refusal ?? one.sha256})`);
	for (const one of facts.documents)
		if (!acknowledged.has(one.docId)) violate("rows never acknowledged", `${one.encf} of ${one.rnc} (${one.docId})`);
	return { counts, violations };
}

function numberOf(of: { readonly rnc: string | null; readonly encf: string | null }): string {
	return `${of.rnc} ${of.encf}`;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const item of items) {
		const group = groups.get(keyOf(item));
		if (group) group.push(item);
		else groups.set(keyOf(item), [item]);
	}
	return groups;
}
