/** All SQL of sessions. Tokens are random, so their SHA-256 is kept. */
import type { Sql, Tx } from "../../platform/database";

export type SignInMethod = "passkey" | "password" | "link" | "recovery" | "sso";

export type SessionRow = {
	readonly id: string;
	readonly userId: string;
	readonly tokenDigest: Buffer;
	readonly tokenAt: Date;
	/** The token before, which other tabs may still send until `formerUntil`. */
	readonly formerDigest: Buffer | null;
	readonly formerUntil: Date | null;
	readonly method: SignInMethod;
	readonly isOperator: boolean;
	readonly address: string;
	readonly agent: string;
	readonly createdAt: Date;
	/** Written at most once a minute. */
	readonly lastSeenAt: Date;
	readonly idleSeconds: number;
	readonly expiresAt: Date;
	readonly confirmedAt: Date;
	readonly endedAt: Date | null;
};

const sessionColumns = (sql: Sql | Tx) => sql`
	id, user_id as "userId", token_digest as "tokenDigest", token_at as "tokenAt", former_digest as "formerDigest",
	former_until as "formerUntil", method, is_operator as "isOperator", address, agent, created_at as "createdAt",
	last_seen_at as "lastSeenAt", idle_seconds as "idleSeconds", expires_at as "expiresAt", confirmed_at as "confirmedAt",
	ended_at as "endedAt"`;

/** A person has at most `max` sessions; the oldest ones end. */
export async function insertSession(tx: Tx, one: SessionRow, max: number): Promise<void> {
	await tx`
		insert into user_sessions (id, user_id, token_digest, token_at, method, is_operator, address, agent, created_at, last_seen_at,
			idle_seconds, expires_at, confirmed_at)
		values (${one.id}, ${one.userId}, ${one.tokenDigest}, ${one.tokenAt}, ${one.method}, ${one.isOperator}, ${one.address},
			${one.agent}, ${one.createdAt}, ${one.lastSeenAt}, ${one.idleSeconds}, ${one.expiresAt}, ${one.confirmedAt})`;
	await tx`
		update user_sessions set ended_at = ${one.createdAt} where id in (
			select id from user_sessions where user_id = ${one.userId} and ended_at is null and expires_at > ${one.createdAt}
			order by created_at desc, id desc offset ${max}
		)`;
}

/** By the digest of its token, or of the one before. */
export async function findSession(sql: Sql | Tx, digest: Buffer): Promise<SessionRow | undefined> {
	const [row] = await sql<SessionRow[]>`
		select ${sessionColumns(sql)} from user_sessions where token_digest = ${digest} or former_digest = ${digest}`;
	return row;
}

export async function findSessionById(sql: Sql, id: string): Promise<SessionRow | undefined> {
	const [row] = await sql<SessionRow[]>`select ${sessionColumns(sql)} from user_sessions where id = ${id}`;
	return row;
}

/** Whether the person has used this browser before, or none at all. */
export async function isKnownAgent(tx: Tx, userId: string, agent: string): Promise<boolean> {
	const [row] = await tx<{ isKnown: boolean }[]>`
		select coalesce(bool_or(agent = ${agent}), true) as "isKnown" from user_sessions where user_id = ${userId}`;
	return row?.isKnown ?? true;
}

/** Those in force, newest first. */
export async function listSessions(sql: Sql, userId: string, now: Date): Promise<SessionRow[]> {
	return [
		...(await sql<SessionRow[]>`
			select ${sessionColumns(sql)} from user_sessions
			where user_id = ${userId} and ended_at is null and expires_at > ${now}
				and last_seen_at + make_interval(secs => idle_seconds) > ${now}
			order by created_at desc, id desc`),
	];
}

/** The digests that a session has been known by. */
export type SessionDigests = Pick<SessionRow, "tokenDigest" | "formerDigest">;

/**
 * Gives a session another token, and returns the digests before; undefined if it has ended. A session that was sent with the token before gets
 * another one only when a factor was shown: two tabs that renew it at once would else outdate each other's cookie.
 */
export async function replaceToken(
	tx: Tx,
	change: {
		readonly id: string;
		readonly sent: Buffer;
		readonly formerUntil: Date;
		readonly digest: Buffer;
		readonly now: Date;
		/** Whether a factor was shown. */
		readonly isConfirmed: boolean;
	},
): Promise<SessionDigests | undefined> {
	const { id, sent, formerUntil, digest, now, isConfirmed } = change;
	const confirmed = isConfirmed ? tx`, confirmed_at = ${now}` : tx``;
	const orFormer = isConfirmed ? tx`or former_digest = ${sent}` : tx``;
	const [before] = await tx<SessionDigests[]>`
		select token_digest as "tokenDigest", former_digest as "formerDigest" from user_sessions
		where id = ${id} and (token_digest = ${sent} ${orFormer}) and ended_at is null for update`;
	if (!before) return undefined;
	await tx`
		update user_sessions set token_digest = ${digest}, token_at = ${now}, former_digest = ${before.tokenDigest},
			former_until = ${formerUntil} ${confirmed}
		where id = ${id}`;
	return before;
}

/** The digests of the session that this call ended; undefined for one that is not the person's or has ended. */
export async function endSession(
	tx: Sql | Tx,
	userId: string,
	id: string,
	now: Date,
): Promise<SessionDigests | undefined> {
	const [row] = await tx<SessionDigests[]>`
		update user_sessions set ended_at = ${now} where id = ${id} and user_id = ${userId} and ended_at is null
		returning token_digest as "tokenDigest", former_digest as "formerDigest"`;
	return row;
}

/** Ends all sessions of a person, but one if it is named; returns how many. */
export async function endSessions(tx: Tx, userId: string, now: Date, exceptId?: string): Promise<number> {
	const { count } = await tx`
		update user_sessions set ended_at = ${now}
		where user_id = ${userId} and ended_at is null and id is distinct from ${exceptId ?? null}::uuid`;
	return count;
}

/** A locked session is skipped: a later use is noted as well. */
export async function saveSessionUse(sql: Sql, ids: readonly string[], now: Date): Promise<void> {
	await sql`
		update user_sessions set last_seen_at = greatest(last_seen_at, ${now}) where id in (
			select id from user_sessions where id = any(${[...ids]}::uuid[]) and ended_at is null for no key update skip locked
		)`;
}

/** Removes sessions that ended before a time; returns how many. */
export async function sweepSessions(sql: Sql, before: Date): Promise<number> {
	return (await sql`delete from user_sessions where expires_at < ${before} or ended_at < ${before}`).count;
}
