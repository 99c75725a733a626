/** SQL of people: accounts, memberships, links, views and failed sign-ins. The factors' is in a store of their own. */
import type { Sql, Tx } from "../../platform/database";
import type { PersonMembership, Role } from "../../platform/operation";
import type { Language } from "../../platform/problem";

export type User = {
	readonly id: string;
	/** In lower case. */
	readonly email: string;
	readonly name: string;
	readonly language: Language;
	readonly settings: Readonly<Record<string, unknown>>;
	/** A PHC string; null without a password. */
	readonly passwordHash: string | null;
	/** Sealed for `contextOfTotp`; it counts once `totpAt` is set. */
	readonly sealedTotpSecret: Buffer | null;
	readonly totpAt: Date | null;
	/** The last step of time whose code was used. */
	readonly totpStep: number | null;
	readonly passkeys: number;
	/** Recovery codes that are left. */
	readonly recoveryCodes: number;
	readonly createdAt: Date;
	readonly disabledAt: Date | null;
};

export const contextOfTotp = (userId: string): string => `user-totp|${userId}`;

const userColumns = (sql: Sql | Tx) => sql`
	u.id, u.email, u.name, u.language, u.settings, u.password_hash as "passwordHash", u.sealed_totp_secret as "sealedTotpSecret",
	u.totp_at as "totpAt", u.totp_step::float8 as "totpStep", u.created_at as "createdAt", u.disabled_at as "disabledAt",
	(select count(*)::int from user_passkeys p where p.user_id = u.id) as passkeys,
	(select count(*)::int from user_recovery_codes c where c.user_id = u.id and c.used_at is null) as "recoveryCodes"`;

export async function findUser(sql: Sql | Tx, id: string): Promise<User | undefined> {
	const [row] = await sql<User[]>`select ${userColumns(sql)} from users u where u.id = ${id}`;
	return row;
}

/** Any case finds it. */
export async function findUserByEmail(sql: Sql | Tx, email: string): Promise<User | undefined> {
	const [row] = await sql<User[]>`select ${userColumns(sql)} from users u where u.email = ${email.toLowerCase()}`;
	return row;
}

export async function listUsers(sql: Sql): Promise<User[]> {
	return [...(await sql<User[]>`select ${userColumns(sql)} from users u order by u.created_at, u.id`)];
}

type NewUser = Pick<User, "id" | "email" | "name" | "language" | "createdAt">;

/** The account with this address, which is made if there is none; true if it was made. */
export async function keepUser(tx: Tx, user: NewUser): Promise<{ readonly id: string; readonly isNew: boolean }> {
	const email = user.email.toLowerCase();
	const made = await tx<{ id: string }[]>`
		insert into users (id, email, name, language, created_at)
		values (${user.id}, ${email}, ${user.name}, ${user.language}, ${user.createdAt})
		on conflict (email) do nothing returning id`;
	if (made[0]) return { id: made[0].id, isNew: true };
	const [row] = await tx<{ id: string }[]>`select id from users where email = ${email}`;
	if (!row) throw new Error("an account has gone while it was looked for");
	return { id: row.id, isNew: false };
}

/** With sessions, memberships and factors. */
export async function deleteUserByEmail(sql: Sql, email: string): Promise<void> {
	await sql`delete from users where email = ${email}`;
}

export type Profile = Pick<User, "name" | "language" | "settings">;

/** Absent members stay. */
export async function saveProfile(tx: Tx, id: string, { name, language, settings }: Partial<Profile>): Promise<void> {
	await tx`
		update users set name = coalesce(${name ?? null}, name), language = coalesce(${language ?? null}, language),
			settings = coalesce(${settings ? tx.json(settings as never) : null}::jsonb, settings)
		where id = ${id}`;
}

/** False for an unknown account or one that is so already. */
export async function disableUser(tx: Tx, id: string, now: Date): Promise<boolean> {
	return (await tx`update users set disabled_at = ${now} where id = ${id} and disabled_at is null`).count === 1;
}

/** Removes every factor, so that only a recovery link opens the account. */
export async function removeFactors(tx: Tx, id: string): Promise<void> {
	await tx`
		update users set password_hash = null, password_at = null, sealed_totp_secret = null, totp_at = null, totp_step = null
		where id = ${id}`;
	await tx`delete from user_passkeys where user_id = ${id}`;
	await tx`delete from user_recovery_codes where user_id = ${id}`;
}

export type Membership = PersonMembership & { readonly id: string; readonly userId: string; readonly createdAt: Date };

/** Oldest first. */
export async function listMemberships(sql: Sql | Tx, userId: string): Promise<Membership[]> {
	return [
		...(await sql<Membership[]>`
			select id, user_id as "userId", owner_id as "ownerId", role, tenant_ids as "tenantIds", created_at as "createdAt"
			from user_memberships where user_id = ${userId} order by created_at, id`),
	];
}

type NewMembership = {
	readonly id: string;
	readonly userId: string;
	readonly ownerId: string | null;
	readonly role: Role;
	readonly tenantIds: readonly string[] | null;
	readonly createdAt: Date;
};

/** False where the person is a member already; an existing membership stays as it is. */
export async function insertMembership(tx: Tx, one: NewMembership): Promise<boolean> {
	const { id, userId, ownerId, role, tenantIds, createdAt } = one;
	const rows = await tx`
		insert into user_memberships (id, user_id, owner_id, role, tenant_ids, created_at)
		values (${id}, ${userId}, ${ownerId}, ${role}, ${tenantIds && [...tenantIds]}::uuid[], ${createdAt})
		on conflict (user_id, owner_id, (role like 'operator%')) do nothing returning id`;
	return rows.length === 1;
}

export type Invitation = {
	readonly id: string;
	/** SHA-256 of the token. */
	readonly digest: Buffer;
	readonly email: string;
	readonly ownerId: string | null;
	readonly role: Role;
	readonly tenantIds: readonly string[] | null;
	readonly language: Language;
	/** Null for the operator's command. */
	readonly invitedBy: string | null;
	readonly createdAt: Date;
	readonly expiresAt: Date;
};

export async function insertInvitation(tx: Tx, one: Invitation): Promise<void> {
	await tx`
		insert into user_invitations (id, digest, email, owner_id, role, tenant_ids, language, invited_by, created_at, expires_at)
		values (${one.id}, ${one.digest}, ${one.email.toLowerCase()}, ${one.ownerId}, ${one.role},
			${one.tenantIds && [...one.tenantIds]}::uuid[], ${one.language}, ${one.invitedBy}, ${one.createdAt}, ${one.expiresAt})`;
}

/** `sign-in` opens a session, `recovery` does so with a recovery code, `challenge` is what a passkey signs. */
type LinkKind = "sign-in" | "recovery" | "challenge";

export type Link = {
	readonly digest: Buffer;
	readonly kind: LinkKind;
	readonly userId: string | null;
	readonly createdAt: Date;
	readonly expiresAt: Date;
};

export async function insertLink(sql: Sql | Tx, { digest, kind, userId, createdAt, expiresAt }: Link): Promise<void> {
	await sql`
		insert into user_links (digest, kind, user_id, created_at, expires_at)
		values (${digest}, ${kind}, ${userId}, ${createdAt}, ${expiresAt})`;
}

/** Uses a link up; undefined for one that is unknown, of another kind, expired or used. */
export async function takeLink(
	tx: Sql | Tx,
	{ digest, kind, now }: { readonly digest: Buffer; readonly kind: LinkKind; readonly now: Date },
): Promise<Pick<Link, "userId"> | undefined> {
	const [row] = await tx<Pick<Link, "userId">[]>`
		update user_links set used_at = ${now}
		where digest = ${digest} and kind = ${kind} and used_at is null and expires_at > ${now}
		returning user_id as "userId"`;
	return row;
}

/** Links of this kind that the person has not used become void. */
export async function voidLinks(tx: Tx, userId: string, kind: LinkKind, now: Date): Promise<void> {
	await tx`
		update user_links set used_at = ${now} where user_id = ${userId} and kind = ${kind} and used_at is null`;
}

export type SavedView = {
	readonly id: string;
	readonly page: string;
	readonly name: string;
	readonly query: string;
	readonly createdAt: Date;
};

export async function listViews(sql: Sql | Tx, userId: string): Promise<SavedView[]> {
	return [
		...(await sql<SavedView[]>`
			select id, page, name, query, created_at as "createdAt" from user_views where user_id = ${userId} order by id`),
	];
}

/** False where the person has `max` views already. */
export async function insertView(tx: Tx, userId: string, view: SavedView, max: number): Promise<boolean> {
	await tx`select 1 from users where id = ${userId} for update`;
	const rows = await tx`
		insert into user_views (id, user_id, page, name, query, created_at)
		select ${view.id}, ${userId}, ${view.page}, ${view.name}, ${view.query}, ${view.createdAt}
		where (select count(*) from user_views where user_id = ${userId}) < ${max}
		returning id`;
	return rows.length === 1;
}

/** The changed view; undefined for one that is not the person's. */
export async function saveView(
	sql: Sql,
	userId: string,
	id: string,
	{ name, query }: Partial<Pick<SavedView, "name" | "query">>,
): Promise<SavedView | undefined> {
	const [row] = await sql<SavedView[]>`
		update user_views set name = coalesce(${name ?? null}, name), query = coalesce(${query ?? null}, query)
		where user_id = ${userId} and id = ${id}
		returning id, page, name, query, created_at as "createdAt"`;
	return row;
}

/** False for a view that is not the person's. */
export async function deleteView(sql: Sql, userId: string, id: string): Promise<boolean> {
	return (await sql`delete from user_views where user_id = ${userId} and id = ${id}`).count === 1;
}

/** After this many failures in a row an address waits, first 30 seconds, then twice as long each time. */
const FAILURES_FREE = 5;
const WAIT_SECONDS = 30;
const WAIT_SECONDS_MAX = 900;

/**
 * Counts an attempt to sign in as a failed one, before the password is looked at, so that attempts at the same time count too. Returns the
 * seconds to wait when the attempt may not be made.
 */
export async function takeAttempt(sql: Sql, digest: Buffer, now: Date): Promise<number | undefined> {
	const waited = sql`least(${WAIT_SECONDS} * 2 ^ least(f.failures - ${FAILURES_FREE}, 10), ${WAIT_SECONDS_MAX})`;
	const taken = await sql`
		insert into user_sign_in_failures as f (digest, failures, failed_at) values (${digest}, 1, ${now})
		on conflict (digest) do update set failures = f.failures + 1, failed_at = excluded.failed_at
		where f.failures < ${FAILURES_FREE} or f.failed_at + make_interval(secs => ${waited}) <= ${now}
		returning failures`;
	if (taken.length === 1) return undefined;
	const [row] = await sql<{ seconds: number }[]>`
		select ceil(${waited} - extract(epoch from ${now}::timestamptz - failed_at))::int as seconds
		from user_sign_in_failures f where digest = ${digest}`;
	return Math.max(1, row?.seconds ?? 1);
}

/** For a right password without the code of an authenticator: neither a failure nor a success. */
export async function giveBackAttempt(sql: Sql, digest: Buffer): Promise<void> {
	await sql`update user_sign_in_failures set failures = greatest(failures - 1, 0) where digest = ${digest}`;
}

export async function clearFailures(tx: Sql | Tx, digest: Buffer): Promise<void> {
	await tx`delete from user_sign_in_failures where digest = ${digest}`;
}

/** Removes links that ended and failures that are forgotten before a time; returns how many. */
export async function sweepUsers(sql: Sql, before: Date): Promise<number> {
	const links = await sql`delete from user_links where expires_at < ${before}`;
	const failures = await sql`delete from user_sign_in_failures where failed_at < ${before}`;
	return links.count + failures.count;
}
