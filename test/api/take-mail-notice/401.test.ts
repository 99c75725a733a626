/** Only the operator reports bounces. */
import { expect, test } from "bun:test";
import { statusNotice } from "../../invoicing/email/support/notices";
import { buildInvoice, MAIL_HOOK_SECRET, postInvoice, sharedService } from "../../support/service";
import { askForEmail, listEmails, postNotice, untilEmail } from "../support/emails";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test("a forged, an old, an early and a missing signature change nothing", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const { docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
	const queued = await askForEmail(service, tenant, docId, { to: ["ana@c.example"], attach: [] });
	const { recipients } = await untilEmail(service, tenant, queued, "sent");
	const notice = statusNotice({ id: recipients[0]?.messageId ?? "" });
	const now = Date.now() / 1_000;
	const unsigned = (headers: Record<string, string>) =>
		fetch(`${service.url}/v1/mail/bounces`, {
			method: "POST",
			headers: { "content-type": "message/rfc822", ...tenant.headers, ...headers },
			body: notice,
		});
	const forged = [
		postNotice(service, notice, { secret: `${MAIL_HOOK_SECRET}x` }),
		postNotice(service, notice, { at: now - 600 }),
		postNotice(service, notice, { at: now + 600 }),
		unsigned({}),
		unsigned({ "x-mail-signature": "t=1,v1=" }),
	];
	for (const asked of forged) {
		const answer = await asked;
		expect(answer.headers.get("www-authenticate")).toBe('HMAC-SHA256 realm="mail"');
		await expectProblem(answer, 401, "unauthorised");
	}
	const other = (await postNotice(service, "Subject: x\r\n\r\n")).status;
	expect([other, (await listEmails(service, tenant, docId)).items[0]?.status]).toEqual([200, "sent"]);
}, 180_000);
