/** The authority is away: callers who wait, and companies that would rather be refused. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { until } from "../../support/until";
import { expectProblem } from "../support/problem";

let service: TestService;
/** Of the authority's certification environment, whose breaker no other test looks at. */
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { company: { authorityEnvironment: "certification" } });
});

const faults = () => `${service.simulatorUrl}/_simulator/faults`;
const order = (operation: string, mode: string, count = 1_000) =>
	fetch(faults(), { method: "POST", body: JSON.stringify({ operation, mode, count }) });
afterEach(async () => {
	await fetch(faults(), { method: "DELETE" });
});

test("a waiting caller learns that the document is stored; it is sent once later", async () => {
	expect((await order("receive", "status-503")).status).toBe(201);
	const invoice = buildInvoice(tenant);
	const key = crypto.randomUUID();
	const answer = postInvoice(service, tenant, invoice, { "idempotency-key": key, prefer: "wait=1" });
	const problem = await expectProblem(answer, 504, "authority-unavailable");
	expect(problem).toMatchObject({
		detail:
			"The authority did not answer within 1 s. The document is stored and will be delivered. Do not resend it; poll its status.",
		stored: true,
		documentStatus: "pending",
		retryable: false,
		_links: { status: `/v1/invoices/${problem.docId}/status` },
	});
	const replay = await postInvoice(service, tenant, invoice, { "idempotency-key": key });
	expect(replay.status).toBe(200);
	expect(await replay.json()).toMatchObject({ docId: problem.docId, trackId: problem.trackId, status: "pending" });

	await fetch(faults(), { method: "DELETE" });
	expect(await untilDecided(service, tenant, String(problem.docId))).toMatchObject({ status: "accepted" });
	const receptions = (await (await fetch(`${service.simulatorUrl}/_simulator/receptions`)).json()) as {
		encf: string;
		rnc?: string;
	}[];
	expect(
		receptions.filter((one) => JSON.stringify(one).includes(tenant.rnc) && one.encf === invoice.encf),
	).toHaveLength(1);
}, 120_000);

test("a caller who does not wait gets 202 as ever", async () => {
	await order("receive", "status-503");
	const answer = await postInvoice(service, tenant, buildInvoice(tenant));
	expect(answer.status).toBe(202);
});

test("a company that rejects outages gets 504 and nothing is stored", async () => {
	const cautious = await createTenant(service, {
		company: { authorityEnvironment: "certification", settings: { outagePolicy: "reject" } },
	});
	await order("receive", "status-503");
	await postInvoice(service, tenant, buildInvoice(tenant));
	const isOpen = async () =>
		(await service.sql`select 1 from authority_breaker where open_until > now() + interval '10 seconds'`).length > 0;
	// The breaker opens after five failures in a row, which several documents bring about sooner.
	for (let i = 0; i < 6; i++) await postInvoice(service, tenant, buildInvoice(tenant));
	// Up to sixteen seconds when the tests before have had the host left alone already.
	await until(isOpen);

	const invoice = buildInvoice(cautious);
	const key = crypto.randomUUID();
	const answer = await postInvoice(service, cautious, invoice, { "idempotency-key": key });
	expect(answer.headers.get("retry-after")).toBe("30");
	expect(await expectProblem(answer, 504, "authority-unavailable")).toMatchObject({ stored: false, retryable: true });
	expect(await service.sql`select 1 from documents where tenant_id = ${cautious.tenantId}`).toHaveLength(0);
	expect(await service.sql`select 1 from request_keys where key = ${key}`).toHaveLength(0);

	await fetch(faults(), { method: "DELETE" });
	await service.sql`update authority_breaker set failures = 0, open_until = null`;
	const later = await postInvoice(service, cautious, invoice, { "idempotency-key": key });
	expect(later.status).toBe(202);
}, 120_000);
