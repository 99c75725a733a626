/**
 * Announces what is new to the contacts of API keys, each address once for each announcement.
 *
 *     changelog ─▶ announcements ─▶ addresses ─▶ one transaction: a row for each address that has none + its message ─▶ mail
 *
 * The row is unique by announcement and address, so however often the operator asks, nobody is asked to read a thing twice. The mail
 * itself is at least once: a process that dies between the server's answer and the mark that it was sent sends it again, under the same
 * Message-ID.
 */
import type { Sql } from "../../platform/database";
import { isMailAddress } from "../../platform/mail";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { type Announcement, listAnnouncements } from "./announcement";
import type { Changelog } from "./release";
import { findToldAddresses, insertAnnouncementMails } from "./store";

/** An API key as far as announcements know it. */
export type KeyContacts = {
	readonly id: string;
	readonly ownerId: string | null;
	readonly contactEmails: readonly string[];
	readonly expiresAt: Date | null;
	readonly revokedAt: Date | null;
};

/** The ids of keys that have called an operation since a moment. */
export type KeysThatCalled = (operation: string, since: Date) => Promise<ReadonlySet<string>>;

export type AnnounceDeps = {
	readonly sql: Sql;
	readonly changelog: Changelog;
	readonly keys: readonly KeyContacts[];
	readonly keysThatCalled: KeysThatCalled;
	readonly now: Date;
};

/** What was done about an announcement, or would be. */
export type AnnouncementReport = {
	readonly id: string;
	readonly subject: string;
	readonly audience: string;
	/** Addresses that it is for, those told before included. */
	readonly addresses: number;
	/** Of these, mails that were written now. */
	readonly queued: number;
};

/** Stands in the outbox where a tenant does: announcements are the operator's. */
const OPERATOR_ID = "00000000-0000-7000-8000-00000000000a";
const CALLED_WITHIN_MS = 90 * 86_400_000;

/** Tells everybody what they have not been told; with `isRehearsal` nothing is written. */
export async function announce(deps: AnnounceDeps, isRehearsal: boolean): Promise<AnnouncementReport[]> {
	const reports: AnnouncementReport[] = [];
	for (const announcement of listAnnouncements(deps.changelog, deps.now)) {
		const addresses = await findAddresses(deps, announcement);
		const queued = isRehearsal
			? await countUntold(deps.sql, announcement, addresses)
			: await queue(deps.sql, announcement, addresses);
		const { id, subject, operation } = announcement;
		const audience = operation === undefined ? "all" : `callers of ${operation}`;
		reports.push({ id, subject, audience, addresses: addresses.length, queued });
	}
	return reports;
}

/** In any order, each once whatever its case. */
async function findAddresses(
	{ keys, keysThatCalled, now }: AnnounceDeps,
	{ operation }: Announcement,
): Promise<string[]> {
	const since = new Date(now.getTime() - CALLED_WITHIN_MS);
	const callers = operation === undefined ? undefined : await keysThatCalled(operation, since);
	const inForce = keys.filter(({ revokedAt, expiresAt }) => !revokedAt && (!expiresAt || expiresAt > now));
	const addresses = inForce
		.filter(({ id }) => !callers || callers.has(id))
		.flatMap(({ contactEmails }) => contactEmails.filter(isMailAddress));
	return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()];
}

async function countUntold(sql: Sql, { id }: Announcement, addresses: readonly string[]): Promise<number> {
	const told = new Set(await findToldAddresses(sql, id));
	return addresses.filter((address) => !told.has(address.toLowerCase())).length;
}

async function queue(sql: Sql, { id }: Announcement, addresses: readonly string[]): Promise<number> {
	return sql.begin(async (tx) => {
		const mailIds = await insertAnnouncementMails(tx, id, addresses);
		await append(
			tx,
			...mailIds.map((subject) => ({ kind: OUTBOX_KINDS.announceRelease, tenantId: OPERATOR_ID, subject })),
		);
		return mailIds.length;
	});
}

/** Who called an operation; without a key it was somebody who speaks for the owner. */
export type Caller = { readonly keyId: string | null; readonly ownerId: string | null };

/** The keys whose contacts are to hear of what somebody called: the key itself, or all keys of an owner who sent none. */
export function matchCallers(keys: readonly KeyContacts[], callers: readonly Caller[]): Set<string> {
	const keyIds = new Set(callers.map(({ keyId }) => keyId));
	const ownerIds = new Set(callers.filter(({ keyId }) => keyId === null).map(({ ownerId }) => ownerId));
	const matching = keys.filter(({ id, ownerId }) => keyIds.has(id) || (ownerId !== null && ownerIds.has(ownerId)));
	return new Set(matching.map(({ id }) => id));
}
