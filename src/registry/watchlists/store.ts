/** All SQL of the watchlists. */
import { randomBytes } from "node:crypto";
import type { Sql, Tx } from "../../platform/database";
import { newId } from "../../platform/values";
import { findLastOrdinal, type WatchedField } from "../changes";

export const DIGESTS = ["daily", "weekly"] as const;
export type Digest = (typeof DIGESTS)[number];
export const LOCALES = ["es", "en"] as const;
export type Locale = (typeof LOCALES)[number];
export const SOURCES = ["customers", "suppliers"] as const;
/** Which documents of its company fill a list. */
export type Source = (typeof SOURCES)[number];

/** What its holder sets. */
export type WatchlistSettings = {
	readonly name: string;
	readonly fields: readonly WatchedField[];
	/** Who gets the digests. */
	readonly emails: readonly string[];
	readonly digest: Digest | null;
	/** Language of the digests. */
	readonly locale: Locale;
};

export type WatchlistRow = WatchlistSettings & {
	readonly id: string;
	/** Those of `emails` that stopped all digests, in lower case. */
	readonly stopped: readonly string[];
	/** Null: its holder sends the numbers. */
	readonly source: Source | null;
	/** Null before the first filling. */
	readonly filledAt: Date | null;
	/** Numbers that the last filling left out, because of the plan. */
	readonly omitted: number;
	readonly count: number;
	readonly createdAt: Date;
	readonly updatedAt: Date;
};

/** Whose list it is: an owner's, or a company's of this owner. */
export type Holder = { readonly ownerId: string; readonly tenantId: string | null };

const columns = (sql: Sql | Tx) => sql`
	id, name, fields, emails, digest, locale, source, source_filled_at as "filledAt", source_omitted as omitted, number_count as count,
	created_at as "createdAt", updated_at as "updatedAt",
	array(
		select a.address from digest_addresses a
		where a.address in (select lower(e) from unnest(emails) e) and a.stopped_at is not null order by 1
	) as stopped`;

const heldBy = (sql: Sql | Tx, { ownerId, tenantId }: Holder) =>
	sql`owner_id = ${ownerId} and subject_id = ${tenantId ?? ownerId}`;

/** Locks the owner until the transaction ends, so that its limits hold. Returns the lists and numbers of all its companies. */
export async function lockAndCount(tx: Tx, ownerId: string): Promise<{ lists: number; numbers: number }> {
	await tx`select 1 from owners where id = ${ownerId} for no key update`;
	const [row] = await tx<{ lists: number; numbers: number }[]>`
		select count(*)::int as lists, coalesce(sum(number_count), 0)::int as numbers from watchlists where owner_id = ${ownerId}`;
	return row ?? { lists: 0, numbers: 0 };
}

/** Its events and digests begin with the next run. `days`: for which its digest and its filling count as queued. */
export async function insertWatchlist(
	tx: Tx,
	{ ownerId, tenantId }: Holder,
	list: WatchlistSettings & Pick<WatchlistRow, "id" | "source">,
	days: { readonly digest: string; readonly night: string },
): Promise<WatchlistRow> {
	const ordinal = await findLastOrdinal(tx);
	const [row] = await tx<WatchlistRow[]>`
		insert into watchlists (id, owner_id, tenant_id, name, fields, emails, digest, locale, source, joined_ordinal, digest_ordinal, digest_on,
			source_on)
		values (${list.id}, ${ownerId}, ${tenantId}, ${list.name}, ${[...list.fields]}, ${[...list.emails]}, ${list.digest}, ${list.locale},
			${list.source}, ${ordinal}, ${ordinal}, ${days.digest}, ${days.night})
		returning ${columns(tx)}`;
	if (!row) throw new Error("an inserted row was not returned");
	return row;
}

export function listWatchlists(sql: Sql, holder: Holder, after: string, limit: number): Promise<WatchlistRow[]> {
	return sql<WatchlistRow[]>`
		select ${columns(sql)} from watchlists where ${heldBy(sql, holder)}
			${after === "" ? sql`` : sql`and id > ${after}`} order by id limit ${limit}`;
}

export async function findWatchlist(sql: Sql | Tx, holder: Holder, id: string): Promise<WatchlistRow | undefined> {
	const [row] = await sql<
		WatchlistRow[]
	>`select ${columns(sql)} from watchlists where id = ${id} and ${heldBy(sql, holder)}`;
	return row;
}

export type NumbersRow = { readonly numbers: Uint8Array; readonly labels: string };

export async function findNumbers(sql: Sql | Tx, id: string): Promise<NumbersRow> {
	const [row] = await sql<NumbersRow[]>`select numbers, labels from watchlists where id = ${id}`;
	return row ?? { numbers: new Uint8Array(0), labels: "" };
}

/** Call it under the owner's lock, or for a list that nothing else writes. */
export async function writeNumbers(
	tx: Tx,
	id: string,
	{ numbers, labels, count }: NumbersRow & { readonly count: number },
): Promise<void> {
	await tx`
		update watchlists set numbers = ${numbers}, labels = ${labels}, number_count = ${count}, version = version + 1, updated_at = now()
		where id = ${id}`;
}

/**
 * Changes what is given. A list that gets no digests so far begins with the next run; one whose digests change gets no second one on the day.
 */
export async function changeWatchlist(
	tx: Tx,
	holder: Holder,
	id: string,
	changes: Partial<WatchlistSettings>,
	day: string,
): Promise<WatchlistRow | undefined> {
	const { name = null, fields = null, emails = null, locale = null } = changes;
	const digest = tx`${changes.digest === undefined ? tx`digest` : tx`${changes.digest}::text`}`;
	const isSilent = tx`(digest is null or emails = '{}')`;
	const [row] = await tx<WatchlistRow[]>`
		update watchlists set name = coalesce(${name}, name), fields = coalesce(${fields && [...fields]}::text[], fields),
			emails = coalesce(${emails && [...emails]}::text[], emails), locale = coalesce(${locale}, locale), digest = ${digest},
			digest_ordinal = case when ${isSilent} then ${await findLastOrdinal(tx)}::bigint else digest_ordinal end,
			digest_on = case when ${isSilent} or digest is distinct from ${digest} then ${day}::date else digest_on end,
			version = version + 1, updated_at = now()
		where id = ${id} and ${heldBy(tx, holder)} returning ${columns(tx)}`;
	return row;
}

export async function deleteWatchlist(tx: Tx, holder: Holder, id: string): Promise<boolean> {
	return (await tx`delete from watchlists where id = ${id} and ${heldBy(tx, holder)}`).count === 1;
}

export async function hasWatchlists(tx: Tx): Promise<boolean> {
	return (await tx`select 1 from watchlists limit 1`).length === 1;
}

/** Ids and numbers of all lists, a few at a time. */
export async function* readAllNumbers(tx: Tx): AsyncGenerator<{ readonly id: string; readonly numbers: Uint8Array }> {
	for await (const rows of tx<
		{ id: string; numbers: Uint8Array }[]
	>`select id, numbers from watchlists order by id`.cursor(16)) {
		yield* rows;
	}
}

export async function findHolder(tx: Tx, id: string): Promise<(Holder & { readonly name: string }) | undefined> {
	const [row] = await tx<(Holder & { readonly name: string })[]>`
		select owner_id as "ownerId", tenant_id as "tenantId", name from watchlists where id = ${id}`;
	return row;
}

/** The list, locked until the transaction ends. */
export async function lockNumbers(tx: Tx, id: string): Promise<(NumbersRow & { readonly count: number }) | undefined> {
	const [row] = await tx<(NumbersRow & { count: number })[]>`
		select numbers, labels, number_count as count from watchlists where id = ${id} for update`;
	return row;
}

/** Whose lists lack the events of a set of changes, and the least set that one of them is at. */
export async function findBehind(sql: Sql, ordinal: number): Promise<{ subjects: string[]; least: number }> {
	const rows = await sql<{ subjectId: string; least: number }[]>`
		select subject_id as "subjectId", min(joined_ordinal) as least from watchlists
		where joined_ordinal < ${ordinal} group by subject_id order by subject_id`;
	return {
		subjects: rows.map(({ subjectId }) => subjectId),
		least: rows.reduce((least, row) => Math.min(least, row.least), ordinal),
	};
}

export type JoinedRow = {
	readonly id: string;
	readonly fields: readonly string[];
	readonly numbers: Uint8Array;
	readonly joinedOrdinal: number;
};

/** The lists of a subject that lack the events of a set, locked until the transaction ends. */
export function lockBehind(tx: Tx, subjectId: string, ordinal: number): Promise<JoinedRow[]> {
	return tx<JoinedRow[]>`
		select id, fields, numbers, joined_ordinal as "joinedOrdinal" from watchlists
		where subject_id = ${subjectId} and joined_ordinal < ${ordinal} order by id for update`;
}

export async function markJoined(tx: Tx, ids: readonly string[], ordinal: number): Promise<void> {
	await tx`update watchlists set joined_ordinal = ${ordinal} where id = any(${[...ids]}::uuid[])`;
}

/** SQL of lists that are filled from documents. */

/** Marks the lists whose filling for the night is not queued yet. */
export function takeUnfilled(tx: Tx, night: string): Promise<{ readonly id: string; readonly tenantId: string }[]> {
	return tx<{ id: string; tenantId: string }[]>`
		update watchlists set source_on = ${night} where source is not null and source_on < ${night} and tenant_id is not null
		returning id, tenant_id as "tenantId"`;
}

export async function findSource(
	sql: Sql,
	id: string,
): Promise<{ readonly ownerId: string; readonly source: Source | null } | undefined> {
	const [row] = await sql<{ ownerId: string; source: Source | null }[]>`
		select owner_id as "ownerId", source from watchlists where id = ${id}`;
	return row;
}

export async function markFilled(tx: Tx, id: string, at: Date, omitted: number): Promise<void> {
	await tx`update watchlists set source_filled_at = ${at}, source_omitted = ${omitted} where id = ${id}`;
}

/** SQL of the digests. */

/** A list whose digest is due, locked until the transaction ends. */
export type DueList = Pick<WatchlistSettings, "fields" | "emails"> & {
	readonly id: string;
	readonly numbers: Uint8Array;
	readonly digestOrdinal: number;
};

const isDue = (sql: Sql | Tx, day: string, monday: string) => sql`
	digest is not null and emails <> '{}' and digest_on < case digest when 'daily' then ${day}::date else ${monday}::date end`;

/** The least set of changes that a due list's digests are at; undefined if none is due. */
export async function findLeastDue(sql: Sql | Tx, day: string, monday: string): Promise<number | undefined> {
	const [row] = await sql<{ least: number | null }[]>`
		select min(digest_ordinal) as least from watchlists where ${isDue(sql, day, monday)}`;
	return row?.least ?? undefined;
}

/** A few at a time, because all numbers together may be large. */
export async function* lockDue(tx: Tx, day: string, monday: string): AsyncGenerator<DueList> {
	for await (const rows of tx<DueList[]>`
		select id, fields, emails, numbers, digest_ordinal as "digestOrdinal" from watchlists
		where ${isDue(tx, day, monday)} order by id for update`.cursor(16)) {
		yield* rows;
	}
}

export async function markDigested(tx: Tx, ids: readonly string[], day: string, ordinal: number): Promise<void> {
	await tx`
		update watchlists set digest_on = ${day}, digest_ordinal = ${ordinal} where id = any(${[...ids]}::uuid[])`;
}

/** A list of a digest, and the sets of changes after one and up to another. */
export type DigestPart = { readonly list: string; readonly after: number; readonly upTo: number };

/** Inserts the mails of a day for addresses in lower case that have not stopped them; returns the ids of the new ones. */
export async function insertDigestMails(
	tx: Tx,
	day: string,
	partsOf: ReadonlyMap<string, readonly DigestPart[]>,
): Promise<string[]> {
	const addresses = [...partsOf.keys()].sort();
	const secrets = addresses.map(() => randomBytes(24).toString("base64url"));
	await tx`
		insert into digest_addresses (address, secret) select * from unnest(${addresses}::text[], ${secrets}::text[])
		on conflict do nothing`;
	const parts = addresses.map((address) => JSON.stringify(partsOf.get(address)));
	const rows = await tx<{ id: string }[]>`
		insert into digest_mails (id, address, day, parts)
		select g.id, a.address, ${day}, g.parts::json
		from unnest(${addresses.map(() => newId())}::uuid[], ${addresses}::text[], ${parts}::text[]) g(id, address, parts)
		join digest_addresses a on a.address = g.address and a.stopped_at is null
		on conflict do nothing returning id`;
	return rows.map(({ id }) => id);
}

export type DigestMail = {
	readonly address: string;
	readonly secret: string;
	readonly day: string;
	readonly parts: readonly DigestPart[];
};

/** A mail that waits; undefined once it is sent, and if its address has stopped them. */
export async function findWaitingDigest(sql: Sql, id: string): Promise<DigestMail | undefined> {
	const [row] = await sql<DigestMail[]>`
		select m.address, a.secret, to_char(m.day, 'YYYY-MM-DD') as day, m.parts
		from digest_mails m join digest_addresses a using (address)
		where m.id = ${id} and m.sent_at is null and a.stopped_at is null`;
	return row;
}

export async function markDigestSent(sql: Sql, id: string, at: Date): Promise<void> {
	await sql`update digest_mails set sent_at = ${at} where id = ${id} and sent_at is null`;
}

export type DigestList = Pick<WatchlistSettings, "name" | "fields" | "locale"> & NumbersRow & { readonly id: string };

/** The lists that still send digests to an address. */
export function findDigestLists(sql: Sql, ids: readonly string[], address: string): Promise<DigestList[]> {
	return sql<DigestList[]>`
		select id, name, fields, locale, numbers, labels from watchlists
		where id = any(${[...ids]}::uuid[]) and digest is not null and ${address} in (select lower(e) from unnest(emails) e)
		order by name, id`;
}

/** Whether the owner of a link's secret has stopped the digests; undefined for an unknown secret. */
export async function findStop(sql: Sql, secret: string): Promise<{ readonly isStopped: boolean } | undefined> {
	const [row] = await sql<{ isStopped: boolean }[]>`
		select stopped_at is not null as "isStopped" from digest_addresses where secret = ${secret}`;
	return row;
}

/** False for an unknown secret. */
export async function setStop(sql: Sql, secret: string, stoppedAt: Date | null): Promise<boolean> {
	const { count } = await sql`update digest_addresses set stopped_at = ${stoppedAt} where secret = ${secret}`;
	return count === 1;
}

/** Deletes mails of days before, and addresses that no mail, list or stop needs. Returns how many mails. */
export async function sweepDigests(sql: Sql, before: Date): Promise<number> {
	const { count } = await sql`delete from digest_mails where day < ${before}`;
	await sql`
		delete from digest_addresses a where stopped_at is null
			and not exists (select 1 from digest_mails m where m.address = a.address)
			and not exists (select 1 from watchlists where a.address in (select lower(e) from unnest(emails) e))`;
	return count;
}
