/** Sends deliveries again after the cause of their failure was fixed. */
import { type Doer, operatorActor, recordAudit } from "../../identity/audit-log";
import type { Sql, Tx } from "../../platform/database";
import { append, OUTBOX_KINDS, reviveMessages } from "../../platform/outbox";
import { msg, Problem } from "../../platform/problem";
import { wantsEvent } from "../catalogue";
import { getEndpoint, listEndpoints, type WebhookEndpoint } from "../endpoints";

import {
	type DeadLetter,
	type Delivery,
	findDeliveries,
	findTargets,
	findTenantOf,
	isMoreDead,
	listDeadLetters,
	lockDeadLetters,
	lockDelivery,
	reopenDeliveries,
} from "./store";

const PAGE = 500;

/**
 * For operators: makes one dead letter, or all, pending again under the same delivery id, with a new schedule. Returns how many. A letter
 * without an enabled endpoint stays dead.
 */
export async function redispatch(
	sql: Sql,
	which: string | "all",
	doer: Doer = { actor: operatorActor(), at: new Date() },
): Promise<number> {
	if (which !== "all") return redispatchNamed(sql, [which], doer);
	let count = 0;
	let after: string | undefined;
	for (;;) {
		const page = await listDeadLetters(sql, { limit: PAGE, ...(after === undefined ? {} : { after }) });
		count += await redispatchLetters(sql, page, doer);
		after = page[page.length - 1]?.deliveryId;
		if (page.length < PAGE) return count;
	}
}

/** The same for letters by their ids; ids that name none are passed over. */
export async function redispatchNamed(sql: Sql, ids: readonly string[], doer: Doer): Promise<number> {
	const letters: Pick<DeadLetter, "tenantId" | "deliveryId">[] = [];
	for (const deliveryId of ids) {
		const tenantId = await findTenantOf(sql, deliveryId);
		if (tenantId !== undefined) letters.push({ tenantId, deliveryId });
	}
	return redispatchLetters(sql, letters, doer);
}

export async function redispatchLetters(
	sql: Sql,
	letters: readonly Pick<DeadLetter, "tenantId" | "deliveryId">[],
	doer: Doer,
): Promise<number> {
	let count = 0;
	for (const { tenantId, deliveryId: id } of letters) {
		const isSent = await sql.begin(async (tx) => {
			const letter = await lockDelivery(tx, { tenantId, id });
			return letter?.status === "dead" && (await send(tx, letter, doer, "delivery.redispatch"));
		});
		if (isSent) count++;
	}
	return count;
}

/**
 * For tenants: sends a delivery again under its id, whether it is dead or was delivered and then lost by the receiver. A delivery that is
 * under way stays as it is. Throws: not-found; webhook-not-configured if no enabled endpoint is left for it.
 */
export async function redeliver(tx: Tx, tenantId: string, id: string, doer: Doer): Promise<void> {
	const delivery = await lockDelivery(tx, { tenantId, id });
	if (!delivery) {
		const [pending] = await findDeliveries(tx, [{ tenantId, id }]);
		if (!pending) throw new Problem("not-found");
		return;
	}
	if (delivery.status === "pending" || delivery.status === "failed") return;
	if (await send(tx, delivery, doer, "delivery.redeliver")) return;
	throw new Problem("webhook-not-configured", {
		detail: msg`The delivery's webhook was removed or disabled, and no other webhook wants the event.`,
	});
}

/** How many letters of an endpoint have been queued again, and the last one of them. */
export type Recovery = { readonly queued: number; readonly after: string | undefined };

/**
 * Queues all letters of an enabled endpoint that died since a time, except the last page. `since` is compared with the death, so letters whose
 * event is older are included. Each page has a transaction of its own and one audit entry with its count. The last page is for the caller's
 * transaction, which also stores the answer.
 */
export async function recoverFirstPages(
	sql: Sql,
	endpoint: WebhookEndpoint,
	since: Date,
	doer: Doer,
): Promise<Recovery> {
	let progress: Recovery = { queued: 0, after: undefined };
	while (await isMoreDead(sql, endpoint, since, PAGE, progress.after)) {
		progress = await sql.begin((tx) => recoverPage(tx, endpoint, since, doer, progress));
	}
	return progress;
}

/** Queues the next page. A letter that died again in the meantime is not taken twice. */
export async function recoverPage(
	tx: Tx,
	endpoint: WebhookEndpoint,
	since: Date,
	doer: Doer,
	{ queued, after }: Recovery,
): Promise<Recovery> {
	const { id: subject, tenantId } = endpoint;
	const page = await lockDeadLetters(tx, endpoint, since, PAGE, after);
	await reopen(tx, tenantId, subject, page, "hand");
	if (page.length > 0) {
		const details = { since: since.toISOString(), queued: page.length };
		await recordAudit(tx, { ...doer, action: "webhook.recover", subject, tenantId, details });
	}
	return { queued: queued + page.length, after: page.at(-1) ?? after };
}

/** False if there is no endpoint that it could go to. */
async function send(tx: Tx, delivery: Target, doer: Doer, action: string): Promise<boolean> {
	const found = await findTarget(tx, delivery);
	if (!found) return false;
	const { id: subject, tenantId } = delivery;
	const { endpointId, event } = found;
	await reopen(tx, tenantId, endpointId, [subject], "hand");
	await recordAudit(tx, { ...doer, action, subject, tenantId, details: { webhookId: endpointId, event } });
	return true;
}

/** Queues locked deliveries again, to an endpoint and in this order, each with a new schedule. */
export async function reopen(
	tx: Tx,
	tenantId: string,
	endpointId: string,
	ids: readonly string[],
	by: "hand" | "probe",
): Promise<void> {
	await reopenDeliveries(tx, tenantId, ids, endpointId, by);
	// Deliveries that arrived have no message to revive, nor has one whose holder wrote it dead and has not settled its message.
	const revived = new Set(await reviveMessages(tx, OUTBOX_KINDS.deliverWebhook, tenantId, ids));
	const rest = ids.filter((id) => !revived.has(id));
	await append(tx, ...rest.map((id) => ({ kind: OUTBOX_KINDS.deliverWebhook, tenantId, subject: id })));
}

type Target = Pick<Delivery, "id" | "tenantId" | "endpointId" | "sequence">;

/**
 * Gap: a tenant who corrects a URL by replacing the webhook gets a new endpoint. A letter whose own endpoint is gone or disabled goes to the
 * newest endpoint that wants the event and has no delivery of it.
 */
async function findTarget(tx: Tx, delivery: Target): Promise<{ endpointId: string; event: string } | undefined> {
	const { tenantId } = delivery;
	const targets = await findTargets(tx, delivery);
	if (!targets) return undefined;
	const { event } = targets;
	const own = await getEndpoint(tx, { tenantId, id: delivery.endpointId });
	if (own?.status === "enabled") return { endpointId: own.id, event };
	const reached = new Set(targets.endpointIds);
	const newest = (await listEndpoints(tx, tenantId))
		.filter((e) => e.status === "enabled" && wantsEvent(e.events, event) && !reached.has(e.id))
		.map((e) => e.id)
		.sort()
		.at(-1);
	return newest === undefined ? undefined : { endpointId: newest, event };
}
