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
		told: JSON.parse(text) as Record<string, unknown>,
		replay,
		replayed: (await replay.json()) as Record<string, unknown>,
	};
}

test(
	"a verdict in time comes with the answer, and a replay still says what was first acknowledged",
	async () => {
		const { answer, told, replay, replayed } = await postTwice("wait=10");
		expect(answer.status).toBe(202);
		expect(answer.headers.get("preference-applied")).toBe("wait=10");
		expect(told).toMatchObject({ status: "accepted", authority: { approvedAt: expect.any(String) } });
		expect(replay.status).toBe(200);
		expect(replayed).toMatchObject({ docId: told.docId, status: "pending", print: told.print });
	},
	TIMEOUT_MS,
);

test(
	"a rejection in time is a 422 that names the authority's code and the document",
	async () => {
		const { answer, told, replay, replayed } = await postTwice("wait=10", "000000002");
		expect(answer.status).toBe(422);
		expect(answer.headers.get("content-type")).toStartWith("application/problem+json");
		expect(told).toMatchObject({ authorityCode: "614", authority: { code: "614", sequenceConsumed: true } });
		expect(told.type).toEndWith("/errors/authority-rejected");
		expect(replay.status).toBe(200);
		expect(replayed).toMatchObject({ docId: told.docId, status: "pending" });
	},
	TIMEOUT_MS,
);

test(
	"an authority out of reach is a 504 that has kept the document, which is accepted later",
	async () => {
		await orderFaults(service.simulatorUrl, { operation: "receive", mode: "status-503", count: 1_000 });
		const { answer, told, replay, replayed } = await postTwice("wait=1");
		expect(answer.status).toBe(504);
		expect(told.type).toEndWith("/errors/authority-unavailable");
		expect(told).toMatchObject({ stored: true, documentStatus: "pending", retryable: false });
		expect(replay.status).toBe(200);
		expect(replayed).toMatchObject({ docId: told.docId, status: "pending" });
		await clearFaults(service.simulatorUrl);
		expect(await untilDecided(service, tenant, String(told.docId), TIMEOUT_MS)).toMatchObject({ status: "accepted" });
	},
	TIMEOUT_MS,
);

test(
	"an authority that is still at work when the time is over leaves the answer pending",
	async () => {
		await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 1_000 });
		const { answer, told } = await postTwice("wait=1");
		expect(answer.status).toBe(202);
		expect(answer.headers.get("preference-applied")).toBe("wait=1");
		expect(told).toMatchObject({ status: "pending" });
		await clearFaults(service.simulatorUrl);
		expect(await untilDecided(service, tenant, String(told.docId), TIMEOUT_MS)).toMatchObject({ status: "accepted" });
	},
	TIMEOUT_MS,
);
