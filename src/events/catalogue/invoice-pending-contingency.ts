import { Type } from "@sinclair/typebox";
import { defineEvent, EXAMPLE_INVOICE, OF_INVOICE } from "./definition";

/** Sent when a document enters contingency. */
export const invoicePendingContingency = defineEvent({
	name: "invoice.pending_contingency",
	sentWhen: "The authority is unavailable. The document waits for it under the contingency rules.",
	members: { ...OF_INVOICE, status: Type.Literal("pending") },
	example: { ...EXAMPLE_INVOICE, status: "pending" },
});
