/** Writes what a notice says of a recipient, once, with the event that tells it. */

import { enqueueEvent } from "../../events/webhooks";
import type { Sql } from "../../platform/database";
import type { EmailStatus } from "./email";
import type { Notice } from "./read-notice";
import { lockRecipient, recordNotice } from "./store";

/**
 * A notice counts when it says more than what is known, so a repeated one, and one that was overtaken, changes nothing. A recipient whom the
 * server refused never got what a notice could be about.
 */
const RANKS: Readonly<Record<EmailStatus, number>> = {
	...{ queued: 0, sent: 1, delivered: 2, bounced: 3, complained: 4, failed: 5 },
};

export type Applied = {
	/** There is such a recipient. */
	readonly matched: boolean;
	readonly changed: boolean;
};

export async function applyNotice(sql: Sql, { recipientId, status, reason }: Notice, at: Date): Promise<Applied> {
	return sql.begin(async (tx) => {
		const concerned = await lockRecipient(tx, recipientId);
		if (!concerned) return { matched: false, changed: false };
		if (RANKS[status] <= RANKS[concerned.status]) return { matched: true, changed: false };
		await recordNotice(tx, recipientId, { status, reason, at });
		if (status !== "delivered") {
			const { tenantId, docId, trackId, encf, emailId, address } = concerned;
			await enqueueEvent(tx, {
				event: "email.bounced",
				...{ tenantId, docId, trackId, encf, occurredAt: at },
				email: { emailId, recipient: address, status, reason },
			});
		}
		return { matched: true, changed: true };
	});
}
