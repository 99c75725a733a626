/** One mail as it is asked for, and the limits that it has to keep. */

export type Attachment = {
	readonly fileName: string;
	/** Without parameters: `application/pdf`. */
	readonly contentType: string;
	readonly bytes: Uint8Array;
};

export type MailMessage = {
	/** Names the message for ever: a repeat carries the same Message-ID, so that whoever receives both can tell. */
	readonly id: string;
	/** One address; who gets a mail does not see who else does. */
	readonly to: string;
	readonly subject: string;
	readonly text: string;
	readonly html?: string;
	readonly attachments?: readonly Attachment[];
};

/** Mail servers commonly take 25 MiB; attachments grow by a third on their way. */
export const MAIL_BYTES_MAX = 15 * 1024 * 1024;
const ATTACHMENTS_MAX = 20;
const SUBJECT_LENGTH_MAX = 250;
/** Source: RFC 5321, 4.5.3.1.3: a path has 256 octets, its brackets included. */
const ADDRESS_LENGTH_MAX = 254;

/** The mail can never be sent as it is. */
export class MailRefusedError extends Error {
	constructor(message: string, cause?: unknown) {
		super(message, { cause });
		this.name = "MailRefusedError";
	}
}

/**
 * True for a plain address: one `@`, no display name, no quoting, no literal in brackets, nothing that ends a header.
 * Gap: stricter than RFC 5321, which allows what nobody has.
 */
export function isMailAddress(text: string): boolean {
	if (text.length > ADDRESS_LENGTH_MAX) return false;
	return /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/.test(
		text,
	);
}

/** Throws a MailRefusedError for a message that keeps a limit not. */
export function checkMessage({ id, to, subject, text, html = "", attachments = [] }: MailMessage): void {
	if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id))
		throw new MailRefusedError(`not the id of a mail: ${JSON.stringify(id)}`);
	if (!isMailAddress(to)) throw new MailRefusedError("the address is not one that mail can be sent to");
	if (/[\r\n]/.test(subject) || subject.length > SUBJECT_LENGTH_MAX) {
		throw new MailRefusedError(`a subject is one line of at most ${SUBJECT_LENGTH_MAX} characters`);
	}
	if (attachments.length > ATTACHMENTS_MAX)
		throw new MailRefusedError(`a mail has at most ${ATTACHMENTS_MAX} attachments`);
	const bytes =
		Buffer.byteLength(text) + Buffer.byteLength(html) + attachments.reduce((sum, one) => sum + one.bytes.length, 0);
	if (bytes > MAIL_BYTES_MAX)
		throw new MailRefusedError(`a mail has at most ${MAIL_BYTES_MAX} bytes, and this one ${bytes}`);
}
