/** The operator dispatches dead letters again after the receiver has recovered: each arrives once, under its original id. */
import type { ScenarioContext } from "../run-scenarios";
import type { Environment } from "./environment";
import { byDelivery, checkReceipts, readDeliveries, receiptsOf, until, untilThrough } from "./outcome";

/** No retries, and real time: only the operator touches dead letters. */
export const PATIENT_SETTINGS = { WEBHOOK_MAX_RETRIES: "0", WEBHOOK_TIME_SCALE: "1" };

export async function redispatchScenario(context: ScenarioContext, environment: Environment) {
	const { small, violate } = context;
	const events = small ? 6 : 50;
	const tenant = await environment.register({ at: "/back-soon" });
	await environment.receiver.order({ path: "/back-soon", conduct: { kind: "answer", status: 503 } });
	const docIds = new Set(await environment.issue(tenant, events));
	await untilThrough(environment, [tenant]);
	const letters = await readDeliveries(environment, [tenant]);
	const notDead = letters.filter(({ status }) => status !== "dead");
	if (letters.length !== events || notDead.length > 0)
		violate(`${letters.length} deliveries, ${notDead.length} of them no dead letters, expected ${events} and 0`);

	await environment.receiver.order({ path: "/back-soon", conduct: { kind: "answer", status: 204 } });
	const answer = (await environment.admin("webhooks", "redispatch", "--all")) as { redispatched: number };
	const arrived = async () =>
		(await readDeliveries(environment, [tenant])).every(({ status }) => status === "delivered");
	await until("all dead letters have arrived", arrived);
	// Delivered ones are no longer dead letters.
	await environment.admin("webhooks", "redispatch", "--all");
	await untilThrough(environment, [tenant]);

	const receipts = receiptsOf(environment, [tenant]);
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
		...checkReceipts(context, receipts),
	};
}
