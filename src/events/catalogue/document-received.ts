import { defineEvent, ENCF, EXAMPLE_OTHER, word } from "./definition";

/** Sent when a received document is stored. */
export const documentReceived = defineEvent({
	name: "document.received",
	sentWhen:
		"A supplier's document arrived. `docId` is its id at `/v1/received-documents/{id}` and `encf` its issuer's number. `proof` is `unproven`, or `contested` if another document has the same number.",
	members: {
		...ENCF,
		proof: word(
			["proven", "unproven", "contested", "superseded"],
			"What was known when it arrived. `contested`: another document has the same number.",
		),
	},
	example: { ...EXAMPLE_OTHER, encf: "E310000000077", proof: "unproven" },
});
