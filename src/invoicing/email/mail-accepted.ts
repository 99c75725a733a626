/**
 * Handler of `invoice.asked-mail`: the authority has accepted a document whose request names addresses, and it is mailed to them.
 *
 * The mail has the message's own id, so whoever carries the message out again finds it there. From then on it is a mail like those that are asked
 * for later, and counts as one.
 */
import { retryOnFailure, type Sql } from "../../platform/database";
import { dead, done, type Handler, snooze, writeHeld } from "../../platform/outbox";
import { Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";
import { findInvoice, readAskedAddresses } from "../invoices";
import { requestEmail } from "./request-email";
import { findEmail } from "./store";

export type MailAcceptedDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Tells dispatchers that a mail waits. */
	readonly wake: () => void;
};

/** A document that was mailed as often as it may be has room a day later; a company that is suspended may be let in again. */
const WAITS_SECONDS = 2 * 86_400;
const LOOK_AGAIN_SECONDS = 600;

export function createMailAccepted({ sql, clock, wake }: MailAcceptedDeps): Handler {
	return async (message) => {
		const { tenantId, subject, id } = message;
		const [invoice, email] = await retryOnFailure(() =>
			Promise.all([findInvoice(sql, tenantId, subject), findEmail(sql, tenantId, id)]),
		);
		const to = invoice ? readAskedAddresses(invoice.request) : [];
		if (!invoice || email || to.length === 0) return done;
		try {
			await writeHeld(sql, message, (tx) => requestEmail(tx, invoice, { to }, clock.now(), id));
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			const reason = error.detail ?? error.slug;
			return message.ageSeconds < WAITS_SECONDS ? snooze(LOOK_AGAIN_SECONDS) : dead(reason);
		}
		wake();
		return done;
	};
}
