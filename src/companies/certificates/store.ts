/**
 * SQL for signing certificates.
 *
 *     scheduled ──its day──▶ active ──another becomes active──▶ retired ──activated again──▶ active
 *          └───────────────────┴────────────────────────────────────┴──removed──▶ removed, its key destroyed
 *
 * The clock decides which certificate signs, not the stored status: a scheduled one signs as soon as its day comes. `settleDue` records this
 * later.
 */
import { countCompanyVersion } from "../../events/endpoints";
import type { Sql, Tx } from "../../platform/database";

export type CertificateStatus = "active" | "scheduled" | "retired" | "removed";

export type CertificateRow = {
	readonly id: string;
	readonly tenantId: string;
	readonly status: CertificateStatus;
	readonly certificateDer: Uint8Array;
	/** Null after its removal. */
	readonly sealedKey: Uint8Array | null;
	readonly thumbprint: string;
	readonly subject: string;
	readonly issuer: string;
	readonly serialNumber: string;
	readonly notBefore: Date;
	readonly notAfter: Date;
	readonly ephemeral: boolean;
	readonly activateAt: Date;
};

/** `revision` counts its changes. */
export type StoredCertificate = CertificateRow & { readonly revision: number };

type CertificateKey = Pick<CertificateRow, "tenantId" | "id">;

/** Violates `signing_certificates_once` if the company already has this certificate. */
export async function insertCertificate(tx: Tx, c: CertificateRow): Promise<void> {
	await tx`
		insert into signing_certificates (
			tenant_id, id, status, certificate_der, sealed_key, thumbprint, subject, issuer, serial_number, not_before, not_after,
			ephemeral, activate_at
		) values (
			${c.tenantId}, ${c.id}, ${c.status}, ${c.certificateDer}, ${c.sealedKey}, ${c.thumbprint}, ${c.subject}, ${c.issuer},
			${c.serialNumber}, ${c.notBefore}, ${c.notAfter}, ${c.ephemeral}, ${c.activateAt}
		)`;
}

const columns = (sql: Sql | Tx) => sql`
	id, tenant_id as "tenantId", status, certificate_der as "certificateDer", sealed_key as "sealedKey", thumbprint, subject,
	issuer, serial_number as "serialNumber", not_before as "notBefore", not_after as "notAfter", ephemeral,
	activate_at as "activateAt", revision`;

/** The certificate that signs at an instant, whatever its validity. */
export async function findSigningCertificate(
	sql: Sql | Tx,
	tenantId: string,
	now: Date,
): Promise<CertificateRow | undefined> {
	const [row] = await findSigningCertificates(sql, [tenantId], now);
	return row;
}

/** The same for several companies, in any order; companies without a certificate are left out. */
export async function findSigningCertificates(
	sql: Sql | Tx,
	tenantIds: readonly string[],
	now: Date,
): Promise<StoredCertificate[]> {
	const rows = await sql<StoredCertificate[]>`
		select distinct on (tenant_id) ${columns(sql)} from signing_certificates
		where tenant_id = any(${[...tenantIds]}::uuid[])
			and (status = 'active' or (status = 'scheduled' and activate_at <= ${now}))
		order by tenant_id, (status = 'scheduled') desc`;
	// A scheduled certificate whose day has come is active, even if that is not recorded yet.
	return rows.map((row) => ({ ...row, status: "active" }));
}

/** All certificates of a company, newest first. */
export async function listCertificates(sql: Sql | Tx, tenantId: string): Promise<CertificateRow[]> {
	return sql<CertificateRow[]>`
		select ${columns(sql)} from signing_certificates where tenant_id = ${tenantId} order by id desc`;
}

export async function findCertificate(
	sql: Sql | Tx,
	tenantId: string,
	id: string,
): Promise<CertificateRow | undefined> {
	const [row] = await sql<CertificateRow[]>`
		select ${columns(sql)} from signing_certificates where tenant_id = ${tenantId} and id = ${id}`;
	return row;
}

export async function findByThumbprint(
	sql: Sql | Tx,
	tenantId: string,
	thumbprint: string,
): Promise<CertificateRow | undefined> {
	const [row] = await sql<CertificateRow[]>`
		select ${columns(sql)} from signing_certificates
		where tenant_id = ${tenantId} and thumbprint = ${thumbprint} and status <> 'removed'`;
	return row;
}

/** Records that a scheduled certificate's day has come. Call it under the company's lock. */
export async function settleDue(tx: Tx, tenantId: string, now: Date): Promise<void> {
	const [due] = await tx<{ id: string }[]>`
		select id from signing_certificates
		where tenant_id = ${tenantId} and status = 'scheduled' and activate_at <= ${now}`;
	if (!due) return;
	await retire(tx, tenantId, "active");
	await tx`update signing_certificates set status = 'active' where tenant_id = ${tenantId} and id = ${due.id}`;
	await countCompanyVersion(tx, tenantId);
}

/** Retires a company's active or scheduled certificate. Its key is kept for a roll-back. */
export async function retire(tx: Tx, tenantId: string, status: "active" | "scheduled"): Promise<void> {
	await tx`update signing_certificates set status = 'retired' where tenant_id = ${tenantId} and status = ${status}`;
}

export async function place(
	tx: Tx,
	{ tenantId, id }: CertificateKey,
	status: "active" | "scheduled",
	activateAt: Date,
): Promise<void> {
	await tx`
		update signing_certificates set status = ${status}, activate_at = ${activateAt}
		where tenant_id = ${tenantId} and id = ${id}`;
}

/** Destroys the key irreversibly. */
export async function removeKey(tx: Tx, { tenantId, id }: CertificateKey): Promise<void> {
	await tx`
		update signing_certificates set status = 'removed', sealed_key = null where tenant_id = ${tenantId} and id = ${id}`;
}

/** Moves the dates of a company's certificates back. Locks them in the same order as the re-sealing of keys. */
export async function ageCertificates(tx: Tx, tenantId: string, seconds: number): Promise<void> {
	const aged = tx`make_interval(secs => ${seconds})`;
	await tx`
		with taken as materialized (
			select id from signing_certificates where tenant_id = ${tenantId} and status <> 'removed' order by thumbprint for update
		)
		update signing_certificates c
		set not_before = c.not_before - ${aged}, not_after = c.not_after - ${aged}, activate_at = c.activate_at - ${aged}
		from taken t where c.tenant_id = ${tenantId} and c.id = t.id`;
}

/** Companies with a scheduled certificate whose day has come. */
export async function findTenantsDue(sql: Sql, now: Date): Promise<string[]> {
	const rows = await sql<{ tenantId: string }[]>`
		select tenant_id as "tenantId" from signing_certificates where status = 'scheduled' and activate_at <= ${now}`;
	return rows.map((row) => row.tenantId);
}

export type CertificateNotice = {
	readonly tenantId: string;
	readonly certificateId: string;
	readonly thumbprint: string;
	readonly notAfter: Date;
	/** 0: at its end. */
	readonly daysBefore: number;
};

/** Takes the due notices, for each certificate the nearest of these days before its end, and marks them as sent if the transaction commits. */
export async function takeDueNotices(
	tx: Tx,
	days: readonly number[],
	limit: number,
	now: Date,
): Promise<CertificateNotice[]> {
	return tx<CertificateNotice[]>`
		with nearest as (
			select c.id, c.tenant_id, c.thumbprint, c.not_after, min(d.days_before) as days_before
			from signing_certificates c
			join unnest(${[...days]}::int[]) d (days_before)
				on c.not_after <= ${now}::timestamptz + d.days_before * interval '1 day'
			where c.status in ('active', 'scheduled')
				and c.not_after <= ${now}::timestamptz + ${Math.max(...days)} * interval '1 day'
				and not exists (
					select 1 from signing_certificates next
					where next.tenant_id = c.tenant_id and next.status = 'scheduled' and next.id <> c.id
						and next.activate_at <= c.not_after and next.not_after > c.not_after
				)
			group by c.tenant_id, c.id
		), marked as (
			insert into certificate_notices (tenant_id, certificate_id, days_before)
			select tenant_id, id, days_before from nearest n
			where not exists (
				select 1 from certificate_notices earlier
				where earlier.tenant_id = n.tenant_id and earlier.certificate_id = n.id and earlier.days_before = n.days_before
			)
			order by not_after limit ${limit}
			on conflict do nothing
			returning tenant_id, certificate_id, days_before
		)
		select n.tenant_id as "tenantId", n.id as "certificateId", n.thumbprint, n.not_after as "notAfter",
			n.days_before as "daysBefore"
		from nearest n join marked t on t.tenant_id = n.tenant_id and t.certificate_id = n.id and t.days_before = n.days_before
		order by n.not_after`;
}

/** Of certificates that sign now: how many have ended, and how many end within so many days; the counts are cumulative. */
export type CertificatesEnding = {
	readonly ended: number;
	readonly in1d: number;
	readonly in7d: number;
	readonly in30d: number;
};

/**
 * Counts companies that are not closed. A certificate that will be replaced before its end does not count, as for notices. Neither does one
 * whose successor's day has come.
 */
export async function countEnding(sql: Sql, now: Date): Promise<CertificatesEnding> {
	const within = (days: number) =>
		sql`(count(*) filter (where c.not_after >= ${now} and c.not_after <= ${now}::timestamptz + ${days} * interval '1 day'))::int`;
	const [row] = await sql<CertificatesEnding[]>`
		select (count(*) filter (where c.not_after < ${now}))::int as ended,
			${within(1)} as "in1d", ${within(7)} as "in7d", ${within(30)} as "in30d"
		from signing_certificates c
		where c.status in ('active', 'scheduled') and c.not_after <= ${now}::timestamptz + interval '30 days'
			and (c.status = 'active' or c.activate_at <= ${now})
			and exists (select 1 from companies o where o.tenant_id = c.tenant_id and o.status <> 'closed')
			and not exists (
				select 1 from signing_certificates next
				where next.tenant_id = c.tenant_id and next.status = 'scheduled' and next.id <> c.id
					and (next.activate_at <= ${now} or (next.activate_at <= c.not_after and next.not_after > c.not_after))
			)`;
	return row ?? { ended: 0, in1d: 0, in7d: 0, in30d: 0 };
}

/** The certificate that signs for a company, if it ends within so many days and no successor is scheduled, as for notices. */
export async function findEnding(
	sql: Sql,
	tenantId: string,
	now: Date,
	days: number,
): Promise<Pick<CertificateRow, "id" | "subject" | "notAfter"> | undefined> {
	const [signing, all] = await Promise.all([
		findSigningCertificate(sql, tenantId, now),
		listCertificates(sql, tenantId),
	]);
	if (!signing || signing.notAfter.getTime() > now.getTime() + days * 86_400_000) return undefined;
	const isFollowed = all.some(
		({ id, status, activateAt, notAfter }) =>
			status === "scheduled" && id !== signing.id && activateAt <= signing.notAfter && notAfter > signing.notAfter,
	);
	return isFollowed ? undefined : signing;
}
