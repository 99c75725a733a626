/** Sends dead letters again, once what kept them from arriving is put right. */
import type { Sql, Tx } from "../database";
import { getEndpoint, listEndpoints } from "../endpoints";
import { append, reviveMessages } from "../outbox";
import { DELIVER_KIND } from "./enqueue";
import { wantsEvent } from "./event";
import { type Delivery, findEndpointsTold, listDeadLetters, lockDeadLetter, reopenDelivery } from "./store";

const PAGE = 500;

/**
 * Makes one dead letter, or all, pending again under the same delivery id, with a whole new schedule; answers how many. One
 * without an enabled endpoint stays dead.
 */
export async function redispatch(sql: Sql, which: string | "all"): Promise<number> {
	if (which !== "all") return (await reopen(sql, which)) ? 1 : 0;
	let count = 0;
	let after: string | undefined;
	for (;;) {
		const page = await listDeadLetters(sql, { limit: PAGE, ...(after === undefined ? {} : { after }) });
		for (const { deliveryId } of page) if (await reopen(sql, deliveryId)) count++;
		after = page[page.length - 1]?.deliveryId;
		if (page.length < PAGE) return count;
	}
}

async function reopen(sql: Sql, id: string): Promise<boolean> {
	return sql.begin(async (tx) => {
		const letter = await lockDeadLetter(tx, id);
		if (!letter) return false;
		const endpointId = await findTarget(tx, letter);
		if (endpointId === undefined) return false;
		await reopenDelivery(tx, id, endpointId);
		// None is revived when the holder has written the delivery dead and not yet settled its message.
		if ((await reviveMessages(tx, DELIVER_KIND, id)) === 0) {
			await append(tx, { kind: DELIVER_KIND, tenantId: letter.tenantId, subject: id });
		}
		return true;
	});
}

/**
 * Gap: a tenant who corrects a URL by replacing the webhook gets a new endpoint. A letter whose own is gone or disabled goes to
 * the newest one that wants the event and has not been told of it.
 */
async function findTarget(
	tx: Tx,
	letter: Pick<Delivery, "tenantId" | "endpointId" | "eventId" | "event">,
): Promise<string | undefined> {
	const own = await getEndpoint(tx, letter.endpointId);
	if (own?.status === "enabled") return own.id;
	const told = new Set(await findEndpointsTold(tx, letter.eventId));
	const endpoints = await listEndpoints(tx, letter.tenantId);
	return endpoints
		.filter((e) => e.status === "enabled" && wantsEvent(e.events, letter.event) && !told.has(e.id))
		.map((e) => e.id)
		.sort()
		.at(-1);
}
