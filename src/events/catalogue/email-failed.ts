import { defineEvent, EXAMPLE_DOCUMENT, EXAMPLE_EMAIL, email } from "./definition";

/** Sent when an e-mail is given up. */
export const emailFailed = defineEvent({
	name: "email.failed",
	sentWhen: "A mail server refused a recipient permanently, or no server accepted the e-mail within twelve hours.",
	members: email("failed"),
	example: { ...EXAMPLE_DOCUMENT, email: { ...EXAMPLE_EMAIL, status: "failed", reason: "550 5.7.1 Refused" } },
});
