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
import type { Sql, Tx } from "../../platform/database";
import { type CertificateNotice, takeDueNotices } from "./store";

/** 0: when it has ended. */
const NOTICE_DAYS = [60, 30, 7, 1, 0] as const;

/** Most notices taken in one transaction. */
const BATCH = 100;

/** Repeats `tell` until nothing is due; each turn is a transaction of its own. */
export async function tellDueNotices(
	sql: Sql,
	now: Date,
	tell: (tx: Tx, notice: CertificateNotice) => Promise<unknown>,
): Promise<number> {
	let told = 0;
	for (;;) {
		const count = await sql.begin(async (tx) => {
			const notices = await takeDueNotices(tx, NOTICE_DAYS, BATCH, now);
			for (const notice of notices) {
				if (notice.daysBefore === 0) await countCompanyVersion(tx, notice.tenantId);
				await tell(tx, notice);
			}
			return notices.length;
		});
		told += count;
		if (count === 0) return told;
	}
}
