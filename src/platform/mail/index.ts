/** Outgoing mail: to an SMTP server, or as files where none is configured. */
export {
	ADDRESS_LENGTH_MAX,
	type Attachment,
	isMailAddress,
	MAIL_BYTES_MAX,
	type MailMessage,
	MailRefusedError,
	SUBJECT_LENGTH_MAX,
	toHeaderText,
} from "./message";
export { sendMail } from "./send-mail";
export {
	isAboutThisMail,
	isRelayRefused,
	type MailSettings,
	type MailTransport,
	openMailTransport,
	openNowhere,
} from "./transport";
