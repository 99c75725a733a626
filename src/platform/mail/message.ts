/** An e-mail and its limits. */
import { isLongerThan } from "../values";
import { MailRefusedError, type MailTransport } from "./transport";

export type Attachment = {
	readonly fileName: string;
	/** Without parameters: `application/pdf`. */
	readonly contentType: string;
	readonly bytes: Uint8Array;
};

export type MailMessage = {
	/** Identifies the message for ever: a repeat has the same Message-ID, so receivers can recognise it. */
	readonly id: string;
	/** The one recipient. Recipients do not see each other unless `shown` lists them. */
	readonly to: string;
	/** The addresses in the header instead, where recipients may know of each other. */
	readonly shown?: { readonly to: readonly string[]; readonly cc: readonly string[] };
	/** The sender's name, beside our address. */
	readonly fromName?: string;
	/** Where replies go, instead of to us. */
	readonly replyTo?: string;
	/** Requests delivery status notifications that name `id`. Source: RFC 3461. */
	readonly wantsNotice?: boolean;
	/** A link that stops such mails: opened by a person, or posted to by a mail program. Source: RFC 8058. */
	readonly unsubscribeUrl?: string;
	readonly subject: string;
	readonly text: string;
	readonly html?: string;
	readonly attachments?: readonly Attachment[];
};

/** Mail servers commonly accept 25 MiB; attachments grow by a third in transit. */
export const MAIL_BYTES_MAX = 15 * 1024 * 1024;
const ATTACHMENTS_MAX = 20;
export const SUBJECT_LENGTH_MAX = 250;
const NAME_LENGTH_MAX = 250;
/** Source: RFC 5321, 4.5.3.1.3: a path has 256 octets, including its brackets. */
export const ADDRESS_LENGTH_MAX = 254;

/**
 * True for a plain address: one `@`, no display name, no quoting, no address literal, nothing that ends a header. Gap: stricter than RFC
 * 5321, which allows forms that are not in use.
 */
export function isMailAddress(text: string): boolean {
	if (text.length > ADDRESS_LENGTH_MAX) return false;
	return /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/.test(
		text,
	);
}

/** A text for a header: one line, without invisible or bidirectional control characters, with a limited number of characters. */
export function toHeaderText(text: string, lengthMax = NAME_LENGTH_MAX): string {
	const line = text
		.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
		.replace(/\s+/g, " ")
		.trim();
	if (line.length <= lengthMax) return line;
	// Whole characters: half of a surrogate pair is not text.
	let cut = "";
	for (const character of line) {
		if (cut.length + character.length >= lengthMax) break;
		cut += character;
	}
	return `${cut.trimEnd()}…`;
}

/** Throws: MailRefusedError for a message beyond a limit. */
function checkMessage(message: MailMessage): void {
	const { id, to, shown, fromName = "", replyTo, subject, text, html = "", attachments = [] } = message;
	if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id))
		throw new MailRefusedError(`not the id of a mail: ${JSON.stringify(id)}`);
	const addresses = [to, ...(shown ? [...shown.to, ...shown.cc] : []), ...(replyTo === undefined ? [] : [replyTo])];
	if (!addresses.every(isMailAddress)) throw new MailRefusedError("the address is not one that mail can be sent to");
	if (/[\r\n]/.test(subject) || isLongerThan(subject, SUBJECT_LENGTH_MAX)) {
		throw new MailRefusedError(`a subject is one line of at most ${SUBJECT_LENGTH_MAX} characters`);
	}
	if (/\p{Cc}/u.test(fromName) || fromName.length > NAME_LENGTH_MAX)
		throw new MailRefusedError(`a sender's name is one line of at most ${NAME_LENGTH_MAX} characters`);
	if (attachments.length > ATTACHMENTS_MAX)
		throw new MailRefusedError(`a mail has at most ${ATTACHMENTS_MAX} attachments`);
	const bytes =
		Buffer.byteLength(text) + Buffer.byteLength(html) + attachments.reduce((sum, one) => sum + one.bytes.length, 0);
	if (bytes > MAIL_BYTES_MAX)
		throw new MailRefusedError(`a mail has at most ${MAIL_BYTES_MAX} bytes, and this one ${bytes}`);
}

/** Sends one e-mail. */

type SentMail = {
	/** As in the header, including its brackets. */
	readonly messageId: string;
};

/**
 * Hands an e-mail to its transport and resolves when the transport has it. Throws: MailRefusedError for one that can never be sent, any
 * other Error for one that may be retried under the same id.
 */
export async function sendMail(transport: MailTransport, message: MailMessage): Promise<SentMail> {
	checkMessage(message);
	const { id, to, shown, fromName, replyTo, subject, text, html, attachments = [] } = message;
	const { from } = transport;
	const messageId = `<${id}@${domainOf(from)}>`;
	await transport.deliver(id, {
		messageId,
		from: fromName === undefined ? from : { name: fromName, address: from },
		// Only the envelope names the recipient.
		envelope: { from, to: [to] },
		to: shown ? [...shown.to] : to,
		...(shown && shown.cc.length > 0 ? { cc: [...shown.cc] } : {}),
		...(replyTo === undefined ? {} : { replyTo }),
		...(message.wantsNotice === true ? { dsn: { id, return: "headers", notify: ["success", "failure"] } } : {}),
		subject,
		text,
		...(html === undefined ? {} : { html }),
		// Keeps automatic replies away. Source: RFC 3834, section 5.
		headers: { "Auto-Submitted": "auto-generated", ...toUnsubscribeHeaders(message.unsubscribeUrl) },
		attachments: attachments.map(({ fileName, contentType, bytes }) => {
			return { filename: fileName, contentType, content: Buffer.from(bytes) };
		}),
	});
	return { messageId };
}

function toUnsubscribeHeaders(url: string | undefined): Record<string, string> {
	if (url === undefined) return {};
	return { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
}

function domainOf(address: string): string {
	return address.slice(address.lastIndexOf("@") + 1);
}
