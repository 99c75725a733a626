/** Sends one mail. */
import { checkMessage, type MailMessage } from "./message";
import type { MailTransport } from "./transport";

export type SentMail = {
	/** As in the mail's header, with its brackets. */
	readonly messageId: string;
};

/**
 * Hands a mail to its transport; resolves once that has it. Throws a MailRefusedError for one that can never be sent, any other Error for
 * one that may be tried again under the same id.
 */
export async function sendMail(transport: MailTransport, message: MailMessage): Promise<SentMail> {
	checkMessage(message);
	const { id, to, shown, fromName, replyTo, subject, text, html, attachments = [] } = message;
	const { from } = transport;
	const messageId = `<${id}@${domainOf(from)}>`;
	await transport.deliver(id, {
		messageId,
		from: fromName === undefined ? from : { name: fromName, address: from },
		// Who gets it is told by the envelope alone.
		envelope: { from, to: [to] },
		to: shown ? [...shown.to] : to,
		...(shown && shown.cc.length > 0 ? { cc: [...shown.cc] } : {}),
		...(replyTo === undefined ? {} : { replyTo }),
		...(message.wantsNotice === true ? { dsn: { id, return: "headers", notify: ["success", "failure"] } } : {}),
		subject,
		text,
		...(html === undefined ? {} : { html }),
		// No holiday notice answers a machine. Source: RFC 3834, section 5.
		headers: { "Auto-Submitted": "auto-generated" },
		attachments: attachments.map(({ fileName, contentType, bytes }) => {
			return { filename: fileName, contentType, content: Buffer.from(bytes) };
		}),
	});
	return { messageId };
}

function domainOf(address: string): string {
	return address.slice(address.lastIndexOf("@") + 1);
}
