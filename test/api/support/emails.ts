/** Requests mails with documents and waits for their status. */

import { signDelivery } from "../../../src/events/webhooks";
import type { EmailRecord, QueuedEmail } from "../../../src/invoicing/email";
import { get, MAIL_HOOK_SECRET, post, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";

export const postEmail = (
	service: TestService,
	tenant: Tenant,
	docId: string,
	body: unknown,
	headers: Record<string, string> = {},
): Promise<Response> => post(service, `/v1/invoices/${docId}/email`, { ...tenant.headers, ...headers }, body);

/** Requests a mail that must be accepted. */
export async function askForEmail(
	service: TestService,
	tenant: Tenant,
	docId: string,
	body: Record<string, unknown>,
): Promise<QueuedEmail> {
	const answer = await postEmail(service, tenant, docId, body);
	if (answer.status !== 202) throw new Error(`expected 202, got ${answer.status}: ${await answer.text()}`);
	return (await answer.json()) as QueuedEmail;
}

export async function listEmails(service: TestService, tenant: Tenant, docId: string, query = "") {
	const answer = await get(service, `/v1/invoices/${docId}/emails${query}`, tenant.headers);
	if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${await answer.text()}`);
	return (await answer.json()) as { items: EmailRecord[]; count: number; partial: boolean; next: string | null };
}

/** The mail's record once it has this status. */
export async function untilEmail(
	service: TestService,
	tenant: Tenant,
	{ docId, emailId }: QueuedEmail,
	status: EmailRecord["status"],
): Promise<EmailRecord> {
	let found: EmailRecord | undefined;
	await until(async () => {
		found = (await listEmails(service, tenant, docId)).items.find((one) => one.emailId === emailId);
		return found?.status === status;
	}, 120_000);
	if (!found) throw new Error("the mail is gone");
	return found;
}

/** A mail server's notice, signed by the operator. */
export function postNotice(
	service: TestService,
	body: string,
	{ type = "message/rfc822", secret = MAIL_HOOK_SECRET, at = Date.now() / 1_000 } = {},
): Promise<Response> {
	const signature = signDelivery(secret, Buffer.from(body), Math.floor(at));
	return fetch(`${service.url}/v1/mail/bounces`, {
		method: "POST",
		headers: { "content-type": type, "x-mail-signature": signature },
		body,
	});
}

/** The tenant's events of one name, oldest first. */
export async function eventsOf(service: TestService, tenant: Tenant, name: string) {
	const rows = await service.sql<{ body: string }[]>`
		select body from events where tenant_id = ${tenant.tenantId} and event = ${name} order by sequence`;
	return rows.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}
