/** Outgoing mail: to an SMTP server, or as files where none is configured. */
export {
	ADDRESS_LENGTH_MAX,
	type Attachment,
	isMailAddress,
	MAIL_BYTES_MAX,
	type MailMessage,
	SUBJECT_LENGTH_MAX,
	sendMail,
	toHeaderText,
} from "./message";
export {
	isAboutThisMail,
	isRelayRefused,
	MailRefusedError,
	type MailSettings,
	type MailTransport,
	NO_MAIL,
	openMailTransport,
	openNowhere,
} from "./transport";
