/**
 * Notices of certificates that end, each sent once.
 *
 * Gap: notices are due 60, 30, 7 and 1 days before the end and at the end, for the active and the scheduled certificate. If several are due at
 * once, as for a certificate that was uploaded late, only the nearest is sent. A certificate that will be replaced before its end gets none.
 *
 * Its end changes the status in the company's record, which then gets a new version.
 */
import { countCompanyVersion } from "../../events/endpoints";
import { enqueueEvent, type NewEvent } from "../../events/webhooks";
import type { Sql } from "../../platform/database";
import { type CertificateNotice, takeDueNotices } from "./store";

/** 0: at its end. */
const NOTICE_DAYS = [60, 30, 7, 1, 0] as const;

/** Most notices per transaction. */
const BATCH = 100;
const DAY_MS = 86_400_000;

/** Writes the events of certificates that end soon or have ended, each once. Returns their number. Each batch is one transaction. */
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
