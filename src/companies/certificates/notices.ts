/**
 * Which companies have to be told that a certificate ends, each time once.
 *
 * Gap: notices are given 60, 30, 7 and 1 days before the end and at the end, for the certificate that signs and the one that is scheduled. When
 * several days have passed at once, as for a certificate that was uploaded late, only the nearest one is told. A certificate that
 * another will have replaced before its end is not worth a notice.
 *
 * With its end a certificate has another status in its company's record, which has another version from then on.
 */
import { countCompanyVersion } from "../../events/endpoints";
import { enqueueEvent, type NewEvent } from "../../events/webhooks";
import type { Sql } from "../../platform/database";
import { type CertificateNotice, takeDueNotices } from "./store";

/** 0: when it has ended. */
const NOTICE_DAYS = [60, 30, 7, 1, 0] as const;

/** Most notices taken in one transaction. */
const BATCH = 100;
const DAY_MS = 86_400_000;

/** Writes the events of certificates that end soon or have ended, each once; returns their number. Each batch is its own transaction. */
export async function enqueueDueNotices(sql: Sql, now: Date): Promise<number> {
	let total = 0;
	for (;;) {
		const count = await sql.begin(async (tx) => {
			const notices = await takeDueNotices(tx, NOTICE_DAYS, BATCH, now);
			for (const notice of notices) {
				if (notice.daysBefore === 0) await countCompanyVersion(tx, notice.tenantId);
				await enqueueEvent(tx, toEvent(notice, now));
			}
			return notices.length;
		});
		total += count;
		if (count === 0) return total;
	}
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
