/** A document's mails, each with what became of it for each recipient. */
import { beforeAll, expect, test } from "bun:test";
import { complaint, statusNotice } from "../../invoicing/email/support/notices";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { askForEmail, eventsOf, listEmails, postNotice, untilEmail } from "../support/emails";
import { instant } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
let docId: string;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { company: { settings: { locale: "en-US" } } });
	({ docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string });
}, 180_000);

test("a mail has its text, recipients and the status of each", async () => {
	expect(await listEmails(service, tenant, docId)).toEqual({ items: [], count: 0, partial: false, next: null });
	const request = { to: ["ana@c.example"], cc: ["eva@c.example"], message: "Hola", attach: ["xml"] };
	const queued = await askForEmail(service, tenant, docId, request);
	const email = await untilEmail(service, tenant, queued, "sent");
	const sent = { status: "sent", reason: null, attempts: expect.any(Number), sentAt: expect.stringMatching(instant) };
	const rest = { ...sent, messageId: expect.any(String), updatedAt: expect.stringMatching(instant) };
	expect(email).toMatchObject({
		...{ ...request, ...queued, status: "sent", locale: "en" },
		subject: expect.stringMatching(/^Electronic tax credit invoice E31\d+ from /),
		recipients: [
			{ ...rest, address: "ana@c.example", kind: "to" },
			{ ...rest, address: "eva@c.example", kind: "cc" },
		],
	});
});

test("each notice counts once, older ones do not, and the company is notified", async () => {
	const queued = await askForEmail(service, tenant, docId, { to: ["ana@c.example", "eva@c.example"], attach: [] });
	const { recipients } = await untilEmail(service, tenant, queued, "sent");
	const [ana = "", eva = ""] = recipients.map(({ messageId }) => messageId);
	const report = async (text: string, type?: string) =>
		((await (await postNotice(service, text, type ? { type } : {})).json()) as { changed: boolean }).changed;
	const states = async () => {
		const { items } = await listEmails(service, tenant, docId);
		const found = items.find(({ emailId }) => emailId === queued.emailId);
		return [found?.status, ...(found?.recipients ?? []).map(({ status }) => status)];
	};
	const delivered = (id: string) => statusNotice({ id, action: "delivered" });
	expect([await report(delivered(ana)), await report(delivered(ana))]).toEqual([true, false]);
	expect(await states()).toEqual(["sent", "delivered", "sent"]);
	expect(await report(delivered(eva))).toBe(true);
	expect(await states()).toEqual(["delivered", "delivered", "delivered"]);
	const bounce = JSON.stringify({ messageId: `<${eva}@sello.example>`, status: "bounced", reason: "550 gone" });
	const json = "application/json";
	expect([await report(bounce, json), await report(bounce, json), await report(delivered(eva))]).toEqual([
		true,
		false,
		false,
	]);
	expect(await states()).toEqual(["bounced", "delivered", "bounced"]);
	expect([await report(complaint(ana)), await report(complaint(ana)), await report(bounce, json)]).toEqual([
		true,
		false,
		false,
	]);
	expect(await states()).toEqual(["complained", "complained", "bounced"]);
	const email = { emailId: queued.emailId };
	expect(await eventsOf(service, tenant, "email.bounced")).toMatchObject([
		{ docId, email: { ...email, recipient: "eva@c.example", status: "bounced", reason: "550 gone" } },
		{ docId, email: { ...email, recipient: "ana@c.example", status: "complained", reason: "abuse" } },
	]);
}, 180_000);

test("pages follow each other, newest first, and a cursor that is none is refused", async () => {
	const all = (await listEmails(service, tenant, docId)).items.map(({ emailId }) => emailId);
	const first = await listEmails(service, tenant, docId, "?limit=1");
	expect([first.items[0]?.emailId, first.partial, first.next]).toEqual([all[0], true, all[0] ?? null]);
	const second = await listEmails(service, tenant, docId, `?limit=1&after=${first.next}`);
	expect([second.items[0]?.emailId, second.partial, second.next]).toEqual([all[1], false, null]);
	expect((await get(service, `/v1/invoices/${docId}/emails?after=x`, tenant.headers)).status).toBe(400);
});
