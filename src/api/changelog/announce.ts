/**
 * Announces releases and changes by mail to the contacts of API keys, each address once for each announcement.
 *
 *     changelog ─▶ announcements ─▶ addresses ─▶ one transaction: a row for each new address + its message ─▶ mail
 *
 * Rows are unique by announcement and address, so an address gets each announcement once, however often the operator sends. The mail itself is delivered
 * at least once: a process that dies after the server has accepted it, but before that is recorded, sends it again with the same Message-ID.
 */

import type { Sql } from "../../platform/database";
import { isMailAddress, MailRefusedError, type MailTransport, sendMail } from "../../platform/mail";
import { append, dead, done, type Handler, OUTBOX_KINDS, retry } from "../../platform/outbox";
import type { Clock } from "../../platform/values";
import {
	anchorOf,
	byCategory,
	type Changelog,
	type ChangelogEntry,
	deprecationSentence,
	type Release,
	titleOf,
	titleOfEntry,
} from "./release";
import { findAnnouncedAddresses, findAnnouncementMail, insertAnnouncementMails, markAnnouncementSent } from "./store";

export type Announcement = {
	/** Anchor on the changelog's page. */
	readonly id: string;
	readonly subject: string;
	readonly text: string;
	/** The operation whose callers get it; absent: all contacts. */
	readonly operation?: string;
};

/**
 * Gap: a release is announced for this long; keys created later find it in the changelog. A deprecation is announced until its sunset, because new callers
 * may start to use the endpoint.
 */
const NEWS_DAYS = 90;
const DAY_MS = 86_400_000;

/** The current announcements: releases, and separately deprecations and other entries with an anchor. */
export function listAnnouncements(changelog: Changelog, now: Date): Announcement[] {
	return changelog.flatMap((release) => {
		const ageDays = (now.getTime() - Date.parse(release.date)) / DAY_MS;
		if (ageDays < 0) return [];
		const isNews = ageDays <= NEWS_DAYS;
		const entries = release.entries.flatMap((entry) => {
			const isDue = entry.sunsetAt === undefined ? isNews : now.getTime() < Date.parse(entry.sunsetAt) + DAY_MS;
			return entry.id !== undefined && isDue ? [toAnnouncement(entry, entry.id)] : [];
		});
		// Gap: a version in development changes every day and is not announced.
		const isReleased = !release.version.includes("-");
		return isReleased && isNews ? [...entries, toReleaseAnnouncement(release)] : entries;
	});
}

export function findAnnouncement(changelog: Changelog, id: string): Announcement | undefined {
	for (const release of changelog) {
		if (anchorOf(release) === id) return toReleaseAnnouncement(release);
		const entry = release.entries.find((one) => one.id === id);
		if (entry) return toAnnouncement(entry, id);
	}
	return undefined;
}

function toAnnouncement(entry: ChangelogEntry, id: string): Announcement {
	const { operation } = entry;
	return {
		id,
		subject: titleOfEntry(entry),
		text: [entry.text, deprecationSentence(entry)].filter((part) => part !== undefined).join("\n\n"),
		...(operation === undefined ? {} : { operation }),
	};
}

function toReleaseAnnouncement(release: Release): Announcement {
	const parts = byCategory(release.entries).map(([category, entries]) => {
		const lines = entries.map((entry) => `- ${[entry.text, deprecationSentence(entry)].filter(Boolean).join(" ")}`);
		return `${category}\n${lines.join("\n")}`;
	});
	return { id: anchorOf(release), subject: titleOf(release), text: parts.join("\n\n") };
}

/** The part of an API key that announcements need. */
export type KeyContacts = {
	readonly id: string;
	readonly ownerId: string | null;
	readonly contactEmails: readonly string[];
	readonly expiresAt: Date | null;
	readonly revokedAt: Date | null;
};

export type KeysThatCalled = (operation: string, since: Date) => Promise<ReadonlySet<string>>;

type AnnounceDeps = {
	readonly sql: Sql;
	readonly changelog: Changelog;
	readonly keys: readonly KeyContacts[];
	readonly keysThatCalled: KeysThatCalled;
	readonly now: Date;
};

/** The result of an announcement, or of its rehearsal. */
export type AnnouncementReport = {
	readonly id: string;
	readonly subject: string;
	readonly audience: string;
	/** All addresses of its audience, including those that have it already. */
	readonly addresses: number;
	/** Mails that were queued now. */
	readonly queued: number;
};

/** Takes the place of a tenant in the outbox: announcements belong to the operator. */
const OPERATOR_ID = "00000000-0000-7000-8000-00000000000a";
const CALLED_WITHIN_MS = 90 * 86_400_000;

/** Queues all mails that are missing; with `isRehearsal` it only counts them. */
export async function announce(deps: AnnounceDeps, isRehearsal: boolean): Promise<AnnouncementReport[]> {
	const reports: AnnouncementReport[] = [];
	for (const announcement of listAnnouncements(deps.changelog, deps.now)) {
		const addresses = await findAddresses(deps, announcement);
		const queued = isRehearsal
			? await countMissing(deps.sql, announcement, addresses)
			: await queue(deps.sql, announcement, addresses);
		const { id, subject, operation } = announcement;
		const audience = operation === undefined ? "all" : `callers of ${operation}`;
		reports.push({ id, subject, audience, addresses: addresses.length, queued });
	}
	return reports;
}

/** Each address once, ignoring case. */
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

async function countMissing(sql: Sql, { id }: Announcement, addresses: readonly string[]): Promise<number> {
	const announced = new Set(await findAnnouncedAddresses(sql, id));
	return addresses.filter((address) => !announced.has(address.toLowerCase())).length;
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

/** A caller of an operation; without a key it acted for the owner. */
export type Caller = { readonly keyId: string | null; readonly ownerId: string | null };

/** The keys whose contacts are informed: the calling key, or all keys of an owner that called without one. */
export function matchCallers(keys: readonly KeyContacts[], callers: readonly Caller[]): Set<string> {
	const keyIds = new Set(callers.map(({ keyId }) => keyId));
	const ownerIds = new Set(callers.filter(({ keyId }) => keyId === null).map(({ ownerId }) => ownerId));
	const matching = keys.filter(({ id, ownerId }) => keyIds.has(id) || (ownerId !== null && ownerIds.has(ownerId)));
	return new Set(matching.map(({ id }) => id));
}

/** Handler of `mail.announce`: sends one announcement to one address. */

type SendAnnouncementDeps = {
	readonly sql: Sql;
	readonly transport: MailTransport;
	readonly changelog: Changelog;
	readonly baseUrl: string;
	readonly clock: Clock;
};

/** A mail server may be away for a weekend. */
const TRIED_FOR_SECONDS = 5 * 86_400;
const RETRY_SECONDS = [10, 60, 300, 900];
const RETRY_LATER_SECONDS = 3_600;

export function createSendAnnouncement({ sql, transport, changelog, baseUrl, clock }: SendAnnouncementDeps): Handler {
	return async ({ subject: id, failures, ageSeconds }) => {
		const mail = await findAnnouncementMail(sql, id);
		if (!mail || mail.sentAt) return done;
		if (transport.isOff === true) return dead("this service sends no mail (SMTP_URL=none)");
		const announcement = findAnnouncement(changelog, mail.announcement);
		if (!announcement) return dead(`the changelog no longer has ${mail.announcement}`);
		const { subject, text } = announcement;
		// "-- " starts the signature, which mail programs leave out of a reply.
		const close = `${baseUrl}/changelog#${announcement.id}\n\n-- \nThis address is a contact of an API key at ${baseUrl}.`;
		try {
			await sendMail(transport, { id, to: mail.address, subject: `Sello: ${subject}`, text: `${text}\n\n${close}` });
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			if (error instanceof MailRefusedError || ageSeconds > TRIED_FOR_SECONDS) return dead(reason);
			return retry(RETRY_SECONDS[failures] ?? RETRY_LATER_SECONDS, reason);
		}
		await markAnnouncementSent(sql, id, clock.now());
		return done;
	};
}
