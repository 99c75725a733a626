/** Writes events with their deliveries in the transaction of the facts that they tell. */
import type { Tx } from "../../platform/database";
import { appendFor, type Handover, type NewMessage } from "../../platform/outbox";
import { newId } from "../../platform/values";
import { findSubscriptions } from "../endpoints";
import { insertEvents, type NewDelivery, takeSequences } from "../webhooks/store";
import { type NewEvent, toEventBody, wantsEvent } from "./event";
import { isMuted } from "./muted";

/** The outbox message that carries one delivery out; its subject is the delivery. */
export const DELIVER_KIND = "webhook.deliver";

export async function enqueueEvent(tx: Tx, event: NewEvent): Promise<{ sequence: number }> {
	const [sequence] = await enqueueEvents(tx, [event]);
	if (sequence === undefined) throw new Error(`an event of tenant ${event.tenantId} got no number`);
	return { sequence };
}

/**
 * Writes events, a delivery of each for every enabled endpoint that wants it, their messages, and other messages of the same
 * transaction, which a dispatcher may go on with itself (`handover`). Answers the events' numbers. Call it late in the transaction: from here on other events of these tenants wait for its end.
 */
export async function enqueueEvents(
	tx: Tx,
	events: readonly NewEvent[],
	messages: readonly NewMessage[] = [],
	handover?: Handover,
): Promise<number[]> {
	const tenantIds = [...new Set(events.map((event) => event.tenantId))];
	const [subscriptions, numbers] = await Promise.all([
		findSubscriptions(tx, tenantIds),
		takeSequences(tx, countByTenant(events)),
	]);
	const rows = events.map((event) => {
		const sequence = numbers.get(event.tenantId)?.shift();
		if (sequence === undefined) throw new Error(`an event of tenant ${event.tenantId} got no number`);
		const { tenantId, docId, docVersion = null, occurredAt } = event;
		const body = toEventBody(event, sequence);
		// By its id it is forgotten one day.
		return { id: newId(occurredAt), tenantId, sequence, event: event.event, docId, docVersion, body, occurredAt };
	});
	const deliveries = rows.flatMap((row): NewDelivery[] =>
		subscriptions
			.filter((one) => one.tenantId === row.tenantId && wantsEvent(one.events, row.event) && !isMuted(one))
			.map((one) => ({ id: newId(row.occurredAt), endpointId: one.id, event: row })),
	);
	const toDeliver = deliveries.map(({ id, event }) => ({ kind: DELIVER_KIND, tenantId: event.tenantId, subject: id }));
	await Promise.all([insertEvents(tx, rows, deliveries), appendFor(tx, [...toDeliver, ...messages], handover)]);
	return rows.map((row) => row.sequence);
}

function countByTenant(events: readonly NewEvent[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { tenantId } of events) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
	return counts;
}
