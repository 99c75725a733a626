/** Writes how an attempt ended, and how a delivery did: state, acknowledgement and event in one transaction. */
import { createHash } from "node:crypto";
import { enqueueEvent } from "../../events/webhooks";
import type { Tx } from "../../platform/database";
import { dead, done, type Handled, retry } from "../../platform/outbox";
import type { Judged } from "./judge-answer";
import { closeAttempt, endDelivery, insertAcknowledgement } from "./store";
import { isOver, pauseSeconds, type Work, write } from "./work";

/** Writes what came of an attempt, with the end of the delivery and its event where it is one. */
export async function conclude(work: Work, n: number, judged: Judged): Promise<Handled> {
	const { deps, message, parcel } = work;
	const { acknowledgement, end } = judged;
	const state = end.result === "delivered" || end.result === "refused" ? end.result : undefined;
	const isLast = state !== undefined || isOver(message);
	await write(work, async (tx) => {
		await closeAttempt(tx, parcel.docId, n, end);
		if (acknowledgement) {
			const { bytes, isReceived, motive = null, signer } = acknowledgement;
			const sha256 = createHash("sha256").update(bytes).digest();
			const { docId, tenantId } = parcel;
			await insertAcknowledgement(tx, { docId, n, tenantId, isReceived, motive, bytes, sha256, signer });
		}
		if (!isLast) return;
		const motive = state === "refused" ? (acknowledgement?.motive ?? null) : null;
		await finish(tx, work, { state: state ?? "undelivered", motive, detail: end.detail });
	});
	if (isLast) deps.wake();
	if (state !== undefined) return done;
	const reason = end.detail ?? end.result;
	return isLast ? dead(reason) : retry(pauseSeconds(message.failures), reason);
}

/** What cannot be tried now: later, or never once its time is over. */
export function later(work: Work, reason: string): Handled | Promise<Handled> {
	if (isOver(work.message)) return giveUp(work, reason);
	return retry(pauseSeconds(work.message.failures), reason);
}

export async function giveUp(work: Work, reason: string): Promise<Handled> {
	await write(work, (tx) => finish(tx, work, { state: "undelivered", motive: null, detail: reason }));
	work.deps.wake();
	return dead(reason);
}

/** The delivery's end, and the event of it. */
async function finish(
	tx: Tx,
	{ deps, parcel }: Work,
	end: {
		readonly state: "delivered" | "refused" | "undelivered";
		readonly motive: number | null;
		readonly detail: string | null;
	},
): Promise<void> {
	if (!(await endDelivery(tx, parcel, end))) return;
	const { tenantId, docId, trackId, version, encf, clientRequestId, buyerRnc } = parcel;
	const { state, motive } = end;
	await enqueueEvent(tx, {
		event: state === "delivered" ? "invoice.delivered" : "invoice.undelivered",
		...{ tenantId, docId, trackId, encf, clientRequestId, docVersion: version, status: "accepted" },
		occurredAt: deps.clock.now(),
		delivery: { state, buyerRnc, ...(motive === null ? {} : { motive }) },
	});
}
