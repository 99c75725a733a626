/** Fifty requests in one moment, and one document: a few rounds of what `scripts/race-rounds.ts` runs by the hundred. */
import { beforeAll, expect, test } from "bun:test";
import { checkRace, invoiceRequest, raceRequests } from "../../scripts/harness/race";
import {
	buildInvoice,
	createTenant,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../support/service";
import { receptionsOf } from "./follow";

const AT_ONCE = 50;
const ROUNDS = [1, 2, 3];
const TIMEOUT_MS = 30_000;

let service: TestService;
let tenant: Tenant;
let port: number;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	port = Number(new URL(service.url).port);
}, TIMEOUT_MS);

const post = (key: string, invoice: unknown) => invoiceRequest(tenant.headers, key, invoice);

/** One row and one reception, whichever request won. */
async function expectOneDocument(encf: unknown, docId: string): Promise<void> {
	expect(await untilDecided(service, tenant, docId, TIMEOUT_MS)).toMatchObject({ status: "accepted", encf });
	const rows =
		await service.sql`select doc_id from documents where tenant_id = ${tenant.tenantId} and encf = ${String(encf)}`;
	expect([...rows]).toEqual([{ doc_id: docId }]);
	expect(await receptionsOf(service, tenant, encf)).toHaveLength(1);
}

test.each(ROUNDS)(
	"fifty identical requests make one document and fifty equal answers (round %d)",
	async () => {
		const invoice = buildInvoice(tenant);
		const request = post(crypto.randomUUID(), invoice);
		const { docId, faults } = checkRace(await raceRequests(port, Array(AT_ONCE).fill(request)), "one-document");
		expect(faults).toEqual([]);
		await expectOneDocument(invoice.encf, docId);
	},
	TIMEOUT_MS,
);

test.each(ROUNDS)(
	"two keys with one client_request_id make one document (round %d)",
	async () => {
		const keys = [crypto.randomUUID(), crypto.randomUUID()];
		const invoice = buildInvoice(tenant, { client_request_id: `TILL-${keys[0]}` });
		const requests = Array.from({ length: AT_ONCE }, (_, i) => post(keys[i % 2] ?? "", invoice));
		const { docId, faults } = checkRace(await raceRequests(port, requests), "one-document");
		expect(faults).toEqual([]);
		await expectOneDocument(invoice.encf, docId);
	},
	TIMEOUT_MS,
);

test.each(ROUNDS)(
	"fifty keys with one number make one document, and the others name it (round %d)",
	async () => {
		const invoice = buildInvoice(tenant);
		const requests = Array.from({ length: AT_ONCE }, () => post(crypto.randomUUID(), invoice));
		const { docId, faults } = checkRace(await raceRequests(port, requests), "one-number");
		expect(faults).toEqual([]);
		await expectOneDocument(invoice.encf, docId);
	},
	TIMEOUT_MS,
);
