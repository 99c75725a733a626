/** The service is killed when a receiver has answered and before that is written down: what comes again has the same id, nothing is lost. */
import { join } from "node:path";
import { type Acknowledged, startClient } from "../../harness/client";
import { openLedger } from "../../harness/ledger";
import type { Theatre } from "../theatre";
import { byDelivery, judgeDeliveries, judgeReceipts, readSettled, receiptsOf } from "./outcome";
import type { Stage } from "./stage";

export const KILLED_SETTINGS = { OUTBOX_LEASE_SECONDS: "2" };
const PER_SECOND = 10;
/** At its first, second or third passing of the place it dies. */
const PASSES_MAX = 3;
const STRIKE_TIMEOUT_MS = 120_000;

export async function drillKilledAfter200(theatre: Theatre, stage: Stage) {
	const { small, violate } = theatre;
	const kills = small ? 1 : 50;
	const tenants = [await stage.register({ at: "/one" }), await stage.register({ at: "/two" })];
	stage.service().kill("SIGTERM");
	await stage.service().ended;
	const ledger = openLedger<Acknowledged>(join(stage.folder, "acknowledged.jsonl"));
	let left = kills;
	const client = startClient({
		...{ url: stage.url, tenants, ledger, perSecond: PER_SECOND, atOnceMax: 4, giveUpMs: 600_000 },
		holdsBack: () => false,
		wantsMore: () => left > 0,
	});
	let struck = 0;
	for (; left > 0 && !client.hasFailed(); left--) {
		const nth = 1 + Math.floor(Math.random() * PASSES_MAX);
		const service = stage.start({ NODE_ENV: "test", FAULT_POINT: `after-webhook:${nth}` });
		const timer = setTimeout(() => service.kill("SIGTERM"), STRIKE_TIMEOUT_MS);
		const ending = await service.ended;
		clearTimeout(timer);
		if (ending === "SIGKILL") struck++;
		else violate(`the service was to die after an answer and ended with ${ending}`);
	}
	left = 0;
	await stage.start().ready;
	await client.finished;
	const deliveries = await readSettled(stage, tenants);
	ledger.close();

	const receipts = receiptsOf(stage, tenants);
	const expected = ledger.read().map(({ docId, tenantId }) => {
		const webhooks = tenants.find((tenant) => tenant.tenantId === tenantId)?.webhooks ?? [];
		return { docId, webhookIds: webhooks.map(({ id }) => id) };
	});
	const came = byDelivery(receipts.filter(({ taken }) => taken));
	const again = [...came.values()].reduce((sum, requests) => sum + requests.length - 1, 0);
	// Each kill leaves at least one request that was taken and not written down.
	if (again < struck) violate(`${struck} kills, and only ${again} requests came again`);
	return {
		kills: struck,
		...judgeDeliveries(theatre, expected, deliveries, receipts),
		"requests that came again": again,
		...judgeReceipts(theatre, receipts),
	};
}
