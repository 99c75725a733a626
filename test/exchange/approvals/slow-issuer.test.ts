/** An issuer's receiver that does not answer occupies few of the dispatcher's slots, however much waits for it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Server } from "node:http";
import { createTenant, openServiceIn, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { control, decideOn, readApproval, receive, strangers, untilSent, WAIT_MS } from "./support/words";

const issuerRnc = "888888887";
const SEATS = 8;
const WORDS = 14;
const state = { isSilent: true, open: 0, most: 0 };
let issuer: Server;
let service: TestService & { stop: () => Promise<void> };
let buyer: Tenant;

beforeAll(async () => {
	issuer = createServer((request, response) => {
		state.most = Math.max(state.most, ++state.open);
		response.on("close", () => state.open--);
		request.resume();
		if (!state.isSilent) response.writeHead(200).end();
	});
	await new Promise<void>((listening) => issuer.listen(0, "127.0.0.1", listening));
	const address = issuer.address();
	const host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
	service = await openServiceIn("sandbox", { WEBHOOK_ALLOW: host });
	buyer = await createTenant(service);
	const url = `http://${host}`;
	await control(service, "directory", {
		...{ environment: "testecf", rnc: issuerRnc, name: "PROVEEDOR SRL" },
		...{ receptionUrl: url, approvalUrl: url, authenticationUrl: null },
	});
}, WAIT_MS);
afterAll(async () => {
	issuer.close();
	issuer.closeAllConnections();
	await service.stop();
});

test(
	"at most eight decisions wait for a slow issuer, and all arrive once it answers",
	async () => {
		const ids: string[] = [];
		for (let n = 0; n < WORDS; n++) {
			const documentId = await receive(service, buyer, strangers({ issuerRnc }));
			ids.push((await decideOn(service, buyer, documentId)).approvalId);
		}
		await until(async () => {
			const begun =
				await service.sql`select 1 from outbox where kind = 'approval.issuer' and (busy_until > now() or available_at > created_at)`;
			return begun.length === WORDS;
		}, WAIT_MS);
		for (const id of ids) {
			await until(async () => (await readApproval(service, buyer, id)).delivery?.authority !== "pending", WAIT_MS);
		}
		expect(state.most).toBeGreaterThan(0);
		expect(state.most).toBeLessThanOrEqual(SEATS);
		state.isSilent = false;
		issuer.closeAllConnections();
		for (const id of ids) expect(await untilSent(service, buyer, id)).toMatchObject({ delivery: { issuer: "sent" } });
		expect(state.most).toBeLessThanOrEqual(SEATS);
	},
	WAIT_MS,
);
