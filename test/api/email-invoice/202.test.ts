/** A mail that is asked for is answered at once and lies in the data directory soon after, since no mail server is set. */
import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { QueuedEmail } from "../../../src/invoicing/email";
import { readMail } from "../../invoicing/email/support/read-mail";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { listEmails, postEmail, untilEmail } from "../support/emails";
import { instant, tenantA, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const TIMEOUT_MS = 180_000;
const to = ["compras@cliente.example"];

test(
	"the mail is accepted with its recipients and sent with the current status",
	async () => {
		const { docId, request } = await documentOf("rejected");
		const body = { to, cc: [], subject: null, message: "Adjuntamos su factura.", attach: ["pdf", "xml"], locale: "es" };
		const answer = await postEmail(service, tenant, docId, body);
		expect(answer.status).toBe(202);
		expect(answer.headers.get("location")).toBe(`/v1/invoices/${docId}/emails`);
		const queued = (await answer.json()) as QueuedEmail;
		expect(queued).toEqual({
			...{ docId, status: "queued", to, emailId: expect.stringMatching(uuid) },
			createdAt: expect.stringMatching(instant),
		});
		const { recipients, subject } = await untilEmail(service, tenant, queued, "sent");
		expect(subject).toBe(`Factura de Crédito Fiscal Electrónica ${request.encf} de ${tenant.name}`);
		const mail = readMail(readFileSync(join(service.dataDir, "mail", `${recipients[0]?.messageId}.eml`), "latin1"));
		expect(mail.text).toContain("Rechazado por la Administración Tributaria: sin valor fiscal.");
		expect([...mail.files.keys()]).toEqual([`${request.encf}.pdf`, `${tenant.rnc}${request.encf}.xml`]);
	},
	TIMEOUT_MS,
);

test("a replay is the same mail, another body is refused, without a key each is new", async () => {
	const { docId } = await documentOf("accepted", { type: "32" });
	const key = { "idempotency-key": crypto.randomUUID() };
	const ask = (body: object, headers = {}) => postEmail(service, tenant, docId, { to, attach: [], ...body }, headers);
	const [first, again] = [await ask({}, key), await ask({}, key)];
	expect([first.status, again.status]).toEqual([202, 200]);
	expect(await again.text()).toBe(await first.text());
	expect((await ask({ locale: "en" }, key)).status).toBe(422);
	expect((await ask({})).status).toBe(202);
	const { items } = await listEmails(service, tenant, docId);
	expect(
		items.filter(({ to: [address], attach }) => address === to[0] && attach.length === 0).length,
	).toBeGreaterThanOrEqual(2);
});

test("ten requests at once under one key are one mail", async () => {
	const { docId } = await documentOf("accepted", { type: "32" });
	const before = (await listEmails(service, tenant, docId)).count;
	const key = { "idempotency-key": crypto.randomUUID() };
	const body = { to, attach: [] };
	const answers = await Promise.all(Array.from({ length: 10 }, () => postEmail(service, tenant, docId, body, key)));
	expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
	expect(answers.filter(({ status }) => status !== 202 && status !== 200 && status !== 409)).toEqual([]);
	expect((await listEmails(service, tenant, docId)).count).toBe(before + 1);
});
