/** A company's certificate is removed during a submission: the document waits for the next one, reports that, and is accepted. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import { addCertificate, changeCertificate, listStatuses } from "../api/support/certificates";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type TestService,
	untilDecided,
} from "../support/service";
import { until } from "../support/until";
import { clearFaults, orderFaults } from "./follow";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);
afterEach(() => clearFaults(service.simulatorUrl));

test("a document waits for its company's next certificate and reports it once", async () => {
	const tenant = await createTenant(service);
	const [present = ""] = Object.keys(await listStatuses(service, tenant));
	await orderFaults(service.simulatorUrl, { operation: "result", mode: "in-process", count: 10_000 });
	const { docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
	expect((await changeCertificate(service, tenant, present, "remove")).status).toBe(200);
	const countWaiting = async () => {
		const { items } = (await (await get(service, `/v1/invoices/${docId}/events`, tenant.headers)).json()) as {
			items: { summary: string }[];
		};
		return items.filter(({ summary }) => summary === "Waits for its company's next certificate.").length;
	};
	await until(async () => (await countWaiting()) > 0);
	const readStatus = async () =>
		(await (await get(service, `/v1/invoices/${docId}/status`, tenant.headers)).json()) as {
			[name: string]: unknown;
			nextAttemptAt: string;
		};
	const waiting = await readStatus();
	expect(waiting).toMatchObject({ status: "pending", holdReason: "awaiting-certificate" });
	// Each attempt names the time of the next one, never a past one.
	await until(async () => (await readStatus()).nextAttemptAt > waiting.nextAttemptAt, 20_000);
	expect((await readStatus()).holdReason).toBe("awaiting-certificate");
	await clearFaults(service.simulatorUrl);
	await addCertificate(service, tenant);
	expect(await untilDecided(service, tenant, docId)).toMatchObject({ status: "accepted", holdReason: null });
	expect(await countWaiting()).toBe(1);
}, 120_000);
