/**
 * Handler of `buyer.deliver`: hands one accepted document to its buyer, if the authority's directory lists that one as a receiver.
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
 * Model: the bytes are those that the authority got. An attempt is stored before the first byte is written. "Duplicate" after an attempt whose
 * answer did not come, or was none, is the echo of that one: delivered. What is believed is a verified acknowledgement, whatever the status it
 * comes with; all else leaves open whether the document arrived.
 *
 * Trust: the addresses are strangers', and are called by the rules of `egress`. A receiver that fails or is slow gets two attempts at a time, and
 * the others wait outside without a slot, by the same breaker as webhooks, one for each host.
 */

import type { Listing } from "../../authority/client";
import { createBreaker } from "../../events/webhooks";
import { createBatcher } from "../../platform/concurrency";
import { createWriteBatcher } from "../../platform/database";
import { done, type Handled, type Handler, type Message, settled, snooze } from "../../platform/outbox";
import {
	attempt,
	type BuyerDeliveryDeps,
	findSender,
	giveUp,
	isOver,
	later,
	NoSenderError,
	segmentOf,
	type Work,
} from "./attempt";
import { buyerOf } from "./parcel";
import { hostOf } from "./peer-client";
import { type Addressed, findParcels, writeNotListed } from "./store";

/** Nobody waits for these: while many come, they come together. */
const READS = { itemsMax: 200, runsMax: 1, spacingMs: 25 };
const WRITES = { itemsMax: 100, runsMax: 1, spacingMs: 25 };

export function createDeliverToBuyer(deps: BuyerDeliveryDeps): Handler {
	const findParcel = createBatcher((docIds: readonly string[]) => findParcels(deps.sql, docIds), READS);
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
				deps.log.warn({ host }, "a receiver fails and gets few documents at once");
		}
	}

	const pause = (host: string) => snooze(breaker.pauseMs(host, performance.now()) / 1_000);

	return async (message) => {
		const row = await findParcel(message.subject);
		const buyerRnc = row && buyerOf(row.type, row.customerRnc);
		if (row?.status !== "accepted" || row.testSetId !== null || buyerRnc === undefined) return done;
		// A holder that died between its last write and the end of the message.
		if (row.state !== null && row.state !== "pending") return done;
		const work = { deps, message, parcel: { ...row, buyerRnc } };
		try {
			return await handOver(work);
		} catch (error) {
			if (error instanceof NoSenderError) return later(work, error.message);
			if (!isOver(message)) throw error;
			return giveUp(work, error instanceof Error ? error.message : String(error));
		}
	};
}

function findReceiver(work: Work): Promise<Listing> {
	const { buyerRnc: rnc, state } = work.parcel;
	const who = () => findSender(work);
	return work.deps.directory.findReceiver({ segment: segmentOf(work.parcel), rnc, who, isAgain: state !== null });
}
