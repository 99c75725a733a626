import { Type } from "@sinclair/typebox";
import { decided, defineEvent, EXAMPLE_INVOICE, text } from "./definition";

/** Sent with the authority's verdict. */
export const invoiceRejected = defineEvent({
	name: "invoice.rejected",
	sentWhen:
		"The authority rejected the e-CF. `authority.code` is the reason, and `fix` lists the changes to make, if known.",
	members: {
		...decided("rejected"),
		fix: Type.Optional(
			Type.Array(Type.Object({ op: text(), path: text("RFC 6901 pointer into the request."), value: text() }), {
				description: "The changes to make in the request, if known.",
			}),
		),
	},
	example: {
		...EXAMPLE_INVOICE,
		status: "rejected",
		authority: { code: "614" },
		fix: [{ op: "replace", path: "/totals/grand_total", value: "5310.00" }],
	},
});
