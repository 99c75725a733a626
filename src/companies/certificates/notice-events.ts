/** What owners are told of certificates that end. */

import { enqueueEvent, type NewEvent } from "../../events/webhooks";
import type { Sql } from "../../platform/database";
import { type CertificateNotice, tellDueNotices } from "..";

const DAY_MS = 86_400_000;

/** Writes the events of certificates that end soon or have ended, each once. Gives their number. */
export function tellOfCertificates(sql: Sql, now: Date): Promise<number> {
	return tellDueNotices(sql, now, (tx, notice) => enqueueEvent(tx, toEvent(notice, now)));
}

function toEvent(
	{ tenantId, certificateId, thumbprint, notAfter, daysBefore }: CertificateNotice,
	now: Date,
): NewEvent {
	return {
		event: daysBefore === 0 ? "certificate.expired" : "certificate.expiring",
		tenantId,
		docId: certificateId,
		trackId: certificateId,
		occurredAt: now,
		certificate: {
			thumbprint,
			notAfter: notAfter.toISOString(),
			daysLeft: Math.max(0, Math.floor((notAfter.getTime() - now.getTime()) / DAY_MS)),
		},
	};
}
