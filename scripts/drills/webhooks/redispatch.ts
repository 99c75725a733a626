/** Dead letters that the operator dispatches again when the receiver is well: each arrives once, under the id that it always had. */
import type { Theatre } from "../theatre";
import { byDelivery, judgeReceipts, readDeliveries, receiptsOf, until, untilThrough } from "./outcome";
import type { Stage } from "./stage";

/** No retries, and real time: nothing but the operator touches what is dead. */
export const PATIENT_SETTINGS = { WEBHOOK_MAX_RETRIES: "0", WEBHOOK_TIME_SCALE: "1" };

export async function drillRedispatch(theatre: Theatre, stage: Stage) {
	const { small, violate } = theatre;
	const events = small ? 6 : 50;
	const tenant = await stage.register({ at: "/back-soon" });
	await stage.receiver.order({ path: "/back-soon", conduct: { kind: "answer", status: 503 } });
	const docIds = new Set(await stage.issue(tenant, events));
	await untilThrough(stage, [tenant]);
	const letters = await readDeliveries(stage, [tenant]);
	const notDead = letters.filter(({ status }) => status !== "dead");
	if (letters.length !== events || notDead.length > 0)
		violate(`${letters.length} deliveries, ${notDead.length} of them no dead letters, expected ${events} and 0`);

	await stage.receiver.order({ path: "/back-soon", conduct: { kind: "answer", status: 204 } });
	const answer = (await stage.admin("webhooks", "redispatch", "--all")) as { redispatched: number };
	const arrived = async () => (await readDeliveries(stage, [tenant])).every(({ status }) => status === "delivered");
	await until("all dead letters have arrived", arrived);
	// What has arrived is no dead letter any more.
	await stage.admin("webhooks", "redispatch", "--all");
	await untilThrough(stage, [tenant]);

	const receipts = receiptsOf(stage, [tenant]);
	const taken = byDelivery(receipts.filter((receipt) => receipt.taken));
	const known = new Map(letters.map(({ id, docId }) => [id, docId]));
	let twice = 0;
	for (const [deliveryId, requests] of taken) {
		if (requests.length > 1) twice++;
		if (known.get(deliveryId) !== requests[0]?.docId) violate(`${deliveryId} is no dead letter of this document`);
	}
	if (twice > 0) violate(`${twice} deliveries were taken twice`);
	if (taken.size !== docIds.size) violate(`${taken.size} of ${docIds.size} dead letters arrived`);
	return {
		"dead letters": letters.length,
		redispatched: answer.redispatched,
		"arrived under the same id": taken.size,
		"arrived twice": twice,
		...judgeReceipts(theatre, receipts),
	};
}
