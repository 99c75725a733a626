import { Type } from "@sinclair/typebox";
import { decided, defineEvent, EXAMPLE_INVOICE, text } from "./definition";

/** Sent with the authority's verdict. */
export const invoiceRejected = defineEvent({
	name: "invoice.rejected",
	sentWhen:
		"The authority rejected the e-CF. `authority.code` is the reason, and `fix` or `advice` says what to change, if known.",
	members: {
		...decided("rejected"),
		fix: Type.Optional(
			Type.Array(
				Type.Object({
					...{ op: text(), path: text("RFC 6901 pointer into the request.") },
					value: Type.Union([Type.String(), Type.Integer()]),
				}),
				{ description: "A JSON patch (RFC 6902) of the request, where only one change is right." },
			),
		),
		advice: Type.Optional(
			Type.Array(
				Type.Object({
					...{ pointer: text("RFC 6901 pointer into the request."), detail: text("What is expected there.") },
					detailEs: text("The same in Spanish."),
				}),
				{ description: "Places of the request that need a decision." },
			),
		),
	},
	example: {
		...EXAMPLE_INVOICE,
		status: "rejected",
		authority: { code: "634" },
		fix: [{ op: "replace", path: "/reference/issue_date", value: "2026-11-20" }],
	},
});
