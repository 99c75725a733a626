/** Takes the authority away from a running service and back, and measures when each sign of it appears. */
import { buildInvoice, type HarnessTenant } from "../../test/support/tenants";

export type OutagePlay = {
	readonly url: string;
	/** Its webhook must subscribe to `authority.status_changed`. */
	readonly tenant: HarnessTenant;
	/** Of the first of two invoices. */
	readonly firstNumber: number;
	readonly begin: () => Promise<unknown>;
	readonly end: () => Promise<unknown>;
	/** How many webhooks of the event have been received so far. */
	readonly countWebhooks: () => number;
	/** Minimum length of the outage. */
	readonly awayMs: number;
	/** Runs once every sign of the outage is there. */
	readonly whileAway?: () => Promise<void>;
	/** Time after which a sign counts as missing. */
	readonly patienceMs: number;
};

/** Where the outage shows: the operation, the page and its JSON, an invoice's PDF, the event feed, a webhook. */
export const SIGNS = ["status", "page", "legend", "event", "webhook"] as const;
/** Units: milliseconds. Undefined: not in time. */
export type OutageDelays = Readonly<Record<(typeof SIGNS)[number], number | undefined>>;

const LOOK_EVERY_MS = 50;
const LEGEND = "contingencia";

export async function playOutage(
	play: OutagePlay,
): Promise<{ readonly away: OutageDelays; readonly back: OutageDelays }> {
	const { url, tenant, firstNumber } = play;
	const read = async (path: string, headers: Readonly<Record<string, string>> = tenant.headers) => {
		const answer = await fetch(`${url}${path}`, { headers });
		if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${await answer.text()}`);
		return answer;
	};
	const readJson = async (path: string, headers?: Readonly<Record<string, string>>) =>
		(await (await read(path, headers)).json()) as Record<string, unknown>;
	const post = async (n: number) => {
		const answer = await fetch(`${url}/v1/invoices`, {
			method: "POST",
			headers: { ...tenant.headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
			// Not one that goes as a summary.
			body: JSON.stringify(buildInvoice(tenant, 3 * n + 1)),
		});
		if (answer.status !== 202) throw new Error(`expected 202, got ${answer.status}: ${await answer.text()}`);
		return ((await answer.json()) as { docId: string }).docId;
	};
	const isFinal = async (docId: string) => (await readJson(`/v1/invoices/${docId}/status`)).status !== "pending";
	const lastEvent = async () => {
		const { events } = (await readJson("/v1/events?types=authority.status_changed&limit=100")) as {
			events: { status: string }[];
		};
		return events.at(-1)?.status;
	};
	const hasLegend = async (docId: string) =>
		new TextDecoder("latin1")
			.decode(await (await read(`/v1/invoices/${docId}/pdf?format=escpos`)).arrayBuffer())
			.includes(LEGEND);
	const isWell = async () => {
		const { status, contingency } = await readJson("/v1/authority/status");
		return status === "operational" && contingency === false;
	};
	const isAway = async () => {
		const { status, contingency } = await readJson("/v1/authority/status");
		return status === "outage" && contingency === true;
	};
	const readPage = async () => (await readJson("/status", { accept: "application/json" })).status;

	// Warms up tokens and status, as in a service that has been running.
	const warm = await post(firstNumber);
	if ((await timeUntil(() => isFinal(warm), play.patienceMs)) === undefined)
		throw new Error("no verdict before the outage");
	if ((await timeUntil(isWell, play.patienceMs)) === undefined)
		throw new Error("the authority is not well before the outage");

	const webhooksBefore = play.countWebhooks();
	await play.begin();
	const beganMs = performance.now();
	const docId = await post(firstNumber + 1);
	const away = await gather({
		status: isAway,
		page: async () => (await readPage()) === "outage",
		legend: () => hasLegend(docId),
		event: async () => (await lastEvent()) === "outage",
		webhook: async () => play.countWebhooks() > webhooksBefore,
	});
	await play.whileAway?.();
	await Bun.sleep(Math.max(0, play.awayMs - (performance.now() - beganMs)));

	const webhooksAway = play.countWebhooks();
	await play.end();
	const back = await gather({
		status: isWell,
		page: async () => (await readPage()) === "operational",
		legend: async () => !(await hasLegend(docId)),
		event: async () => (await lastEvent()) === "operational",
		webhook: async () => play.countWebhooks() > webhooksAway,
	});
	return { away, back };

	async function gather(signs: Readonly<Record<keyof OutageDelays, () => Promise<boolean>>>): Promise<OutageDelays> {
		const times = await Promise.all(SIGNS.map(async (sign) => [sign, await timeUntil(signs[sign], play.patienceMs)]));
		return Object.fromEntries(times) as OutageDelays;
	}
}

/** Milliseconds until the condition holds. */
async function timeUntil(condition: () => Promise<boolean>, patienceMs: number): Promise<number | undefined> {
	const startedMs = performance.now();
	for (;;) {
		if (await condition()) return performance.now() - startedMs;
		if (performance.now() - startedMs > patienceMs) return undefined;
		await Bun.sleep(LOOK_EVERY_MS);
	}
}

/** Subscribes a tenant's webhook to the authority's status, in addition to its other events. */
export async function subscribeToAuthorityStatus(url: string, tenant: HarnessTenant): Promise<void> {
	const id = tenant.webhooks[0]?.id;
	const answer = await fetch(`${url}/v1/webhooks/${id}`, {
		method: "PATCH",
		headers: { ...tenant.headers, "content-type": "application/merge-patch+json" },
		body: JSON.stringify({ events: ["invoice.*", "authority.*"] }),
	});
	if (!answer.ok) throw new Error(`the webhook could not be changed: ${answer.status} ${await answer.text()}`);
}
