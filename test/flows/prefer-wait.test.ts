/** `Prefer: wait`: the answers of a call that holds the line for the verdict. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../support/service";
import { until } from "../support/until";
import { clearFaults, orderFaults } from "./follow";

const TIMEOUT_MS = 30_000;

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, TIMEOUT_MS);
afterEach(() => clearFaults(service.simulatorUrl));

/** Posts an invoice for a buyer, waiting; then once more under the same key without waiting. */
async function postTwice(wait: string, rnc = "131880681") {
	const body = buildInvoice(tenant, { customer: { rnc, name: "CLIENTE SRL" } });
	const key = { "idempotency-key": crypto.randomUUID() };
	const answer = await postInvoice(service, tenant, body, { ...key, prefer: wait });
	const text = await answer.text();
	const replay = await postInvoice(service, tenant, body, key);
	return {
		answer,
		text,
		body: JSON.parse(text) as Record<string, unknown>,
		replay,
		...(await readTwice(replay)),
	};
}

async function readTwice(replay: Response) {
	const replayedText = await replay.text();
	return { replayedText, replayed: JSON.parse(replayedText) as Record<string, unknown> };
}

test(
	"a verdict in time is in the answer, and a replay returns the same bytes",
	async () => {
		const { answer, text, body, replay, replayedText } = await postTwice("wait=10");
		expect(answer.status).toBe(202);
		expect(answer.headers.get("preference-applied")).toBe("wait=10");
		expect(body).toMatchObject({ status: "accepted", authority: { approvedAt: expect.any(String) } });
		expect([replay.status, replay.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
		expect(replayedText).toBe(text);
	},
	TIMEOUT_MS,
);

test(
	"a rejection in time is a 422 that names the authority's code and the document",
	async () => {
		const { answer, body, replay, replayed } = await postTwice("wait=10", "000000002");
		expect(answer.status).toBe(422);
		expect(answer.headers.get("content-type")).toStartWith("application/problem+json");
		expect(answer.headers.get("preference-applied")).toBe("wait=10");
		expect(body).toMatchObject({
			authorityCode: "1920",
			authority: { code: "1920", sequenceConsumed: true },
			advice: [{ pointer: "/totals/subtotal" }, { pointer: "/lines" }],
		});
		expect(body.type).toEndWith("/errors/authority-rejected");
		expect(replay.status).toBe(200);
		expect(replayed).toMatchObject({ docId: body.docId, status: "pending" });
	},
	TIMEOUT_MS,
);

test(
	"an unreachable authority gives 504, and the stored document is accepted later",
	async () => {
		await orderFaults(service.simulatorUrl, { operation: "receive", mode: "status-503", count: 1_000 });
		const { answer, body, replay, replayed } = await postTwice("wait=1");
		expect(answer.status).toBe(504);
		expect(body.type).toEndWith("/errors/authority-unavailable");
		expect(answer.headers.get("preference-applied")).toBe("wait=1");
		expect(body).toMatchObject({ stored: true, documentStatus: "pending", retryable: false });
		expect(replay.status).toBe(200);
		expect(replayed).toMatchObject({ docId: body.docId, status: "pending" });
		await clearFaults(service.simulatorUrl);
		expect(await untilDecided(service, tenant, String(body.docId), TIMEOUT_MS)).toMatchObject({ status: "accepted" });
	},
	TIMEOUT_MS,
);

test(
	"an authority that is still deciding at the limit leaves the answer pending",
	async () => {
		await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 1_000 });
		const { answer, body } = await postTwice("wait=1");
		expect(answer.status).toBe(202);
		expect(answer.headers.get("preference-applied")).toBe("wait=1");
		expect(body).toMatchObject({ status: "pending" });
		await clearFaults(service.simulatorUrl);
		expect(await untilDecided(service, tenant, String(body.docId), TIMEOUT_MS)).toMatchObject({ status: "accepted" });
	},
	TIMEOUT_MS,
);

test(
	"after a disconnect every repeat gets the first acknowledgement",
	async () => {
		await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 1_000 });
		const body = buildInvoice(tenant);
		const key = { "idempotency-key": crypto.randomUUID() };
		const hangUp = new AbortController();
		const first = fetch(`${service.url}/v1/invoices`, {
			method: "POST",
			headers: { ...tenant.headers, ...key, "content-type": "application/json", prefer: "wait=25" },
			body: JSON.stringify(body),
			signal: hangUp.signal,
		}).catch((error: Error) => error.name);
		const isStored = async () =>
			(await service.sql`select 1 from request_keys where key = ${key["idempotency-key"]}`).length === 1;
		await until(isStored);
		const meanwhile = await (await postInvoice(service, tenant, body, key)).text();
		expect(JSON.parse(meanwhile)).toMatchObject({ status: "pending" });
		hangUp.abort();
		expect(await first).toBe("AbortError");
		await clearFaults(service.simulatorUrl);
		await untilDecided(service, tenant, String(JSON.parse(meanwhile).docId), TIMEOUT_MS);
		expect(await (await postInvoice(service, tenant, body, key)).text()).toBe(meanwhile);
	},
	TIMEOUT_MS,
);
