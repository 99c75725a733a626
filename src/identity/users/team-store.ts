/** SQL of teams: the members of an owner, and invitations. Null for the owner: operators, and the companies of the demo key. */
import { lockNameOf, type Sql, type Tx } from "../../platform/database";
import type { Role } from "../../platform/operation";
import type { Invitation, Membership } from "./store";

/** Lets one transaction at a time change an owner's team, so that its limits and its last owner hold. */
export async function lockTeam(tx: Tx, ownerId: string | null): Promise<void> {
	await tx`select pg_advisory_xact_lock(hashtextextended(${lockNameOf("team", ownerId ?? "")}, 0))`;
}

export type Member = Membership & {
	readonly email: string;
	readonly name: string;
	readonly hasPassword: boolean;
	readonly hasTotp: boolean;
	readonly passkeys: number;
	readonly disabledAt: Date | null;
};

const memberColumns = (sql: Sql | Tx) => sql`
	m.id, m.user_id as "userId", m.owner_id as "ownerId", m.role, m.tenant_ids as "tenantIds", m.created_at as "createdAt", u.email,
	u.name, u.password_hash is not null as "hasPassword", u.totp_at is not null as "hasTotp", u.disabled_at as "disabledAt",
	(select count(*)::int from user_passkeys p where p.user_id = u.id) as passkeys`;

const isOfTeam = (sql: Sql | Tx) => sql`m.role not like 'operator%'`;

/** Oldest first; operators are in no team. */
export async function listMembers(sql: Sql | Tx, ownerId: string | null): Promise<Member[]> {
	return [
		...(await sql<Member[]>`
			select ${memberColumns(sql)} from user_memberships m join users u on u.id = m.user_id
			where m.owner_id is not distinct from ${ownerId}::uuid and ${isOfTeam(sql)} order by m.created_at, m.id`),
	];
}

export async function findMember(sql: Sql | Tx, id: string): Promise<Member | undefined> {
	const [row] = await sql<Member[]>`
		select ${memberColumns(sql)} from user_memberships m join users u on u.id = m.user_id
		where m.id = ${id} and ${isOfTeam(sql)}`;
	return row;
}

export async function updateMembership(
	tx: Tx,
	{ id, role, tenantIds }: Pick<Membership, "id" | "role" | "tenantIds">,
): Promise<void> {
	await tx`
		update user_memberships set role = ${role}, tenant_ids = ${tenantIds && [...tenantIds]}::uuid[] where id = ${id}`;
}

export async function deleteMembership(tx: Tx, id: string): Promise<void> {
	await tx`delete from user_memberships where id = ${id}`;
}

export type OpenInvitation = Omit<Invitation, "digest">;

const invitationColumns = (sql: Sql | Tx) => sql`
	id, email, owner_id as "ownerId", role, tenant_ids as "tenantIds", language, invited_by as "invitedBy",
	created_at as "createdAt", expires_at as "expiresAt"`;

/** Of one address that are accepted at once. */
const INVITATIONS_MAX = 50;

const isOpen = (sql: Sql | Tx, now: Date) => sql`accepted_at is null and revoked_at is null and expires_at > ${now}`;

/** Newest first. */
export async function listInvitations(sql: Sql | Tx, ownerId: string | null, now: Date): Promise<OpenInvitation[]> {
	return [
		...(await sql<(OpenInvitation & { readonly role: Role })[]>`
			select ${invitationColumns(sql)} from user_invitations
			where owner_id is not distinct from ${ownerId}::uuid and role not like 'operator%' and ${isOpen(sql, now)}
			order by created_at desc, id desc`),
	];
}

export async function findInvitation(sql: Sql | Tx, id: string, now: Date): Promise<OpenInvitation | undefined> {
	const [row] = await sql<OpenInvitation[]>`
		select ${invitationColumns(sql)} from user_invitations where id = ${id} and ${isOpen(sql, now)}`;
	return row;
}

/** By the digest of its token, locked until the transaction ends. */
export async function lockInvitation(tx: Tx, digest: Buffer, now: Date): Promise<OpenInvitation | undefined> {
	const [row] = await tx<OpenInvitation[]>`
		select ${invitationColumns(tx)} from user_invitations where digest = ${digest} and ${isOpen(tx, now)} for update`;
	return row;
}

/** Those of an address, oldest first, locked until the transaction ends. */
export async function lockInvitationsOf(tx: Tx, email: string, now: Date): Promise<OpenInvitation[]> {
	return [
		...(await tx<OpenInvitation[]>`
			select ${invitationColumns(tx)} from user_invitations where email = ${email} and ${isOpen(tx, now)}
			order by created_at, id limit ${INVITATIONS_MAX} for update`),
	];
}

export async function acceptInvitation(tx: Tx, id: string, now: Date): Promise<void> {
	await tx`update user_invitations set accepted_at = ${now} where id = ${id}`;
}

/** False for one that is not open. */
export async function revokeInvitation(tx: Tx, id: string, now: Date): Promise<boolean> {
	const { count } = await tx`update user_invitations set revoked_at = ${now} where id = ${id} and ${isOpen(tx, now)}`;
	return count === 1;
}
