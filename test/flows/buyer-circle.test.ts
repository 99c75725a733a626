/** Issuer and buyer are both companies of this service: one receives what the other issues, and both see the same document. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer, request as requestTo, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { addCertificate } from "../api/support/certificates";
import {
	buildInvoice,
	createTenant,
	get,
	openServiceIn,
	post,
	postInvoice,
	type Tenant,
	type TestService,
	untilDecided,
} from "../support/service";
import { until } from "../support/until";

const TIMEOUT_MS = 180_000;

let front: Server;
let frontHost: string;
let service: TestService & { stop: () => Promise<void> };

beforeAll(async () => {
	// Other receivers need the service's address before it starts.
	front = createServer((request, response) => {
		const { method, headers } = request;
		const onward = requestTo(new URL(request.url ?? "/", service.url), { method, headers }, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		onward.on("error", () => response.destroy());
		request.pipe(onward);
	});
	await new Promise<void>((listening) => front.listen(0, "127.0.0.1", listening));
	frontHost = `127.0.0.1:${(front.address() as AddressInfo).port}`;
	service = await openServiceIn("sandbox", { WEBHOOK_ALLOW: frontHost });
}, TIMEOUT_MS);
afterAll(async () => {
	await service.stop();
	front.close();
	front.closeAllConnections();
}, TIMEOUT_MS);

/** Listed in the authority's directory as a receiver that authenticates callers. */
async function enter({ rnc, name }: Tenant): Promise<void> {
	const url = `http://${frontHost}`;
	const entry = { environment: "testecf", rnc, name, receptionUrl: url, approvalUrl: url, authenticationUrl: url };
	const answer = await fetch(`${service.simulatorUrl}/_simulator/directory`, {
		...{ method: "POST", body: JSON.stringify(entry) },
	});
	expect(answer.status).toBe(204);
}

const readJson = async <T>(path: string, { headers }: Tenant) =>
	(await (await get(service, path, headers)).json()) as T;

const tryAgain = (path: string, { headers }: Tenant) => fetch(`${service.url}${path}`, { method: "POST", headers });

test(
	"buyer and issuer hold the same bytes of the document and its acknowledgement",
	async () => {
		const [issuer, buyer] = [await createTenant(service), await createTenant(service)];
		await enter(buyer);
		const customer = { rnc: buyer.rnc, name: buyer.name };
		const request = buildInvoice(issuer, { customer });
		const { docId } = (await (await postInvoice(service, issuer, request)).json()) as { docId: string };
		expect(await untilDecided(service, issuer, docId, TIMEOUT_MS)).toMatchObject({ status: "accepted" });

		type Status = { delivery?: { state: string } };
		const status = () => readJson<Status>(`/v1/invoices/${docId}/status`, issuer);
		await until(async () => (await status()).delivery?.state === "delivered", TIMEOUT_MS);
		const sent = await (await get(service, `/v1/invoices/${docId}/xml`, issuer.headers)).text();
		const arecf = await (await get(service, `/v1/invoices/${docId}/delivery/arecf`, issuer.headers)).text();
		expect(arecf).toContain(`<eNCF>${request.encf}</eNCF><Estado>0</Estado>`);

		type Received = { items: { id: string; sha256: string }[] };
		const { items } = await readJson<Received>("/v1/received-documents", buyer);
		expect(items).toMatchObject([
			{
				...{ tenantId: buyer.tenantId, encf: request.encf, type: "31", acknowledgement: "received" },
				...{ issuer: { rnc: issuer.rnc }, sha256: createHash("sha256").update(sent).digest("hex") },
			},
		]);
		const path = `/v1/received-documents/${items[0]?.id}`;
		expect(await (await get(service, `${path}/xml`, buyer.headers)).text()).toBe(sent);

		type Feed = { events: { event: string; encf: string }[] };
		for (const [tenant, event] of [
			[issuer, "invoice.delivered"],
			[buyer, "document.received"],
		] as const) {
			const feed = await readJson<Feed>(`/v1/events?types=${event}`, tenant);
			expect(feed.events).toMatchObject([{ event, encf: request.encf }]);
		}
	},
	TIMEOUT_MS,
);

test(
	"a document signed with an earlier certificate is delivered and approved",
	async () => {
		const [issuer, buyer] = [await createTenant(service), await createTenant(service)];
		const customer = { rnc: buyer.rnc, name: buyer.name };
		const request = buildInvoice(issuer, { customer });
		const { docId } = (await (await postInvoice(service, issuer, request)).json()) as { docId: string };
		expect(await untilDecided(service, issuer, docId, TIMEOUT_MS)).toMatchObject({ status: "accepted" });
		type Delivery = { state: string; attempts: { result: string }[] };
		const delivery = () => readJson<Delivery>(`/v1/invoices/${docId}/delivery`, issuer);
		await until(async () => (await delivery()).state === "not-listed", TIMEOUT_MS);

		await addCertificate(service, issuer);
		await enter(buyer);
		expect((await tryAgain(`/v1/invoices/${docId}/delivery/retry`, issuer)).status).toBe(202);
		await until(async () => (await delivery()).attempts.some(({ result }) => result !== null), TIMEOUT_MS);
		expect(await delivery()).toMatchObject({ state: "delivered" });

		type Received = { items: { id: string }[] };
		const { items } = await readJson<Received>("/v1/received-documents", buyer);
		const decided = await post(service, `/v1/received-documents/${items[0]?.id}/approval`, buyer.headers, {
			decision: "approved",
		});
		const { approvalId } = (await decided.json()) as { approvalId: string };
		type Word = { delivery: { issuer: string } };
		const word = () => readJson<Word>(`/v1/approvals/${approvalId}`, buyer);
		// It is signed and has no receiver yet.
		await until(async () => (await word()).delivery.issuer === "failed", TIMEOUT_MS);
		await addCertificate(service, buyer);
		await enter(issuer);
		expect((await tryAgain(`/v1/approvals/${approvalId}/retry`, buyer)).status).toBe(202);
		await until(async () => (await word()).delivery.issuer !== "failed", TIMEOUT_MS);
		await until(async () => (await word()).delivery.issuer === "sent", 30_000);
	},
	TIMEOUT_MS,
);
