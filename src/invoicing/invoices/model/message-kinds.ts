/** The outbox messages of documents; the subject of each is the document, of `TEST_SET_KIND` the set. */

import { ARCHIVE_KINDS } from "../../../archive";

/** Brings a document on, from queued to decided. */
export const SUBMIT_KIND = "invoice.submit";

/** Archives a document that is decided. */
export const ARCHIVE_KIND = ARCHIVE_KINDS.invoice;

/** Mails a document that is accepted to the addresses that its request names. */
export const ASKED_MAIL_KIND = "invoice.asked-mail";

/** Brings a test set on, and waits for its documents. */
export const TEST_SET_KIND = "certification.advance";
