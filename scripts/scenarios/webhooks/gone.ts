/**
 * A receiver answers 410: its webhook is disabled, the company notified, waiting deliveries are parked and nothing more is sent. After the
 * webhook is enabled and recovered, the parked deliveries arrive under their old ids.
 */
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, send } from "./environment";
import { checkReceipts, readDeliveries, receiptsOf, until, untilThrough } from "./outcome";

/** Wait behind the endpoint's rate limit while the first is answered, which takes long enough for all to be decided. */
const WAITING = 4;
const ANSWERED_AFTER_MS = 3_000;

export async function goneScenario(context: ScenarioContext, environment: Environment) {
	const { small, violate } = context;
	const companies = small ? 2 : 5;
	const counts = { disabled: 0, notified: 0, parked: 0, "sent while disabled": 0, recovered: 0 };
	const tenants = [];
	for (let n = 1; n <= companies; n++) {
		const path = `/gone-${n}`;
		const tenant = await environment.register(
			{ at: path, events: ["invoice.*"], rateLimitPerSecond: 1 },
			{ at: `/notices-${n}`, events: ["webhook.disabled"] },
		);
		tenants.push(tenant);
		const [gone] = tenant.webhooks;
		if (!gone) throw new Error("the company has webhooks");
		const ask = async (method: string, address: string, body?: unknown) => {
			const answer = await send(method, `${environment.url}/v1/${address}`, await tenant.freshHeaders(), body);
			if (answer.status > 299) throw new Error(`${method} ${address}: ${answer.status} ${JSON.stringify(answer.body)}`);
			return answer.body;
		};
		const cameTo = (where: string) => environment.receiver.read().filter((receipt) => receipt.path === where);
		const since = new Date(Date.now() - 60_000).toISOString();
		await environment.receiver.order({ path, conduct: { kind: "answer", status: 410, afterMs: ANSWERED_AFTER_MS } });
		await environment.issue(tenant, 1 + WAITING);
		await untilThrough(environment, [tenant]);

		const record = (await ask("GET", `webhooks/${gone.id}`)) as { status: string };
		if (record.status === "disabled") counts.disabled++;
		else violate(`the webhook of company ${n} is ${record.status} after an answer of 410`);
		await until("the company is notified", () => cameTo(`/notices-${n}`).length > 0);
		const notices = cameTo(`/notices-${n}`);
		if (notices.every(({ event, docId }) => event === "webhook.disabled" && docId === gone.id)) counts.notified++;
		else violate(`company ${n} got another notice: ${JSON.stringify(notices)}`);
		const parked = (await readDeliveries(environment, [tenant])).filter(({ webhookId }) => webhookId === gone.id);
		for (const { id, status } of parked)
			if (status !== "dead") violate(`${id} is ${status} although its webhook is disabled`);
		counts.parked += parked.length;

		const before = cameTo(path).length;
		await environment.issue(tenant, 2);
		await untilThrough(environment, [tenant]);
		counts["sent while disabled"] += cameTo(path).length - before;

		await environment.receiver.order({ path, conduct: { kind: "answer", status: 204 } });
		await ask("PATCH", `webhooks/${gone.id}`, { status: "enabled", rateLimitPerSecond: null });
		await ask("POST", `webhooks/${gone.id}/recover`, { since });
		const isTaken = (id: string) => cameTo(path).some(({ deliveryId, taken }) => taken && deliveryId === id);
		await until("what was parked has arrived", () => parked.every(({ id }) => isTaken(id)));
		await untilThrough(environment, [tenant]);
		counts.recovered += parked.length;
	}
	if (counts["sent while disabled"] > 0) violate(`${counts["sent while disabled"]} requests to disabled webhooks`);
	return { companies, ...counts, ...checkReceipts(context, receiptsOf(environment, tenants)) };
}
