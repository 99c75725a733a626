/**
 * Handler of `buyer.deliver`: delivers one accepted document to its buyer, if the authority's directory lists the buyer as a receiver.
 *
 *   verdict ──▶ (nothing stored) ──not listed──▶ not-listed ──┐
 *                     │                                       │ retry, by the tenant
 *                  listed                                     ▼
 *                     └─────▶ pending ◀───────────────────────┤
 *                              │ ▲ └─ no answer that counts: the same bytes again, 15 s to 1 h apart
 *                              │ └────────────┘               │
 *                              ├──received────▶ delivered     │
 *                              ├──not received▶ refused ──────┤
 *                              └──72 hours────▶ undelivered ──┘
 *
 * Model: the bytes are those that the authority received. An attempt is stored before the first byte is sent. "Duplicate" after an attempt without a
 * clear answer means that this attempt arrived: delivered. Only a verified acknowledgement counts, with any HTTP status. Everything else leaves open
 * whether the document arrived.
 *
 * Trust: counterparties declare the addresses, so calls follow the rules of `egress`. A failing or slow receiver gets two attempts at a time; other
 * documents for it wait without a slot. The circuit breaker is that of webhooks, one per host.
 */

import type { Listing } from "../../authority/client";
import { createBreaker } from "../../events/webhooks";
import { createBatcher } from "../../platform/concurrency";
import { createWriteBatcher, type Sql, type Tx } from "../../platform/database";
import {
	done,
	type Handled,
	type Handler,
	type LoggedKey,
	type Message,
	type NewMessage,
	OUTBOX_KINDS,
	settled,
	snooze,
} from "../../platform/outbox";
import {
	attempt,
	type BuyerDeliveryDeps,
	findSender,
	giveUp,
	isOver,
	later,
	NoSenderError,
	type Parcel,
	type Work,
} from "./attempt";
import { buyerOf } from "./parcel";
import { hostOf } from "./peer-client";
import { type Addressed, findParcels, type ParcelRow, writeNotListed } from "./store";

/** No caller waits for these, so they are batched generously. */
const READS = { itemsMax: 200, runsMax: 1, spacingMs: 25 };
const WRITES = { itemsMax: 100, runsMax: 1, spacingMs: 25 };

export function createDeliverToBuyer(deps: BuyerDeliveryDeps): Handler {
	const findParcel = createBatcher(
		(keys: readonly Pick<ParcelRow, "tenantId" | "docId">[]) => findParcels(deps.sql, keys),
		READS,
	);
	const endUnlisted = createWriteBatcher(
		(all: readonly { message: Message; to: Addressed }[]) => writeNotListed(deps.sql, all),
		({ to }) => to.docId,
		WRITES,
	);
	const breaker = createBreaker();

	async function handOver(work: Work): Promise<Handled> {
		const { message, parcel } = work;
		const listing = await findReceiver(work);
		if (listing.kind === "unavailable") return later(work, `directory: ${listing.reason}`);
		if (listing.kind === "not-listed") {
			await endUnlisted({ message, to: parcel });
			return settled(done);
		}
		const host = hostOf(listing.receiver.receptionUrl);
		const seat = breaker.enter(host, false, performance.now());
		if (!seat) return isOver(message) ? giveUp(work, "the receiver does not answer") : pause(host);
		let isAnswered: boolean | undefined;
		try {
			return await attempt(work, listing.receiver, host, (answered) => {
				isAnswered = answered;
			});
		} finally {
			if (seat.leave(isAnswered, performance.now()) === "opened")
				deps.log.warn({ event: "receiver.circuit_opened", host }, "receiver fails; sending it few documents at a time");
		}
	}

	const pause = (host: string) => snooze(breaker.pauseMs(host, performance.now()) / 1_000);

	return async (message) => {
		const parcel = toUndelivered(await findParcel({ tenantId: message.tenantId, docId: message.subject }));
		// A previous holder may have died between its last write and the end of the message.
		if (!parcel) return done;
		const work = { deps, message, parcel };
		try {
			return await handOver(work);
		} catch (error) {
			if (error instanceof NoSenderError) return later(work, error.message);
			if (!isOver(message)) throw error;
			return giveUp(work, error instanceof Error ? error.message : String(error));
		}
	};
}

/** The messages of those documents that are still to be delivered. */
export async function findUndelivered(sql: Sql | Tx, documents: readonly LoggedKey[]): Promise<NewMessage[]> {
	const parcels = await findParcels(sql, documents);
	return parcels.flatMap((row) => {
		const parcel = toUndelivered(row);
		return parcel ? [{ kind: OUTBOX_KINDS.deliverToBuyer, tenantId: parcel.tenantId, subject: parcel.docId }] : [];
	});
}

/** Undefined for a document that has no buyer to deliver to, or whose delivery has ended. */
function toUndelivered(row: ParcelRow | undefined): Parcel | undefined {
	const buyerRnc = row && buyerOf(row.type, row.customerRnc);
	if (!row || row.version === null || row.testSetId !== null || buyerRnc === undefined) return undefined;
	if (row.state !== null && row.state !== "pending") return undefined;
	return { ...row, version: row.version, buyerRnc };
}

function findReceiver(work: Work): Promise<Listing> {
	const { buyerRnc: rnc, state } = work.parcel;
	const who = () => findSender(work);
	return work.deps.directory.findReceiver({ segment: work.parcel.segment, rnc, who, isAgain: state !== null });
}
