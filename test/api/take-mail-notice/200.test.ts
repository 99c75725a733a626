/** Whatever arrives at the sender's address may be posted: what is no notice of ours is read and changes nothing. */
import { expect, test } from "bun:test";
import { statusNotice } from "../../invoicing/email/support/notices";
import { sharedService } from "../../support/service";
import { postNotice } from "../support/emails";
import { UNKNOWN_ID } from "../support/tenants";

test("unrelated notices match nothing", async () => {
	const service = await sharedService();
	const bodies: [string, string][] = [
		[statusNotice({ id: UNKNOWN_ID }), "message/rfc822"],
		["Subject: Fuera de la oficina\r\n\r\nHasta el lunes", "message/rfc822"],
		[JSON.stringify({ messageId: "<x@provider.example>", status: "bounced" }), "application/json"],
	];
	for (const [body, type] of bodies) {
		const answer = await postNotice(service, body, { type });
		expect([answer.status, await answer.json()]).toEqual([200, { matched: false, changed: false }]);
	}
});
