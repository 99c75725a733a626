import { Type } from "@sinclair/typebox";
import { defineEvent, ENCF, EXAMPLE_DOCUMENT, OTHER_ID, text, word } from "./definition";

/** Sent when a buyer's approval is stored. */
export const approvalReceived = defineEvent({
	name: "approval.received",
	sentWhen:
		"The buyer approved or rejected an accepted document. `approval` holds the decision and, for a rejection, the reason. The decision is final.",
	members: {
		...ENCF,
		approval: Type.Object({
			id: text(),
			decision: word(["approved", "rejected"]),
			reason: Type.Union([Type.String(), Type.Null()]),
		}),
	},
	example: {
		...EXAMPLE_DOCUMENT,
		approval: { id: OTHER_ID, decision: "rejected", reason: "Mercancía incompleta" },
	},
});
