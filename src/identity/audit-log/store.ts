/** All SQL of the audit log. Entries can be neither changed nor removed: the database refuses both. */

import { lockNameOf, type Sql, type Tx } from "../../platform/database";
import { firstIdAt, newId, timeOfId } from "../../platform/values";
import type { Actor, AuditDetails, AuditRow } from "./record";

export type AuditEntry = {
	readonly at: Date;
	readonly actor: Actor;
	/** `noun.verb`: `registry.purge`. */
	readonly action: string;
	readonly subject: string;
	/** The company concerned, if it is not the one of the token. */
	readonly tenantId?: string;
	/** Dotted paths of the members that changed; never their values. */
	readonly changed?: readonly string[];
	/** Never contains what the action removes, nor a secret. */
	readonly details: AuditDetails;
};

/**
 * Writes an entry in the transaction that it records, so neither exists without the other. What an operator does to a company is visible to
 * the company's owner.
 */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
	const { at, actor, action, subject, changed = [], details } = entry;
	const {
		keyId = null,
		clientId = null,
		userId = null,
		sessionId = null,
		ownerId = null,
		address,
		requestId = null,
		isOperator = false,
	} = actor;
	const tenantId = entry.tenantId ?? actor.tenantId ?? null;
	await tx`
		insert into audit (id, at, key_id, client_id, owner_id, tenant_id, address, action, subject, request_id, changed, details, user_id,
			session_id)
		values (${newId()}, ${at}, ${keyId}, ${clientId},
			coalesce(${ownerId}::uuid, (select owner_id from companies where tenant_id = ${tenantId}::uuid)), ${tenantId}, ${address},
			${action}, ${subject}, ${requestId}, ${[...changed]}, ${tx.json(isOperator ? { ...details, operator: true } : details)}, ${userId}, ${sessionId})`;
}

/** How far an entry's id may be from its time. */
const CLOCKS_APART_MS = 86_400_000;

/**
 * How often keys that share a limit performed one of the actions since a time, and when first. All callers with one of `turnIds` in common
 * wait until the transaction ends, so the limit is exact across processes.
 */
export async function countSince(
	tx: Tx,
	{ keyIds, turnIds }: { readonly keyIds: readonly string[]; readonly turnIds: readonly string[] },
	actions: readonly string[],
	since: Date,
): Promise<{ readonly times: number; readonly firstAt: Date | null }> {
	// In a fixed order, to avoid deadlocks.
	for (const id of [...turnIds].sort()) {
		await tx`select pg_advisory_xact_lock(hashtextextended(${lockNameOf("auditedTenant", id)}, 0))`;
	}
	const oldest = firstIdAt(new Date(Math.min(since.getTime(), Date.now()) - CLOCKS_APART_MS));
	const [row] = await tx<{ times: number; firstAt: Date | null }[]>`
		select count(*)::int as times, min(at) as "firstAt" from audit
		where key_id = any(${keyIds as string[]}::uuid[]) and action = any(${actions as string[]}) and at > ${since} and id >= ${oldest}`;
	return row ?? { times: 0, firstAt: null };
}

/** What belongs to an owner; of that, what concerns the companies that its key opens, if the key is bound to companies. */
export type Owned = { readonly ownerId: string; readonly companyIds?: ReadonlySet<string> | undefined };

export function isOwned(sql: Sql, { ownerId, companyIds }: Owned) {
	return companyIds
		? sql`owner_id = ${ownerId} and tenant_id = any(${[...companyIds]}::uuid[])`
		: sql`owner_id = ${ownerId}`;
}

/** The entries of one owner, or of companies without one; with those of the team, which concern all companies and name none. */
export type AuditScope = {
	readonly ownerId: string | null;
	/** Absent: all of the owner. */
	readonly companyIds?: ReadonlySet<string> | undefined;
	readonly seesTeam: boolean;
};

type AuditFilter = {
	/** A full name, or a group: `webhook.*`. */
	readonly action?: string | undefined;
	/** Id of a key or client, or `operator`. */
	readonly actor?: string | undefined;
	readonly target?: string | undefined;
	/** Inclusive. */
	readonly from?: Date | undefined;
	/** Exclusive. */
	readonly to?: Date | undefined;
	readonly after?: string | undefined;
};

const DAY_MS = 86_400_000;
/** How far back the entries of a page are looked for, farther while they do not fill it. The last one has all. */
const DAYS_BACK = [60, 400, Number.POSITIVE_INFINITY];

/** Entries, newest first; one more than `limit` shows that there are more. */
export async function selectAudit(
	sql: Sql,
	scope: AuditScope,
	{ after, ...filter }: AuditFilter,
	limit: number,
): Promise<AuditRow[]> {
	const rows: AuditRow[] = [];
	const end = after === undefined ? Date.now() : timeOfId(after).getTime();
	let before = after;
	for (const days of DAYS_BACK) {
		const first = firstIdAt(new Date(Math.max(0, end - days * DAY_MS)));
		rows.push(...(await selectBetween(sql, scope, filter, { first, before }, limit + 1 - rows.length)));
		if (rows.length > limit) break;
		before = first;
	}
	return rows;
}

/** Entries whose ids are in a range, which is open at its end without `before`. */
async function selectBetween(
	sql: Sql,
	scope: AuditScope,
	{ action, actor, target, from, to }: Omit<AuditFilter, "after">,
	{ first, before }: { readonly first: string; readonly before: string | undefined },
	limit: number,
): Promise<AuditRow[]> {
	return sql<AuditRow[]>`
		select id, at, key_id as "keyId", client_id as "clientId", user_id as "userId", tenant_id as "tenantId", address, action, subject,
			request_id as "requestId", changed, details
		from audit
		where ${isIn(sql, scope)}
			${action === undefined ? sql`` : actionIs(sql, action)}
			${actor === undefined ? sql`` : actorIs(sql, actor)}
			${target === undefined ? sql`` : sql`and subject = ${target}`}
			${from === undefined ? sql`` : sql`and at >= ${from}`}
			${to === undefined ? sql`` : sql`and at < ${to}`}
			and id >= ${first} ${before === undefined ? sql`` : sql`and id < ${before}`}
		order by id desc limit ${limit}`;
}

function isIn(sql: Sql, { ownerId, companyIds, seesTeam }: AuditScope) {
	const owner = ownerId === null ? sql`owner_id is null` : sql`owner_id = ${ownerId}`;
	if (!companyIds) return owner;
	const [one, ...more] = companyIds;
	// Of one company the index has them in order.
	const own = more.length > 0 ? sql`tenant_id = any(${[...companyIds]}::uuid[])` : sql`tenant_id = ${one ?? null}`;
	// Operators are in no team, although both have no owner.
	const team = sql`tenant_id is null and starts_with(action, 'team.') and not starts_with(coalesce(details->>'role', ''), 'operator')`;
	return seesTeam ? sql`${owner} and (${own} or ${team})` : sql`${owner} and ${own}`;
}

function actionIs(sql: Sql, action: string) {
	return action.endsWith(".*") ? sql`and starts_with(action, ${action.slice(0, -1)})` : sql`and action = ${action}`;
}

function actorIs(sql: Sql, actor: string) {
	if (actor === "operator")
		return sql`and (key_id is null and client_id is null and request_id is null or details @> '{"operator": true}')`;
	return sql`and (key_id::text = ${actor} or client_id = ${actor} or user_id::text = ${actor})`;
}
