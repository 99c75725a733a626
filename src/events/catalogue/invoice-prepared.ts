import { Type } from "@sinclair/typebox";
import { defineEvent, EXAMPLE_OTHER, text } from "./definition";

/** Sent when a prepared invoice is stored. */
export const invoicePrepared = defineEvent({
	name: "invoice.prepared",
	sentWhen: "An invoice waits for approval, until `prepared.expiresAt`. `docId` is the id of the prepared invoice.",
	members: {
		prepared: Type.Object({
			sha256: text("Digest of the body, which an approval names."),
			type: text("e-CF type."),
			customerRnc: Type.Union([Type.String(), Type.Null()]),
			currency: text(),
			total: text("The grand total."),
			expiresAt: text("RFC 3339, UTC."),
		}),
	},
	example: {
		...EXAMPLE_OTHER,
		prepared: {
			sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
			...{ type: "31", customerRnc: "990000002", currency: "DOP", total: "5310.00" },
			expiresAt: "2026-11-21T14:20:00.000Z",
		},
	},
});
