/** Sends deliveries again, once what kept them from arriving is put right. */
import { type Doer, operatorActor, recordAudit } from "../../identity/audit-log";
import type { Sql, Tx } from "../../platform/database";
import { append, reviveMessages } from "../../platform/outbox";
import { Problem } from "../../platform/problem";
import { DELIVER_KIND } from "../catalogue/enqueue";
import { wantsEvent } from "../catalogue/event";
import { getEndpoint, listEndpoints, type WebhookEndpoint } from "../endpoints";
import {
	type Delivery,
	findEndpointsTold,
	isMoreDead,
	listDeadLetters,
	lockDeadLetters,
	lockDelivery,
	reopenDeliveries,
} from "./store";

const PAGE = 500;

/**
 * The operator's: makes one dead letter, or all, pending again under the same delivery id, with a whole new schedule; answers how
 * many. One without an enabled endpoint stays dead.
 */
export async function redispatch(
	sql: Sql,
	which: string | "all",
	doer: Doer = { actor: operatorActor(), at: new Date() },
): Promise<number> {
	const reopen = (id: string) =>
		sql.begin(async (tx) => {
			const letter = await lockDelivery(tx, id);
			return letter?.status === "dead" && (await send(tx, letter, doer, "delivery.redispatch"));
		});
	if (which !== "all") return (await reopen(which)) ? 1 : 0;
	let count = 0;
	let after: string | undefined;
	for (;;) {
		const page = await listDeadLetters(sql, { limit: PAGE, ...(after === undefined ? {} : { after }) });
		for (const { deliveryId } of page) if (await reopen(deliveryId)) count++;
		after = page[page.length - 1]?.deliveryId;
		if (page.length < PAGE) return count;
	}
}

/**
 * The tenant's: sends one delivery again under its id, a dead letter or one that arrived and got lost behind the receiver's door. One
 * that is under way stays as it is. Throws: not-found, webhook-not-configured when no enabled endpoint is left for it.
 */
export async function redeliver(tx: Tx, tenantId: string, id: string, doer: Doer): Promise<void> {
	const delivery = await lockDelivery(tx, id);
	if (delivery?.tenantId !== tenantId) throw new Problem("not-found");
	if (delivery.status === "pending" || delivery.status === "failed") return;
	if (await send(tx, delivery, doer, "delivery.redeliver")) return;
	throw new Problem("webhook-not-configured", {
		detail: "The delivery's webhook is removed or disabled, and no other one wants the event.",
	});
}

/** How far the letters of an endpoint have been sent again. */
export type Recovery = { readonly queued: number; readonly after: string | undefined };

/**
 * Sends all letters of an enabled endpoint again that died since a time, when its receiver began to fail: those of events from shortly before it
 * too, whose schedule ran into it. All but the last page, each in a transaction of its own; that one is for the transaction that tells how many there
 * were. Each is audited with the number of its letters.
 */
export async function recoverFirstPages(
	sql: Sql,
	endpoint: WebhookEndpoint,
	since: Date,
	doer: Doer,
): Promise<Recovery> {
	let done: Recovery = { queued: 0, after: undefined };
	while (await isMoreDead(sql, endpoint.id, since, PAGE, done.after)) {
		done = await sql.begin((tx) => recoverPage(tx, endpoint, since, doer, done));
	}
	return done;
}

/** The next page of them; one that has died again meanwhile is not taken twice. */
export async function recoverPage(
	tx: Tx,
	{ id: subject, tenantId }: WebhookEndpoint,
	since: Date,
	doer: Doer,
	{ queued, after }: Recovery,
): Promise<Recovery> {
	const page = await lockDeadLetters(tx, subject, since, PAGE, after);
	await reopen(tx, tenantId, subject, page, "hand");
	if (page.length > 0) {
		const details = { since: since.toISOString(), queued: page.length };
		await recordAudit(tx, { ...doer, action: "webhook.recover", subject, tenantId, details });
	}
	return { queued: queued + page.length, after: page.at(-1) ?? after };
}

/** False when there is no endpoint that it could go to. */
async function send(tx: Tx, delivery: Target, doer: Doer, action: string): Promise<boolean> {
	const endpointId = await findTarget(tx, delivery);
	if (endpointId === undefined) return false;
	const { id: subject, tenantId, event } = delivery;
	await reopen(tx, tenantId, endpointId, [subject], "hand");
	await recordAudit(tx, { ...doer, action, subject, tenantId, details: { webhookId: endpointId, event } });
	return true;
}

/** Queues locked deliveries again, to an endpoint and in this order, each with a whole new schedule. */
export async function reopen(
	tx: Tx,
	tenantId: string,
	endpointId: string,
	ids: readonly string[],
	by: "hand" | "probe",
): Promise<void> {
	await reopenDeliveries(tx, ids, endpointId, by);
	// Not revived are those that arrived, and one whose holder has written it dead and not yet settled its message.
	const revived = new Set(await reviveMessages(tx, DELIVER_KIND, ids));
	const rest = ids.filter((id) => !revived.has(id));
	await append(tx, ...rest.map((id) => ({ kind: DELIVER_KIND, tenantId, subject: id })));
}

type Target = Pick<Delivery, "id" | "tenantId" | "endpointId" | "eventId" | "event">;

/**
 * Gap: a tenant who corrects a URL by replacing the webhook gets a new endpoint. A letter whose own is gone or disabled goes to
 * the newest one that wants the event and has not been told of it.
 */
async function findTarget(tx: Tx, delivery: Target): Promise<string | undefined> {
	const own = await getEndpoint(tx, delivery.endpointId);
	if (own?.status === "enabled") return own.id;
	const told = new Set(await findEndpointsTold(tx, delivery.eventId));
	const endpoints = await listEndpoints(tx, delivery.tenantId);
	return endpoints
		.filter((e) => e.status === "enabled" && wantsEvent(e.events, delivery.event) && !told.has(e.id))
		.map((e) => e.id)
		.sort()
		.at(-1);
}
