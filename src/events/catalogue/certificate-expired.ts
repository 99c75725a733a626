import { CERTIFICATE, defineEvent, EXAMPLE_OTHER, EXAMPLE_THUMBPRINT } from "./definition";

/** Sent by housekeeping. */
export const certificateExpired = defineEvent({
	name: "certificate.expired",
	sentWhen: "The signing certificate has expired. Nothing can be signed until the company has another one.",
	members: CERTIFICATE,
	example: {
		...EXAMPLE_OTHER,
		certificate: { thumbprint: EXAMPLE_THUMBPRINT, notAfter: "2026-11-20T14:20:00.000Z", daysLeft: 0 },
	},
});
