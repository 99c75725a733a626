/** Writes an event with its deliveries in the transaction of the fact that it tells. */
import { findCompany, listEndpoints, type WebhookEndpoint } from "../companies";
import type { Tx } from "../database";
import { append } from "../outbox";
import { newId } from "../values";
import { type NewEvent, toEventBody, wantsEvent } from "./event";
import { isMuted } from "./muted";
import { insertDeliveries, insertEvent, takeSequence } from "./store";

/** The outbox message that carries one delivery out; its subject is the delivery. */
export const DELIVER_KIND = "webhook.deliver";

/**
 * Writes an event, a delivery for each enabled endpoint that wants it, and their messages. Call it late in the transaction:
 * from here on other events of the tenant wait for its end.
 */
export async function enqueueEvent(tx: Tx, event: NewEvent): Promise<{ sequence: number }> {
	const endpoints = await findSubscribers(tx, event);
	const sequence = await takeSequence(tx, event.tenantId);
	const row = {
		id: newId(),
		tenantId: event.tenantId,
		sequence,
		event: event.event,
		docId: event.docId,
		docVersion: event.docVersion ?? null,
		body: toEventBody(event, sequence),
		occurredAt: event.occurredAt,
	};
	await insertEvent(tx, row);
	if (endpoints.length > 0) {
		const deliveries = endpoints.map((endpoint) => ({ id: newId(), endpointId: endpoint.id }));
		await insertDeliveries(tx, row, deliveries);
		await append(tx, ...deliveries.map(({ id }) => ({ kind: DELIVER_KIND, tenantId: event.tenantId, subject: id })));
	}
	return { sequence };
}

async function findSubscribers(tx: Tx, event: NewEvent): Promise<WebhookEndpoint[]> {
	const endpoints = await listEndpoints(tx, event.tenantId);
	const wanting = endpoints.filter((e) => e.status === "enabled" && wantsEvent(e.events, event.event));
	if (wanting.length === 0 || isMuted(await findCompany(tx, event.tenantId))) return [];
	return wanting;
}
