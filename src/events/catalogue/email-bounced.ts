import { defineEvent, EXAMPLE_DOCUMENT, EXAMPLE_EMAIL, email } from "./definition";

/** Sent for a notice of the mail server. */
export const emailBounced = defineEvent({
	name: "email.bounced",
	sentWhen:
		"A document's e-mail bounced, or its recipient complained. `email` identifies the e-mail and the recipient, and `email.status` says which of the two happened.",
	members: email("bounced", "complained"),
	example: {
		...EXAMPLE_DOCUMENT,
		email: { ...EXAMPLE_EMAIL, status: "bounced", reason: "550 5.1.1 No such user" },
	},
});
