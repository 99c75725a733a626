import { CERTIFICATE, defineEvent, EXAMPLE_OTHER, EXAMPLE_THUMBPRINT } from "./definition";

/** Sent by housekeeping, 60, 30, 7 and 1 days before the end. */
export const certificateExpiring = defineEvent({
	name: "certificate.expiring",
	sentWhen: "The signing certificate expires soon. `certificate` says which one and when.",
	members: CERTIFICATE,
	example: {
		...EXAMPLE_OTHER,
		certificate: { thumbprint: EXAMPLE_THUMBPRINT, notAfter: "2026-12-20T23:59:59.000Z", daysLeft: 30 },
	},
});
