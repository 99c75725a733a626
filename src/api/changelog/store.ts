/** SQL of announcement mails. */
import type { Sql, Tx } from "../../platform/database";
import { newId } from "../../platform/values";

/** Inserts a row for each address that has none for this announcement; returns the new ids. */
export async function insertAnnouncementMails(
	tx: Tx,
	announcement: string,
	addresses: readonly string[],
): Promise<string[]> {
	const ids = addresses.map(() => newId());
	const rows = await tx<{ id: string }[]>`
		insert into announcement_mails (id, announcement, address)
		select g.id, ${announcement}, g.address from unnest(${ids}::uuid[], ${[...addresses]}::text[]) g(id, address)
		order by lower(g.address)
		on conflict do nothing
		returning id`;
	return rows.map(({ id }) => id);
}

export async function findAnnouncedAddresses(sql: Sql, announcement: string): Promise<string[]> {
	const rows = await sql<{ address: string }[]>`
		select lower(address) as address from announcement_mails where announcement = ${announcement}`;
	return rows.map(({ address }) => address);
}

type AnnouncementMail = {
	readonly announcement: string;
	readonly address: string;
	readonly sentAt: Date | null;
};

export async function findAnnouncementMail(sql: Sql, id: string): Promise<AnnouncementMail | undefined> {
	const [row] = await sql<AnnouncementMail[]>`
		select announcement, address, sent_at as "sentAt" from announcement_mails where id = ${id}`;
	return row;
}

export async function markAnnouncementSent(sql: Sql, id: string, now: Date): Promise<void> {
	await sql`update announcement_mails set sent_at = ${now} where id = ${id} and sent_at is null`;
}
