/** SQL of the portals: where each company's may be embedded, and the links that were not opened yet. */
import type { Sql, Tx } from "../../platform/database";

export const PAGES = ["invoices", "deliveries"] as const;
export type PortalPage = (typeof PAGES)[number];

export type PortalRow = {
	/** In its address. */
	readonly id: string;
	readonly tenantId: string;
	/** Sites whose pages may embed it. */
	readonly origins: readonly string[];
	readonly updatedAt: Date;
};

/** What a link opens, and for whom. */
export type Terms = {
	readonly tenantId: string;
	readonly pages: readonly PortalPage[];
	/** Whether deliveries may be sent again. */
	readonly redeliver: boolean;
	/** The key or the session for which it acts. */
	readonly keyId: string | null;
	readonly sessionId: string | null;
};

export async function findPortal(sql: Sql, tenantId: string): Promise<PortalRow | undefined> {
	const [row] = await sql<PortalRow[]>`
		select id, tenant_id as "tenantId", origins, updated_at as "updatedAt" from portals where tenant_id = ${tenantId}`;
	return row;
}

export async function findOrigins(sql: Sql, id: string): Promise<readonly string[] | undefined> {
	const [row] = await sql<Pick<PortalRow, "origins">[]>`select origins from portals where id = ${id}`;
	return row?.origins;
}

/** Keeps the id of a portal that exists. */
export async function savePortal(tx: Tx, { id, tenantId, origins, updatedAt }: PortalRow): Promise<PortalRow> {
	const [row] = await tx<PortalRow[]>`
		insert into portals (tenant_id, id, origins, updated_at) values (${tenantId}, ${id}, ${[...origins]}, ${updatedAt})
		on conflict (tenant_id) do update set origins = excluded.origins, updated_at = excluded.updated_at
		returning id, tenant_id as "tenantId", origins, updated_at as "updatedAt"`;
	if (!row) throw new Error("the portal was not stored");
	return row;
}

/** Removes those of the company that have expired. */
export async function insertLink(
	tx: Tx,
	digest: Buffer,
	{ tenantId, pages, redeliver, keyId, sessionId }: Terms,
	{ now, expiresAt }: { readonly now: Date; readonly expiresAt: Date },
): Promise<void> {
	await tx`delete from portal_links where tenant_id = ${tenantId} and expires_at <= ${now}`;
	await tx`
		insert into portal_links (digest, tenant_id, pages, redeliver, key_id, session_id, expires_at)
		values (${digest}, ${tenantId}, ${[...pages]}, ${redeliver}, ${keyId}, ${sessionId}, ${expiresAt})`;
}

/** A link works once: it is gone when it has been taken. */
export async function takeLink(
	sql: Sql,
	digest: Buffer,
	portalId: string,
	now: Date,
): Promise<(Terms & { readonly expiresAt: Date }) | undefined> {
	const [row] = await sql<(Terms & { expiresAt: Date })[]>`
		delete from portal_links l using portals p
		where l.digest = ${digest} and p.tenant_id = l.tenant_id and p.id = ${portalId} and l.expires_at > ${now}
		returning l.tenant_id as "tenantId", l.pages, l.redeliver, l.key_id as "keyId", l.session_id as "sessionId", l.expires_at as "expiresAt"`;
	return row;
}
