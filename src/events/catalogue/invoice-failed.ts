import { decided, defineEvent, EXAMPLE_INVOICE } from "./definition";

/** Sent when the time for internal failures is over. */
export const invoiceFailed = defineEvent({
	name: "invoice.failed",
	sentWhen: "A failure on our side lasted too long. The authority has not decided.",
	members: decided("failed"),
	example: { ...EXAMPLE_INVOICE, status: "failed" },
});
