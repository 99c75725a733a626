import { decided, defineEvent, EXAMPLE_INVOICE } from "./definition";

/** Sent with the authority's verdict. */
export const invoiceAccepted = defineEvent({
	name: "invoice.accepted",
	sentWhen: "The authority accepted the e-CF, with or without warnings.",
	members: decided("accepted"),
	example: { ...EXAMPLE_INVOICE, status: "accepted", authority: { code: "1" } },
});
