/** The service is killed between a receiver's answer and its record: repeats have the same id, nothing is lost. */
import { join } from "node:path";
import { openLedger } from "../../../test/support/ledger";
import { type Acknowledged, startClient } from "../../harness/client";
import type { ScenarioContext } from "../run-scenarios";
import type { Environment } from "./environment";
import { byDelivery, checkDeliveries, checkReceipts, readSettled, receiptsOf } from "./outcome";

export const KILLED_SETTINGS = { SHARD_LEASE_SECONDS: "2" };
const PER_SECOND = 10;
/** It dies at the first, second or third hit of the failpoint. */
const PASSES_MAX = 3;
const STRIKE_TIMEOUT_MS = 120_000;

export async function killedAfter200Scenario(context: ScenarioContext, environment: Environment) {
	const { small, violate } = context;
	const kills = small ? 1 : 50;
	const tenants = [await environment.register({ at: "/one" }), await environment.register({ at: "/two" })];
	environment.service().kill("SIGTERM");
	await environment.service().ended;
	const ledger = openLedger<Acknowledged>(join(environment.folder, "acknowledged.jsonl"));
	let left = kills;
	const client = startClient({
		...{ url: environment.url, tenants, ledger, perSecond: PER_SECOND, atOnceMax: 4, giveUpMs: 600_000 },
		holdsBack: () => false,
		wantsMore: () => left > 0,
	});
	let struck = 0;
	for (; left > 0 && !client.hasFailed(); left--) {
		const nth = 1 + Math.floor(Math.random() * PASSES_MAX);
		const service = environment.start({ NODE_ENV: "test", FAULT_POINT: `after-webhook:${nth}` });
		const timer = setTimeout(() => service.kill("SIGTERM"), STRIKE_TIMEOUT_MS);
		const ending = await service.ended;
		clearTimeout(timer);
		if (ending === "SIGKILL") struck++;
		else violate(`the service was to die after an answer and ended with ${ending}`);
	}
	left = 0;
	await environment.start().ready;
	await client.finished;
	const deliveries = await readSettled(environment, tenants);
	ledger.close();

	const receipts = receiptsOf(environment, tenants);
	const expected = ledger.read().map(({ docId, tenantId }) => {
		const webhooks = tenants.find((tenant) => tenant.tenantId === tenantId)?.webhooks ?? [];
		return { docId, webhookIds: webhooks.map(({ id }) => id) };
	});
	const came = byDelivery(receipts.filter(({ taken }) => taken));
	const again = [...came.values()].reduce((sum, requests) => sum + requests.length - 1, 0);
	// Each kill leaves at least one accepted but unrecorded request.
	if (again < struck) violate(`${struck} kills, and only ${again} requests came again`);
	return {
		kills: struck,
		...checkDeliveries(context, expected, deliveries, receipts),
		"requests that came again": again,
		...checkReceipts(context, receipts),
	};
}
