/** Outgoing mail: to an SMTP server, or as files where none is configured. */
export { type Attachment, isMailAddress, MAIL_BYTES_MAX, type MailMessage, MailRefusedError } from "./message";
export { type SentMail, sendMail } from "./send-mail";
export { type MailSettings, type MailTransport, openMailTransport } from "./transport";
