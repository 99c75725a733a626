/**
 * Which companies have to be told that a certificate ends, each time once.
 *
 * Gap: notices are given 60, 30, 7 and 1 days before the end and at the end, for the certificate that signs and the one that is scheduled. When
 * several days have passed at once, as for a certificate that was uploaded late, only the nearest one is told. A certificate that
 * another will have replaced before its end is not worth a notice.
 */
import type { Sql, Tx } from "../../database";

export const NOTICE_DAYS = [60, 30, 7, 1] as const;

export type CertificateNotice = {
	readonly tenantId: string;
	readonly certificateId: string;
	readonly thumbprint: string;
	readonly notAfter: Date;
	/** 0: it has ended. */
	readonly daysBefore: number;
};

/** Most notices taken in one transaction. */
const BATCH = 100;

/** Takes notices that are due, marking them as told: they are told if the transaction commits. */
async function takeDueNotices(tx: Tx, now: Date): Promise<CertificateNotice[]> {
	return tx<CertificateNotice[]>`
		with nearest as (
			select c.id, c.tenant_id, c.thumbprint, c.not_after, min(d.days_before) as days_before
			from signing_certificates c
			join unnest(${[0, ...NOTICE_DAYS]}::int[]) d (days_before)
				on c.not_after <= ${now}::timestamptz + d.days_before * interval '1 day'
			where c.status in ('active', 'scheduled')
				and c.not_after <= ${now}::timestamptz + ${NOTICE_DAYS[0]} * interval '1 day'
				and not exists (
					select 1 from signing_certificates next
					where next.tenant_id = c.tenant_id and next.status = 'scheduled' and next.id <> c.id
						and next.activate_at <= c.not_after and next.not_after > c.not_after
				)
			group by c.id
		), told as (
			insert into certificate_notices (certificate_id, days_before)
			select id, days_before from nearest n
			where not exists (
				select 1 from certificate_notices earlier where earlier.certificate_id = n.id and earlier.days_before = n.days_before
			)
			order by not_after limit ${BATCH}
			on conflict do nothing
			returning certificate_id, days_before
		)
		select n.tenant_id as "tenantId", n.id as "certificateId", n.thumbprint, n.not_after as "notAfter",
			n.days_before as "daysBefore"
		from nearest n join told t on t.certificate_id = n.id and t.days_before = n.days_before
		order by n.not_after`;
}

/** Repeats `tell` until nothing is due; each turn is a transaction of its own. */
export async function tellDueNotices(
	sql: Sql,
	now: Date,
	tell: (tx: Tx, notice: CertificateNotice) => Promise<unknown>,
): Promise<number> {
	let told = 0;
	for (;;) {
		const count = await sql.begin(async (tx) => {
			const notices = await takeDueNotices(tx, now);
			for (const notice of notices) await tell(tx, notice);
			return notices.length;
		});
		told += count;
		if (count === 0) return told;
	}
}
