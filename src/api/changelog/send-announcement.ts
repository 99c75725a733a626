/** Handler of `mail.announce`: one announcement to one address. */
import type { Sql } from "../../platform/database";
import { MailRefusedError, type MailTransport, sendMail } from "../../platform/mail";
import { dead, done, type Handler, retry } from "../../platform/outbox";
import type { Clock } from "../../platform/values";
import { findAnnouncement } from "./announcement";
import type { Changelog } from "./release";
import { findAnnouncementMail, markAnnouncementSent } from "./store";

export type SendAnnouncementDeps = {
	readonly sql: Sql;
	readonly transport: MailTransport;
	readonly changelog: Changelog;
	readonly baseUrl: string;
	readonly clock: Clock;
};

/** A mail server may be away for a week-end. */
const TRIED_FOR_SECONDS = 5 * 86_400;
const RETRY_SECONDS = [10, 60, 300, 900];
const RETRY_LATER_SECONDS = 3_600;

export function createSendAnnouncement({ sql, transport, changelog, baseUrl, clock }: SendAnnouncementDeps): Handler {
	return async ({ subject: id, failures, ageSeconds }) => {
		const mail = await findAnnouncementMail(sql, id);
		if (!mail || mail.sentAt) return done;
		const announcement = findAnnouncement(changelog, mail.announcement);
		if (!announcement) return dead(`the changelog does not know ${mail.announcement} any more`);
		const { subject, text } = announcement;
		// "-- " begins what mail programs leave out of an answer.
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
